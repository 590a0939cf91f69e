import { BenchProcess } from '../bench-process.js';
import { atMost, type Figure, ms } from '../figure.js';
import type { FirstFrame } from '../processes/first-frame.js';
import { median } from '../statistics.js';

const PROCESSES = 9;

/** What the first frame of a process's first call costs, from the message to the echo's, as a bot's process is when a call comes. */
export async function* firstFrame(): AsyncGenerator<Figure> {
  const costs = { rehearsed: [] as number[], cold: [] as number[] };
  for (let n = 0; n < PROCESSES; n += 1) {
    for (const how of ['cold', 'rehearsed'] as const) {
      await using process = new BenchProcess<FirstFrame>('processes/first-frame');
      costs[how].push(await process.ask('cost', how === 'rehearsed'));
    }
  }
  const ours = median(costs.rehearsed);
  yield {
    name: 'first frame of a first call, beside an unrehearsed process',
    bare: ms(median(costs.cold)),
    ours: ms(ours),
    ...atMost(0.3, ours, ' ms'),
  };
}
