// Draws the charts that the page describes in data-chart, with Plotly, in the page's own colours.
(() => {
  const probe = document.body.appendChild(document.createElement("i"));
  probe.hidden = true;

  function colour(name) {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  }
  const font = () => ({ family: getComputedStyle(document.body).fontFamily, size: 12, color: colour("--muted") });
  const faded = (rgb, share) => rgb.replace("rgb(", "rgba(").replace(")", `, ${share})`);

  const axis = (more) => ({
    gridcolor: colour("--line"), linecolor: colour("--line"), zerolinecolor: colour("--line"),
    tickfont: font(), fixedrange: true, automargin: true, ...more,
  });
  // Plotly reads tags in texts, and gives a long label all the room there is.
  const plain = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;");
  const short = (text, most) => plain(text.length > most ? `${text.slice(0, most - 1)}…` : text);
  const letters = (width) => Math.max(10, Math.floor(width / 16));
  const categories = (labels, width, more) => {
    const named = labels.filter((_, place) => place % Math.ceil(labels.length / 30) === 0);
    return axis({ type: "category", tickmode: "array", tickvals: named, ticktext: named.map((label) => short(label, letters(width))), ...more });
  };
  const layout = (more) => ({
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", font: font(), showlegend: false,
    margin: { l: 4, r: 14, t: 6, b: 4 }, dragmode: false, bargap: 0.35,
    hoverlabel: { bgcolor: colour("--card"), bordercolor: colour("--strong-line"), font: { ...font(), color: colour("--text") } },
    legend: { orientation: "h", x: 0, y: 1, yanchor: "bottom", font: font(), traceorder: "normal" }, ...more,
  });

  function mean(chart) {
    const [low, high] = chart.interval;
    return {
      data: [{
        x: [chart.estimate], y: [""], mode: "markers", type: "scatter",
        marker: { color: colour("--accent"), size: 8 },
        error_x: { type: "data", array: [high - chart.estimate], arrayminus: [chart.estimate - low], color: colour("--accent"), thickness: 2.5, width: 7 },
        hovertemplate: `%{x:.4~g}<br>95%: ${low.toPrecision(4)} to ${high.toPrecision(4)}<extra></extra>`,
      }],
      layout: layout({
        margin: { l: 12, r: 14, t: 6, b: 28 },
        xaxis: axis({ range: chart.range, nticks: 6, showline: true, ticks: "outside", tickcolor: colour("--line"), automargin: false }),
        yaxis: axis({ visible: false, range: [-1, 1] }),
      }),
    };
  }

  function histogram(chart, width) {
    const common = { y: chart.labels, orientation: "h" };
    return {
      height: 26 * chart.labels.length + 78,
      data: [
        { ...common, x: chart.consistent, type: "bar", name: "consistent", marker: { color: colour("--bar") }, hovertemplate: "%{y}: %{x:.2%} consistent<extra></extra>" },
        {
          ...common, x: chart.estimate, type: "scatter", mode: "markers", name: "estimate, 95% interval",
          marker: { color: colour("--accent"), size: 7 },
          error_x: { type: "data", array: chart.high.map((high, place) => high - chart.estimate[place]), arrayminus: chart.low.map((low, place) => chart.estimate[place] - low), color: colour("--accent"), thickness: 1.8, width: 4 },
          hovertemplate: "%{y}: %{x:.2%}<extra></extra>",
        },
      ],
      layout: layout({
        showlegend: true,
        margin: { l: 4, r: 14, t: 30, b: 4 },
        xaxis: axis({ tickformat: ".3~p", nticks: 6, zeroline: true, zerolinecolor: colour("--strong-line") }),
        yaxis: categories(chart.labels, width, { autorange: "reversed", showgrid: false, ticksuffix: "  ", tickfont: { ...font(), color: colour("--text") } }),
      }),
    };
  }

  function means(chart, width) {
    return {
      height: 26 * chart.labels.length + 56,
      data: [{
        y: chart.labels, x: chart.estimate, type: "scatter", mode: "markers", marker: { color: colour("--accent"), size: 7 },
        error_x: { type: "data", array: chart.high.map((high, place) => high - chart.estimate[place]), arrayminus: chart.low.map((low, place) => chart.estimate[place] - low), color: colour("--accent"), thickness: 1.8, width: 4 },
        hovertemplate: "%{y}: %{x:.4~g}<extra></extra>",
      }],
      layout: layout({
        xaxis: axis({ range: chart.range, nticks: 6 }),
        yaxis: categories(chart.labels, width, { autorange: "reversed", ticksuffix: "  ", tickfont: { ...font(), color: colour("--text") } }),
      }),
    };
  }

  // Between two numbers a CDF is at least what it is at the first, and at most what it is at the second.
  function cdf(chart) {
    const edge = { x: chart.at, type: "scatter", mode: "lines", hoverinfo: "skip", showlegend: false };
    return {
      height: 280,
      data: [
        { ...edge, y: chart.low, line: { width: 0, shape: "hv" } },
        { ...edge, y: chart.high, line: { width: 0, shape: "vh" }, fill: "tonexty", fillcolor: faded(colour("--accent"), 0.2), name: "95% band, everywhere at once", showlegend: true },
        { ...edge, y: chart.cdf, name: "share of devices below", showlegend: true, line: { color: colour("--accent"), width: 2 }, hoverinfo: undefined, hovertemplate: "%{y:.1%} are below %{x:.4~g}<extra></extra>" },
      ],
      layout: layout({
        showlegend: true, margin: { l: 4, r: 14, t: 30, b: 4 },
        xaxis: axis({ nticks: 8, showline: true }),
        yaxis: axis({ tickformat: ".0%", range: [0, 1], nticks: 6 }),
      }),
    };
  }

  function heat(chart, width) {
    const cells = chart.rows.labels.length * chart.columns.labels.length;
    const percent = (share) => `${(100 * share).toPrecision(3)}%`;
    const intervals = chart.low.map((line, row) => line.map((low, column) => `${percent(low)} to ${percent(chart.high[row][column])}`));
    return {
      height: 30 * chart.rows.labels.length + 90,
      data: [{
        type: "heatmap", x: chart.columns.labels, y: chart.rows.labels, z: chart.shares, zmin: 0, text: intervals,
        colorscale: [[0, colour("--card")], [1, colour("--accent")]], xgap: 1, ygap: 1, showscale: cells > 200,
        texttemplate: cells <= 200 ? "%{z:.1%}" : undefined,
        hovertemplate: `${chart.rows.name} %{y}, ${chart.columns.name} %{x}: %{z:.2%}<br>95%: %{text}<extra></extra>`,
      }],
      layout: layout({
        margin: { l: 4, r: 14, t: 10, b: 4 },
        xaxis: categories(chart.columns.labels, width, { showgrid: false, title: { text: plain(chart.columns.name), font: font() } }),
        yaxis: categories(chart.rows.labels, width, { autorange: "reversed", showgrid: false, ticksuffix: "  ", title: { text: plain(chart.rows.name), font: font() } }),
      }),
    };
  }

  function comparison(chart, width) {
    const format = chart.share ? ".2%" : ".4~g";
    const several = chart.share || chart.labels.length > 1;
    const data = chart.rounds.map((round, place) => {
      const ink = colour(`--series-${place + 1}`);
      const reach = round.estimate.map((estimate, at) => [round.high[at] - estimate, estimate - round.low[at]]);
      const error = { type: "data", array: reach.map(([up]) => up), arrayminus: reach.map(([, down]) => down), color: ink, thickness: 1.8, width: 4 };
      const both = { x: round.estimate, orientation: "h", name: round.name, error_x: error, hovertemplate: `%{y}: %{x:${format}}<extra>${round.name}</extra>` };
      return several
        ? { ...both, y: chart.labels, type: "bar", marker: { color: faded(ink, 0.45) } }
        : { ...both, y: [round.name], type: "scatter", mode: "markers", marker: { color: ink, size: 8 } };
    });
    return {
      height: several ? 40 * chart.labels.length + 78 : 130,
      data,
      layout: layout({
        showlegend: several, barmode: "group", margin: { l: 4, r: 14, t: several ? 30 : 6, b: 4 },
        xaxis: axis({ tickformat: chart.share ? ".3~p" : "", nticks: 6, zeroline: chart.share, zerolinecolor: colour("--strong-line") }),
        yaxis: categories(several ? chart.labels : chart.rounds.map((round) => round.name), width, { autorange: "reversed", showgrid: false, ticksuffix: "  ", tickfont: { ...font(), color: colour("--text") } }),
      }),
    };
  }

  function trend(chart, width) {
    const data = chart.lines.flatMap((line, place) => {
      const ink = colour(`--series-${place + 1}`);
      const edge = { x: chart.rounds, type: "scatter", mode: "lines", line: { width: 0 }, hoverinfo: "skip", showlegend: false };
      return [
        { ...edge, y: line.low },
        { ...edge, y: line.high, fill: "tonexty", fillcolor: faded(ink, 0.16) },
        {
          x: chart.rounds, y: line.estimate, type: "scatter", mode: "lines+markers", name: short(line.name, 2 * letters(width)),
          line: { color: ink, width: 2 }, marker: { color: ink, size: 6 },
          hovertemplate: `%{x}: %{y:${chart.share ? ".2%" : ".4~g"}}<extra>${short(line.name, 40)}</extra>`,
        },
      ];
    });
    const several = chart.lines.length > 1;
    const apart = Math.ceil(chart.rounds.length / Math.max(2, Math.floor(width / 85)));
    const named = chart.rounds.filter((_, place) => (chart.rounds.length - 1 - place) % apart === 0);
    return {
      data,
      layout: layout({
        showlegend: several, margin: { l: 4, r: 14, t: several ? 30 : 10, b: 4 },
        xaxis: axis({ type: "category", showgrid: false, showline: true, tickangle: 0, tickmode: "array", tickvals: named, ticktext: named.map((label) => short(label, 13)) }),
        yaxis: axis({ tickformat: chart.share ? ".3~p" : "", nticks: 5, zeroline: false }),
      }),
    };
  }

  function loss(chart) {
    return {
      data: [{
        x: chart.steps, y: chart.loss, type: "scatter", mode: "lines+markers", line: { color: colour("--accent"), width: 2 },
        marker: { color: colour("--accent"), size: 5 }, hovertemplate: "step %{x}: %{y:.4~g}<extra></extra>",
      }],
      layout: layout({
        margin: { l: 4, r: 14, t: 10, b: 4 },
        xaxis: axis({ showgrid: false, showline: true, nticks: 8, title: { text: "step", font: font() } }),
        yaxis: axis({ nticks: 5, zeroline: false }),
      }),
    };
  }

  function weights(chart, width) {
    return {
      height: 26 * chart.labels.length + 48,
      data: [{
        y: chart.labels, x: chart.weights, type: "bar", orientation: "h", marker: { color: colour("--bar") },
        hovertemplate: "%{y}: %{x:+.3f}<extra></extra>",
      }],
      layout: layout({
        xaxis: axis({ nticks: 6, zeroline: true, zerolinecolor: colour("--strong-line") }),
        yaxis: categories(chart.labels, width, { autorange: "reversed", showgrid: false, ticksuffix: "  ", tickfont: { ...font(), color: colour("--text") } }),
      }),
    };
  }

  const kinds = { mean, means, histogram, cdf, heat, comparison, trend, weights, loss };
  const config = { displayModeBar: false, responsive: true, doubleClick: false, scrollZoom: false };

  function draw(figure) {
    const chart = JSON.parse(figure.dataset.chart);
    const plot = figure.querySelector(".plot");
    const drawn = kinds[chart.kind](chart, plot.clientWidth);
    if (drawn.height) plot.style.height = `${drawn.height}px`;
    return Plotly.react(plot, drawn.data, drawn.layout, config);
  }

  function prepare(figure) {
    const plot = document.createElement("div");
    plot.className = "plot";
    plot.setAttribute("role", "img");
    plot.setAttribute("aria-label", figure.dataset.label);
    const save = document.createElement("div");
    save.className = "save";
    for (const format of ["svg", "png"]) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "quiet";
      button.textContent = format.toUpperCase();
      const { title } = JSON.parse(figure.dataset.chart);
      button.setAttribute("aria-label", `Save the chart of ${title} as ${format.toUpperCase()}`);
      button.addEventListener("click", () => {
        Plotly.downloadImage(plot, { format, filename: title, width: 900, height: Math.max(plot.clientHeight, 240), scale: 2 });
      });
      save.append(button);
    }
    figure.append(plot, save);
    figure.addEventListener("redraw", () => draw(figure));
    return draw(figure);
  }

  // What a closed attribute hides has no width yet, and many charts take time: it is drawn when it is opened.
  const shown = new Set();
  const waiting = new Set(document.querySelectorAll("[data-chart]"));

  async function drawOpened() {
    const opened = [...waiting].filter((figure) => !figure.closest("details:not([open])"));
    for (const figure of opened) {
      waiting.delete(figure);
      shown.add(figure);
    }
    await Promise.all(opened.map(prepare));
  }

  drawOpened().then(() => { document.body.dataset.drawn = "yes"; });
  document.addEventListener("toggle", drawOpened, { capture: true });
  document.addEventListener("recolour", () => shown.forEach(draw));
})();
