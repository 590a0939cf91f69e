import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../compile.js';
import { atMost, type Figure, ms } from '../figure.js';
import { median } from '../statistics.js';

const COMMANDS = ['', 'init', 'run', 'call', 'dialout', 'calls', 'configure-number', 'restore', 'doctor', 'completion'];
const LIMIT_MS = 150;
const TIMES = 15;

/** How long a person waits for the help of each command, beside a Node that does nothing; the two take turns. */
export async function* help(times = TIMES): AsyncGenerator<Figure> {
  for (const command of COMMANDS) {
    const words = [...command.split(' ').filter(Boolean), '--help'];
    const bare: number[] = [];
    const ours: number[] = [];
    for (let time = 0; time < times; time += 1) {
      bare.push(timed('-e', '0'));
      ours.push(timed(join(root, 'bin/voicebot.js'), ...words));
    }
    const value = median(ours);
    yield {
      name: `voicebot ${words.join(' ')} (Node that does nothing)`,
      bare: ms(median(bare)),
      ours: ms(value),
      ratio: (value / median(bare)).toFixed(2),
      ...atMost(LIMIT_MS, value, ' ms'),
    };
  }
}

/** Milliseconds from its start to its end. */
function timed(...args: string[]): number {
  const startedAt = performance.now();
  const { status } = spawnSync(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  if (status !== 0) throw new Error(`failed: node ${args.join(' ')}`);
  return performance.now() - startedAt;
}
