import { createHash } from "node:crypto";
import { createServer } from "node:http";

const sha256 = (text) => createHash("sha256").update(text).digest("hex");

/**
 * A server that speaks docs/protocol.md, in memory, and fails when a test asks it to.
 *
 * A fault is taken by the next request: a status, a reply `{status, headers, body}`, "lost request", "lost reply", or a function of the
 * response, which does what it likes. `rules` are faults by "METHOD /path", for every such request.
 */
export class FaultServer {
  devices = new Map();
  reports = new Map();
  seen = [];
  requests = [];
  faults = [];
  rules = {};
  documents = new Map();
  rounds = new Map();
  tasks = new Map();
  trainings = [];
  enrolments = 0;

  constructor(...documents) {
    for (const document of documents) this.publish(document);
  }

  /** Open a round of a survey. */
  publish(document, label = "1") {
    this.documents.set(document.name, JSON.stringify(document));
    this.openRound(document.name, label);
  }

  openRound(name, label) {
    this.rounds.set(name, { label, seed: sha256(`${name} ${label}`).slice(0, 32) });
  }

  /** Open a step of a training; other trainings go on. */
  train(step) {
    const { training, round, survey } = step;
    this.rounds.set(training, round);
    const others = this.trainings.filter(({ name }) => name !== training);
    this.trainings = [...others, { name: training, epsilon: survey.epsilon }];
    this.tasks.set(training, step);
  }

  fingerprint(name) {
    return sha256(this.documents.get(name));
  }

  /** How often a request was made. */
  count(request) {
    return this.requests.filter((one) => one === request).length;
  }

  /** Listen on loopback, and return the address. */
  async start() {
    this.http = createServer((request, response) => this.#answer(request, response));
    await new Promise((resolve) => this.http.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${this.http.address().port}`;
  }

  async stop() {
    this.http.closeAllConnections();
    await new Promise((resolve) => this.http.close(resolve));
  }

  async #answer(request, response) {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const content = text ? JSON.parse(text) : null;
    const name = `${request.method} ${request.url}`;
    this.requests.push(name);
    if (name.startsWith("POST") && name.endsWith("/reports")) this.seen.push({ survey: request.url.split("/")[3], ...content });
    const fault = this.faults.shift() ?? this.rules[name];
    if (fault === "lost request") return void request.socket.destroy();
    if (typeof fault === "function") return void fault(response);
    const reply = fault === undefined || fault === "lost reply" ? this.#route(name, request.headers, content) : fault;
    if (fault === "lost reply") return void request.socket.destroy();
    const { status, headers, body } = typeof reply === "number" ? { status: reply } : reply;
    response.writeHead(status, headers).end(body);
  }

  #route(name, headers, content) {
    const json = (status, body) => ({ status, headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
    const [, , room, subject, last] = name.split(" ")[1].split("/");
    if (headers["harmony-protocol"] !== "1") return 400;
    if (name === "POST /v1/devices") {
      const device = sha256(`device ${++this.enrolments}`).slice(0, 32);
      this.devices.set(device, `secret-${this.enrolments}`);
      return json(201, this.#identity(device));
    }
    if (name === "GET /v1/surveys") return json(200, { protocol: 1, surveys: [...this.documents.keys()].map((one) => this.listed(one)), trainings: this.trainings });
    if (name === `GET /v1/surveys/${subject}`) return this.documents.has(subject) ? { status: 200, body: this.documents.get(subject) } : 404;
    const [device, credential] = (headers.authorization ?? "").replace("Harmony ", "").split(".");
    if (!credential || this.devices.get(device) !== credential) return 401;
    if (name === "DELETE /v1/devices/me") {
      this.devices.delete(device);
      for (const key of this.reports.keys()) if (key.endsWith(device)) this.reports.delete(key);
      return 204;
    }
    if (name === "POST /v1/devices/me") {
      this.devices.set(device, `${credential}-renewed`);
      return json(200, this.#identity(device));
    }
    if (room === "trainings") return this.tasks.has(subject) ? json(200, this.tasks.get(subject)) : 410;
    if (last === "reports" && this.rounds.has(subject)) return this.#report(device, subject, content);
    return 404;
  }

  #identity(device) {
    return { device, credential: this.devices.get(device), enrolled: "2026-11-01T00:00:00Z" };
  }

  #report(device, survey, { round, report }) {
    if (!report.startsWith(device)) return 403;
    const key = `${survey} ${round} ${device}`;
    if (this.reports.has(key)) return this.reports.get(key) === report ? 200 : 409;
    if (this.rounds.get(survey).label !== round) return 410;
    this.reports.set(key, report);
    return 201;
  }

  /** The entry of a survey in the list. */
  listed(name) {
    const { epsilon, tiers } = JSON.parse(this.documents.get(name));
    return { name, fingerprint: this.fingerprint(name), epsilon: epsilon ?? Math.max(...tiers), round: this.rounds.get(name) };
  }
}
