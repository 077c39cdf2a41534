// Be a device: answers one survey with the JavaScript SDK, and shows what the SDK did.
//
// `Device` comes from the one line that any page would write. The modules beside it are the SDK's own, so that the coin, the code and the
// chances shown here are computed by the very code that answers.
const main = document.getElementById("main");
const name = main.dataset.survey;
const part = (path) => import(main.dataset.sdk + path);
const [{ Device, IndexedDbStore }, { MemoryStore }, { parse }, { ask }, { linear }, { readSurvey }, { fromHex }] = await Promise.all([
  import("/sdk/device.js"), part("memory.js"), part("json.js"), part("report.js"), part("codes.js"), part("survey.js"), part("words.js"),
]);

const CROWD_AT_ONCE = 8;
const MOST_ROWS = 64;
const COUNTER = `be-a-device ${name}`;

const element = (id) => document.getElementById(id);
const percent = (share) => `${(100 * share).toFixed(share < 0.0995 ? 2 : 1)}%`;
const pause = () => new Promise((resolve) => setTimeout(resolve));

function make(tag, properties = {}, ...children) {
  const one = Object.assign(document.createElement(tag), properties);
  one.append(...children);
  return one;
}

function trouble(text) {
  element("trouble").hidden = !text;
  element("trouble").textContent = text ?? "";
}

// The survey, as any device gets it.

async function bytesOf(path) {
  const response = await fetch(path, { credentials: "omit", cache: "no-store" });
  if (!response.ok) throw new Error(`${path}: status ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

const listed = parse(await bytesOf("/v1/surveys")).surveys.find((one) => one.name === name);
const survey = readSurvey(parse(await bytesOf(`/v1/surveys/${name}`)));
const proved = new Set(survey.attributes.flatMap(({ mechanisms }) => mechanisms).map(({ table }) => table)).size;
const record = Object.fromEntries(survey.needs.map((one) => [one.reads, one.asks]));
const most = Math.max(...survey.tiers);

const deviceIn = (store, fetching) =>
  new Device(location.origin, {
    record, store, fetch: fetching, consent: true, epsilonLimit: { perReport: most, per30Days: 30 * most }, surveys: { [name]: listed?.fingerprint ?? "" },
  });

// The form: a field for everything that the survey needs to be told, which several attributes may read.

function field({ reads: name, kind, low, high, places }, number) {
  const id = `value-${number}`;
  const label = make("label", { htmlFor: id, textContent: name });
  if (kind === "numeric") {
    const middle = (low + high) / 2;
    const entry = make("input", { id, type: "number", min: low, max: high, step: "any", value: middle, required: true });
    const slider = make("input", { type: "range", min: low, max: high, step: "any", value: middle, ariaLabel: `${name}, slider` });
    slider.oninput = () => (entry.value = Number(slider.valueAsNumber.toPrecision(3)));
    entry.oninput = () => (slider.value = entry.value);
    return { whole: make("div", {}, label, make("div", { className: "range" }, slider, entry)), read: () => entry.valueAsNumber };
  }
  const listed = [...places.keys()];
  const choice = make("select", { id }, ...listed.map((value, place) => make("option", { value: place, textContent: String(value) })));
  return { whole: make("div", {}, label, choice), read: () => listed[choice.value] };
}

const needs = [...new Map(survey.needs.map((one) => [one.reads, one])).values()];
const fields = new Map(needs.map((one, number) => [one.reads, field(one, number)]));
element("values").append(...[...fields.values()].map(({ whole }) => whole));
const values = () => Object.fromEntries([...fields].map(([name, { read }]) => [name, read()]));

// What the SDK did with them.

/** The chance of each symbol for an index of a table. */
const chancesOf = ({ dense, rows, inputs, symbols }, index) =>
  Array.from({ length: symbols }, (_, symbol) => (dense ? rows[index][symbol] : rows[0][(symbol - index + inputs) % inputs]) / 2 ** 53);

/**
 * The places that a part's answer may take, each with its chance: a number lies between two points of a grid, and is rounded to either at random;
 * someone without an answer draws one.
 */
function placesOf({ low, high, kind, bins, answers }, told, points) {
  const size = answers || points;
  if (told === undefined) return Array.from({ length: size }, (_, place) => [1 / size, place]);
  if (kind !== "numeric" || bins) return [[1, told]];
  const position = ((told - low) / (high - low)) * (size - 1);
  const left = Math.min(Math.floor(position), size - 2);
  return [[1 - (position - left), left], [position - left, left + 1]];
}

/** The chance of each symbol for the answers of an attribute's parts. */
function chancesFor({ mechanisms, parts }, tier, told, row) {
  const { table, code } = mechanisms[tier];
  let places = [[1, 0]];
  parts.forEach((part, i) => {
    const own = placesOf(part, told[i], table.inputs);
    places = places.flatMap(([share, place]) => own.map(([chance, other]) => [share * chance, place * part.answers + other]));
  });
  const each = places.map(([share, place]) => [share, chancesOf(table, code ? linear(code, place, row) : place)]);
  return Array.from({ length: table.symbols }, (_, symbol) => each.reduce((sum, [share, chances]) => sum + share * chances[symbol], 0));
}

/** The least and the greatest chance of each symbol, whatever the answer is. */
function chancesOfAll({ mechanisms, answers }, tier, row) {
  const { table, code } = mechanisms[tier];
  const indices = code ? new Set(Array.from({ length: answers }, (_, one) => linear(code, one, row))) : Array(table.inputs).keys();
  const each = [...indices].map((index) => chancesOf(table, index));
  const over = (pick) => each[0].map((_, symbol) => each.reduce((found, chances) => pick(found, chances[symbol]), each[0][symbol]));
  return { least: over(Math.min), most: over(Math.max) };
}

function bar(shares) {
  const one = make("div", { className: "bar-of" });
  for (const [kind, share] of shares) {
    const piece = make("span", { className: kind });
    piece.style.width = `${100 * share}%`;
    one.append(piece);
  }
  one.setAttribute("aria-hidden", "true");
  return one;
}

/** The chances as a table: of many symbols, those about the one that was sent. */
function chanceTable(attribute, chances, { least, most }, sent) {
  const highest = Math.max(...most);
  const first = Math.max(0, Math.min(sent - MOST_ROWS / 2, chances.length - MOST_ROWS));
  const lines = chances.slice(first, first + MOST_ROWS).map((chance, place) => {
    const symbol = first + place;
    const line = make("tr", { className: symbol === sent ? "sent" : "" });
    line.append(
      make("th", { scope: "row", textContent: symbol === sent ? `${symbol}, sent` : symbol }),
      make("td", { className: "bars" }, bar([["most", most[symbol] / highest], ["yours", chance / highest]])),
      make("td", { className: "number", textContent: percent(chance) }),
      make("td", { className: "number", textContent: `${percent(least[symbol])} .. ${percent(most[symbol])}` }),
    );
    return line;
  });
  const heads = ["Symbol", "", "With your value", "With any value"].map((text, place) => make("th", { scope: "col", textContent: text, className: place > 1 ? "number" : "" }));
  heads[1].append(make("span", { className: "hear", textContent: "Bar" }));
  const table = make("table", { className: "numbers chances" }, make("caption", { className: "hear", textContent: `${attribute.name}: the chance of each symbol` }),
    make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...lines));
  const tall = make("div", { className: "tall", tabIndex: 0, role: "region", ariaLabel: `${attribute.name}: the chance of each symbol` }, table);
  const cut = chances.length > MOST_ROWS ? ` ${MOST_ROWS} of ${chances.length} symbols are shown.` : "";
  const says = `Asked about ${attribute.name}, your phone walks an integer table: with your value it sends each symbol with the chance of the filled bar. The faint bar is the most that any value gives.${cut}`;
  return make("div", {}, make("p", { textContent: says }), tall);
}

const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(" ");

/** Show the report of an answer: its coin, chances and bytes. */
function showAnswer(report, told) {
  const { attributes, width, tiers } = survey;
  const [device, tier] = [report.slice(0, 16), report[16]];
  const asked = ask(survey, tier, fromHex(listed.round.seed), device);
  const picked = new Set(asked.map(([place]) => place));
  const names = asked.map(([place]) => attributes[place].name).join(", ");
  element("coin").replaceChildren("Of ", make("strong", { textContent: `${attributes.length} questions` }), ", it picked ", make("strong", { textContent: names }), ". About everything else this phone says nothing.");
  element("questions").replaceChildren(...attributes.map((one, place) => make("li", { textContent: one.name, className: picked.has(place) ? "picked" : "" })));
  const parts = [`${hex(device)}   the device's id\n`, `${hex([tier])}   tier: epsilon ${tiers[tier]}\n`];
  let odds = 1;
  const tables = asked.map(([place, row], number) => {
    const bytes = report.slice(17 + number * width, 17 + (number + 1) * width);
    const sent = bytes[0] + 256 * (bytes[1] ?? 0);
    const all = chancesOfAll(attributes[place], tier, row);
    odds *= all.most[sent] / all.least[sent];
    parts.push(make("b", { textContent: `${hex(bytes)}   symbol ${sent}, about ${attributes[place].name}\n` }));
    return chanceTable(attributes[place], chancesFor(attributes[place], tier, told[place], row), all, sent);
  });
  element("tables").replaceChildren(...tables);
  element("sent-what").textContent = `${report.length} bytes, whatever your values are:`;
  element("bytes").replaceChildren(...parts);
  const bound = Math.exp(tiers[tier]);
  element("meaning").textContent =
    `The value that makes this report likeliest makes it ${odds.toFixed(2)} times as likely as the value that makes it least likely; no report of this ` +
    `survey exceeds e^${tiers[tier]} = ${bound.toFixed(2)}. Somebody who thought two of your possible values equally likely may now think ` +
    `${percent(odds / (1 + odds))} of one, at most.`;
  element("answered").hidden = false;
  for (const line of document.querySelectorAll("tr.sent")) line.closest(".tall").scrollTop = line.offsetTop - 120;
}

// The device of this tab: the last one, unless another is asked for.

let number = Number(localStorage.getItem(COUNTER) ?? 1);
let sent = null;
const watched = (url, options) => {
  if (options?.method === "POST" && url.endsWith("/reports")) sent = fromHex(JSON.parse(options.body).report);
  return fetch(url, options);
};
const device = () => deviceIn(new IndexedDbStore(`be-a-device ${name} ${number}`), watched);

async function showLedger(said = "") {
  const entries = await device().ledger();
  const cells = ({ at, round, asked, epsilon, state }) => [at.replace("T", " ").replace("Z", " UTC"), round, asked.join(", "), epsilon, state];
  const lines = entries.map((entry) => make("tr", {}, ...cells(entry).map((text, place) => make(place ? "td" : "th", { textContent: text, className: place === 3 ? "number" : "" }))));
  if (lines.length) element("ledger").replaceChildren(...lines);
  else element("ledger").replaceChildren(make("tr", {}, make("td", { colSpan: 5, textContent: "Nothing yet." })));
  const isDone = entries.some(({ round }) => round === listed?.round?.label);
  const { withdrawn } = await device().status();
  element("send").disabled = isDone || !listed?.round || withdrawn;
  element("another").hidden = !isDone;
  element("forget").hidden = !isDone || withdrawn;
  element("ledger-state").textContent = said;
}

element("answer").onsubmit = async (event) => {
  event.preventDefault();
  element("send").disabled = true;
  const given = values();
  const told = survey.read(new Map(Object.entries(given)), (bytes) => crypto.getRandomValues(new Uint8Array(bytes)));
  sent = null;
  const visit = await device().answer(given);
  trouble(visit.trouble ?? visit.skipped[name] ?? visit.dropped[0]?.why);
  if (sent) showAnswer(sent, told);
  await showLedger(visit.accepted.length ? "The server has it, on disk, and counted." : "");
  if (sent) element("answered").focus();
};

element("another").onclick = async () => {
  localStorage.setItem(COUNTER, ++number);
  element("answered").hidden = true;
  trouble();
  await showLedger("A new device, with a new id and an empty ledger. The last one's report stays.");
};

element("forget").onclick = async () => {
  const isConfirmed = await device().forget();
  element("answered").hidden = true;
  await showLedger(isConfirmed ? "Deleted, here and at the server; what was spent stays in your ledger." : "The server will be asked again.");
};

// The crowd: devices that live as long as their answer. What is public they read once.

const kept = new Map();
const sparing = (url, options) => {
  if ((options?.method ?? "GET") !== "GET") return fetch(url, options);
  if (!kept.has(url)) kept.set(url, fetch(url, options));
  return kept.get(url).then((response) => response.clone());
};

async function crowd(devices) {
  const given = values();
  const bar = element("crowd-progress");
  let [left, accepted, done] = [devices, 0, 0];
  kept.clear();
  bar.hidden = false;
  bar.value = 0;
  trouble();
  const one = async () => {
    while (left-- > 0) {
      const visit = await deviceIn(new MemoryStore(), sparing).answer(given, { patience: 10 });
      accepted += visit.accepted.length;
      if (!visit.accepted.length) trouble(visit.trouble ?? visit.skipped[name]);
      bar.value = ++done / devices;
      element("crowd-state").textContent = `${accepted.toLocaleString("en")} of ${devices.toLocaleString("en")} devices accepted`;
      await pause();
    }
  };
  await Promise.all(Array.from({ length: CROWD_AT_ONCE }, one));
}

for (const button of document.querySelectorAll(".crowd")) {
  button.disabled = !listed?.round;
  button.onclick = async () => {
    const buttons = document.querySelectorAll(".crowd");
    for (const each of buttons) each.disabled = true;
    await crowd(Number(button.dataset.devices));
    for (const each of buttons) each.disabled = false;
  };
}

element("proof").textContent =
  `Before it answers anything, your browser has proved, in integers, that all ${proved} tables of this survey keep epsilon ${survey.tiers.join(" or ")}. ` +
  `The survey's fingerprint is ${listed?.fingerprint.slice(0, 16) ?? "unknown"}…`;
if (!listed?.round) trouble("No round of this survey is open now, so devices have nothing to answer.");
await showLedger();
document.body.dataset.ready = "";
