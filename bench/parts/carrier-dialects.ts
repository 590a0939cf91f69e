import { newAccount } from '../../src/sandbox/new-account.js';
import { atMost, type Figure, ms } from '../figure.js';
import { showsProcesses } from '../process-tree.js';
import { delayOf, deliveredPercent, freshEchoRound, middle, type Round, ratioOf } from './carrier-echo.js';

const CARRIERS = ['plivo', 'twilio', 'telnyx'] as const;
/** Every carrier's figures are beside this one's. */
const YARDSTICK = 'plivo';
const CALLS = 100;
const ROUNDS = 5;
/** What an echo may cost in another carrier's dialect. */
const MOST = 1.1;

/** The echo template behind the real runner in the dialect of every carrier, in turns. */
export async function* carrierDialects(calls = CALLS): AsyncGenerator<Figure> {
  if (!showsProcesses) {
    yield { name: 'echo by carrier: CPU per call and second', ours: 'only measured on Linux' };
    return;
  }
  const rounds: Record<(typeof CARRIERS)[number], Round[]> = { plivo: [], twilio: [], telnyx: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    // Each round begins with another one: what a machine does at its beginning falls on all of them.
    for (let turn = 0; turn < CARRIERS.length; turn += 1) {
      const carrier = CARRIERS[(round + turn) % CARRIERS.length] ?? YARDSTICK;
      rounds[carrier].push(await freshEchoRound(calls, { account: { carrier, ...newAccount(carrier) } }));
    }
  }
  const yardstick = rounds[YARDSTICK];
  for (const carrier of CARRIERS) {
    const ours = rounds[carrier];
    const ratio = ratioOf(ours, yardstick);
    const isYardstick = carrier === YARDSTICK;
    yield {
      name: `echo, ${calls} calls of ${carrier}: CPU per call and second, beside ${YARDSTICK}`,
      bare: ms(middle(yardstick)),
      ours: ms(middle(ours)),
      ratio: ratio.toFixed(2),
      ...(!isYardstick && atMost(MOST, ratio, '')),
    };
    yield {
      name: `echo, ${calls} calls of ${carrier}: delay p99; audio delivered, worst round`,
      bare: ms(delayOf(yardstick, 'p99')),
      ours: `${ms(delayOf(ours, 'p99'))}; ${deliveredPercent(ours).toFixed(2)} %`,
    };
  }
}
