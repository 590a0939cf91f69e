import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../e2e/processes.js';
import { HandReceiver, type Reply } from './hand-receiver.js';
import { Teller } from './teller-process.js';
import { callsIn, wholeCall } from './told-calls.js';

/** Enough for several restarts of the receiver before the kill and after it. */
const CALLS = 250;
const LIMIT_MS = 90_000;

let stateDirectory: string;
let receiver: HandReceiver;
const tellers: Teller[] = [];
beforeEach(async () => {
  stateDirectory = mkdtempSync(join(tmpdir(), 'voicebot-many-calls-'));
  receiver = await HandReceiver.listen();
});
afterEach(async () => {
  for (const teller of tellers.splice(0)) await teller.end('SIGKILL');
  await receiver.stop();
  rmSync(stateDirectory, { recursive: true });
});

/** Tells of calls from one number to another. */
function tell(first: number, last: number): Teller {
  const teller = new Teller({ stateDirectory, url: receiver.url, first, last });
  tellers.push(teller);
  return teller;
}

/** Half of all answers are failures, of every kind. */
function failsHalfOfTheTime(): void {
  let n = 0;
  receiver.reply = () => {
    n += 1;
    if (Math.random() < 0.5) return 200;
    return ([500, 503, 404, 302, 'lost'] as const)[n % 5] as Reply;
  };
}

/** Stops the receiver and starts it again, again and again, until it is told to stop that. */
function restarting(): () => Promise<void> {
  let isOver = false;
  const over = (async () => {
    while (!isOver) {
      await new Promise((resolve) => setTimeout(resolve, 700));
      await receiver.stop();
      await new Promise((resolve) => setTimeout(resolve, 150));
      await receiver.start();
    }
  })();
  return () => {
    isOver = true;
    return over;
  };
}

/** Files with events that are left. */
const left = () =>
  readdirSync(stateDirectory, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ndjson')).length;

test(
  'many calls, a receiver that fails half of the time and is restarted, a runner that is killed: every event is there, in order',
  async () => {
    failsHalfOfTheTime();
    const stopRestarting = restarting();
    const killed = tell(1, CALLS);
    await until(() => killed.ended.size > CALLS / 3, 'a third of the calls is over', LIMIT_MS);
    await killed.end('SIGKILL');
    expect(left()).toBeGreaterThan(0);
    expect(killed.begun.size).toBeGreaterThan(killed.ended.size);

    const second = tell(Math.max(...killed.begun) + 1, CALLS);
    await until(() => second.hasEndedAll && left() === 0, 'everything is delivered', LIMIT_MS).finally(stopRestarting);
    await second.end('SIGTERM');

    const calls = callsIn(receiver.accepted);
    const ended = new Set([...killed.ended, ...second.ended]);
    const begun = [...killed.begun, ...second.begun];
    expect(begun).toHaveLength(CALLS);
    const problems = begun.flatMap((n) => {
      const { types = [], turns = [], reason } = calls.get(`call-${n}`) ?? {};
      const isInOrder = turns.every((turn, at) => turn === at + 1);
      const isWhole = isInOrder && reason === 'caller_hung_up' && `${types}` === `${wholeCall(n)}`;
      // Of a call that the killed runner had, the beginning, and an end that the next runner has told.
      const beginning = [...wholeCall(n).slice(0, types.length - 1), 'call.ended'];
      const isCutOff = isInOrder && reason === 'runner_stopped' && `${types}` === `${beginning}`;
      const isRight = isWhole || (!ended.has(n) && (isCutOff || types.length === 0));
      return isRight ? [] : [`${n}: ${types} (${reason})`];
    });
    expect([
      ...problems,
      ...[...killed.warnings, ...second.warnings].filter((line) => line.includes('dropped')),
    ]).toEqual([]);
    expect(receiver.forged).toEqual([]);
    expect(receiver.requests.length).toBeGreaterThan(1.5 * receiver.accepted.length);
    expect([...calls.values()].some(({ again }) => again > 0)).toBe(true);
  },
  2 * LIMIT_MS,
);
