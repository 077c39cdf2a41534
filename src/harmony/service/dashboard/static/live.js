// Live updates: when the server says that something changed, the page is fetched again and its
// parts replaced, so that what scripts show is always what the server wrote.
(() => {
  const main = document.querySelector("main[data-live]");
  const news = document.getElementById("news");
  let seen = main.dataset.version;
  let busy = false;
  let again = false;
  let left = -Infinity;

  // Whoever has just followed a link goes there: a reload would bring them back.
  addEventListener("beforeunload", () => (left = performance.now()));

  function reload() {
    const wait = left + 10_000 - performance.now();
    if (wait > 0) setTimeout(reload, wait);
    else location.reload();
  }

  const ids = (page, selector) => [...page.querySelectorAll(selector)].map((one) => one.id).sort().join();

  async function refresh() {
    if (busy) {
      again = true;
      return;
    }
    busy = true;
    try {
      const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
      if (!answer.ok || answer.redirected) return reload();
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const shape = "[data-part], [data-chart]";
      if (ids(page, shape) !== ids(document, shape)) return reload();
      for (const part of page.querySelectorAll("[data-part]")) {
        const old = document.getElementById(part.id);
        if (old.innerHTML !== part.innerHTML) old.innerHTML = part.innerHTML;
      }
      for (const chart of page.querySelectorAll("[data-chart]")) {
        const old = document.getElementById(chart.id);
        if (old.dataset.chart !== chart.dataset.chart) {
          old.dataset.chart = chart.dataset.chart;
          old.dispatchEvent(new Event("redraw"));
        }
      }
      const reports = document.getElementById("reports");
      news.textContent = reports ? `Updated: ${reports.textContent} reports` : "Updated";
    } finally {
      busy = false;
      if (again) {
        again = false;
        setTimeout(refresh, 500);
      }
    }
  }

  let events = null;

  function connect() {
    events = new EventSource(main.dataset.live);
    events.onmessage = (event) => {
      main.dataset.connected = "yes";
      if (seen !== event.data) refresh();
      seen = event.data;
    };
  }

  // A browser has few connections to spare for one server, so a page that nobody sees lets go.
  document.addEventListener("visibilitychange", () => {
    events.close();
    if (!document.hidden) connect();
  });
  addEventListener("pagehide", () => events.close());
  connect();
})();
