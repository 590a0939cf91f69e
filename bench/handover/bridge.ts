import type { Figure } from '../figure.js';
import { showsProcesses } from '../process-tree.js';
import { bridgedCalls } from './bridged-calls.js';
import { joints } from './joints.js';
import { lastingBridge } from './lasting-bridge.js';

const COUNTS = [1, 10, 50];
const SECONDS = 30;

/** Two people joined by the bot: how late they hear each other and what it costs, what they hear at the joints, and how it lasts. */
export async function* bridge(calls?: number, seconds = SECONDS): AsyncGenerator<Figure> {
  if (!showsProcesses) {
    yield { name: 'bridge', ours: 'only measured on Linux' };
    return;
  }
  for (const count of calls === undefined ? COUNTS : [calls]) yield* bridgedCalls(count);
  yield* joints();
  yield* lastingBridge(seconds);
}
