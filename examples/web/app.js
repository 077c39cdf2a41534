/**
 * A page that takes part in Harmony's surveys: it asks for consent, answers, and shows what it revealed.
 */
const SERVER = document.querySelector("meta[name=harmony-server]").content;
const LIMIT = { perReport: 1, per30Days: 4 };
const CONSENT = "shares-statistics";

const element = (id) => document.getElementById(id);
const consent = () => localStorage.getItem(CONSENT) === "yes";

/** What this page can tell: the same for all of its visitors. */
const RECORD = { width: Number, theme: String, touch: Boolean };
const values = () => ({
  width: innerWidth,
  theme: matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light",
  touch: navigator.maxTouchPoints > 0,
});

/** The device, whose code comes from the server that it reports to; nothing is loaded without consent. */
let loaded;
const device = async () => {
  loaded ??= import(`${SERVER}/sdk/device.js`);
  const { Device } = await loaded;
  return new Device(SERVER, { record: RECORD, consent, epsilonLimit: LIMIT });
};

function row({ at, asked, epsilon, state }) {
  const line = document.createElement("tr");
  for (const text of [at.slice(0, 10), asked.join(", "), epsilon, state]) line.insertCell().textContent = text;
  return line;
}

/** Show what the ledger says, and what that means. */
async function show(trouble) {
  const isAsked = localStorage.getItem(CONSENT) !== null;
  element("banner").hidden = isAsked;
  element("forget").hidden = !consent();
  element("rejoin").hidden = !isAsked || consent();
  element("state").textContent = consent() ? "You take part. Thank you." : "You do not take part: nothing is sent.";
  if (!isAsked || (!consent() && !loaded)) return;
  const one = await device();
  const { spentInAll, spentIn30Days, trouble: unknown } = await one.status();
  if (trouble ?? unknown) element("state").textContent += ` (${trouble ?? unknown})`;
  if (unknown) return;
  const entries = await one.ledger();
  element("spending").hidden = element("revealed").hidden = !entries.length;
  element("meter").value = spentIn30Days;
  element("spent").textContent = `${spentIn30Days} of at most ${LIMIT.per30Days}`;
  element("ledger").replaceChildren(...entries.map(row));
  element("promise").textContent =
    `Each report is an answer that coins may have replaced. Whoever reads all of them, and knows everything else, ` +
    `can change the odds of what they believe about you by a factor of at most ${Math.exp(spentInAll).toFixed(1)}.`;
}

/** Answer what is open, if there is consent. */
async function visit() {
  let trouble = null;
  if (consent()) ({ trouble } = await (await device()).answer(values()));
  await show(trouble);
}

element("accept").onclick = async () => {
  localStorage.setItem(CONSENT, "yes");
  await visit();
};

element("decline").onclick = async () => {
  localStorage.setItem(CONSENT, "no");
  await show(null);
};

element("forget").onclick = async () => {
  localStorage.setItem(CONSENT, "no");
  const isConfirmed = await (await device()).forget();
  await show(isConfirmed ? null : "the server will be asked to delete again");
};

element("rejoin").onclick = async () => {
  localStorage.setItem(CONSENT, "yes");
  await (await device()).rejoin();
  await visit();
};

await visit();
document.body.dataset.ready = "";
