/**
 * A device that visits its server again and again, and now and then forgets, until it is killed (tests/javascript/test_crashes.py).
 *
 *     node tests/support/visitor.mjs SERVER DIRECTORY VISITS ORIGIN
 *
 * From the origin on, in milliseconds, the clock runs a thousand times as fast, so that pauses after a failure cost nothing.
 */
import { Device, DirectoryStore } from "../../src/node.js";

const VISITS_UNTIL_IT_FORGETS = 9;

const [server, directory, visits, origin] = process.argv.slice(2);
const { now } = Date;
Date.now = () => Number(origin) + (now() - Number(origin)) * 1000;

const device = new Device(server, {
  record: { battery: Number, wifi: Boolean, age: Number },
  consent: true,
  epsilonLimit: 1e9,
  store: new DirectoryStore(directory),
});
process.stdout.write("ready\n");
for (let visit = 1; visit <= Number(visits); visit++) {
  const { answered, accepted, trouble } = await device.answer({ battery: 33, wifi: true, age: 33 });
  process.stdout.write(`${JSON.stringify({ answered, accepted, trouble })}\n`);
  if (visit % VISITS_UNTIL_IT_FORGETS === 0) {
    await device.forget();
    await device.rejoin();
  }
}
