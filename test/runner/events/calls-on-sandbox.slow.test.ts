import { until } from '../../e2e/processes.js';
import { inWaves } from '../in-waves.js';
import { RunnerOnSandbox } from '../runner-on-sandbox.js';
import { botFile } from '../runner-under-test.js';
import { TransfersOnSandbox } from '../transfers-on-sandbox.js';
import { FastClock } from './fast-clock.js';
import { HandReceiver, SECRET } from './hand-receiver.js';
import { callsIn } from './told-calls.js';

const CALLS = 40;
const WAVE = 20;

let receiver: HandReceiver;
beforeEach(async () => {
  receiver = await HandReceiver.listen();
});
afterEach(async () => {
  await receiver.stop();
  expect(receiver.forged).toEqual([]);
});

const events = () => ({ url: receiver.url, secret: SECRET, clock: new FastClock() });

test('forty calls, and a receiver that fails half of the time: each call is told from start to end', async () => {
  receiver.reply = () => {
    if (Math.random() < 0.5) return 204;
    return Math.random() < 0.5 ? 500 : 'lost';
  };
  await using served = await RunnerOnSandbox.start({
    botFile: botFile('patient.mjs'),
    callsPerProcess: 20,
    warm: 2,
    events: events(),
  });
  const start = (n: number) => served.startedCall({ phone_number: `+1555200${1_000 + n}`, body: {} });
  const ids = await inWaves(CALLS, WAVE, start);
  const isTold = () => [...callsIn(receiver.accepted).values()].filter(({ reason }) => reason).length === CALLS;
  await until(isTold, 'the end of each call is told', 60_000);
  const calls = callsIn(receiver.accepted);
  expect(new Set(calls.keys())).toEqual(new Set(ids));
  for (const { types, reason } of calls.values()) {
    expect([types, reason]).toEqual([['call.started', 'call.answered', 'call.ended'], 'bot_ended']);
  }
}, 120_000);

test('a transfer is told when its destination has answered, and not when it is busy', async () => {
  await using transfers = await TransfersOnSandbox.start({ events: events() });
  for (const to of ['+12025550107', '+12025550102']) await (await transfers.transfer({ to })).ended();
  await until(() => receiver.types.filter((type) => type === 'call.ended').length === 2, 'both ends are told');
  const [first, second] = [...callsIn(receiver.accepted).values()];
  expect(first).toMatchObject({
    types: ['call.started', 'call.answered', 'call.transferred', 'call.ended'],
    reason: 'transferred',
  });
  expect(second).toMatchObject({ types: ['call.started', 'call.answered', 'call.ended'], reason: 'bot_ended' });
  const told = receiver.accepted.find(({ event }) => event.type === 'call.transferred')?.event;
  expect(told?.data).toMatchObject({ to: '+12025550107' });
}, 60_000);
