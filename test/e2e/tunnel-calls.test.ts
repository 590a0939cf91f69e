import { encodeMulaw } from '../../src/audio/mulaw.js';
import { until } from './processes.js';
import { hearsItself, noise, TunnelledRun } from './tunnelled-run.js';

let tunnelled: TunnelledRun;
beforeEach(async () => {
  tunnelled = await TunnelledRun.open();
}, 60_000);
afterEach(() => tunnelled[Symbol.asyncDispose](), 30_000);

test('a call over localtunnel sounds as the caller spoke, frame for frame', async () => {
  await using caller = await tunnelled.noisyCaller();
  await until(() => hearsItself(caller, 100), 'two seconds come back', 30_000);
  const frames = caller.heard.all.map((frame) => Buffer.from(frame).toString('base64'));
  const said = frames.map((_, n) => Buffer.from(encodeMulaw(noise(n))).toString('base64'));
  const order = frames.map((frame) => said.indexOf(frame)).filter((n) => n >= 0);
  // On a busy machine a frame may be late, and silence heard in its place; none is damaged, and none out of order.
  expect(order.length).toBeGreaterThan(80);
  expect(order).toEqual(order.toSorted((one, other) => one - other));
}, 60_000);
