import { atMost, type Figure, ms } from '../figure.js';
import { showsProcesses } from '../process-tree.js';
import { delayOf, freshEchoRound, middle, type Round, ratioOf } from './carrier-echo.js';

/** What processor time may be with folders, beside that without. */
const MAX_RATIO = 1.1;
/** Each with new processes: how fast one is differs from one to the next by more than what is measured. */
const ROUNDS = 7;

/** The echo template behind the real runner, all calls in one process of bots: with a folder of each call and without, in turns. */
export async function* recording(...counts: number[]): AsyncGenerator<Figure> {
  if (!showsProcesses) {
    yield { name: 'echo with folders: CPU per call and second', ours: 'only measured on Linux' };
    return;
  }
  for (const calls of counts.length > 0 ? counts : [200]) yield* recordingOf(calls);
}

async function* recordingOf(calls: number): AsyncGenerator<Figure> {
  const bare: Round[] = [];
  const ours: Round[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    bare.push(await freshEchoRound(calls, { rule: 'never' }));
    ours.push(await freshEchoRound(calls, { rule: 'always' }));
  }
  const ratio = ratioOf(ours, bare);
  yield* [
    {
      name: `echo, ${calls} calls with folders: CPU per call and second, beside without`,
      bare: ms(middle(bare)),
      ours: ms(middle(ours)),
      ratio: ratio.toFixed(2),
      ...atMost(MAX_RATIO, ratio, ''),
    },
    {
      name: `echo, ${calls} calls with folders: delay p99`,
      bare: ms(delayOf(bare, 'p99')),
      ours: ms(delayOf(ours, 'p99')),
    },
  ];
}
