/**
 * A runner's calls and their events, in a process that can be killed: `<state folder> <address> <secret> <first> <last>`. Writes `begun <call>` before a call and `ended <call>` after it, and
 * leaves with the signal SIGTERM.
 */
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { silentLogger } from '../../../src/base/logger.js';
import { asCallId } from '../../../src/call/call-id.js';
import { CallRegistry } from '../../../src/runner/calls/life/call-registry.js';
import { ApplicationEvents } from '../../../src/runner/events/application-events.js';
import { FastClock } from './fast-clock.js';
import { AT_ONCE, MAX_CALL_SECONDS, turnsOf } from './told-calls.js';

const [stateDirectory = '', url = '', secret = '', first, last] = process.argv.slice(2);
const told = (line: string) => writeSync(1, `${line}\n`); // it is there when the process is killed
const logger = { ...silentLogger, warn: (message: string) => told(`warns ${message}`) };
const registry = new CallRegistry();
const events = ApplicationEvents.following(registry, {
  events: { url, secret, clock: new FastClock() },
  stateDirectory,
  maxCallSeconds: MAX_CALL_SECONDS,
  goesOnElsewhere: async () => false,
  logger,
});
events?.recover();

async function call(n: number): Promise<void> {
  const id = asCallId(`call-${n}`);
  told(`begun ${n}`);
  registry.open({ id, direction: 'inbound', from: '+12025550142', to: '+12025550100', state: 'ringing' });
  await delay(Math.random() * 20);
  registry.update(id, { state: 'starting', answeredAt: Date.now() });
  registry.timelines.note(id, { type: 'bot_assigned', bot: 1 });
  for (let turn = 1; turn <= turnsOf(n); turn += 1) {
    await delay(Math.random() * 20);
    const report = { turn, startedAt: Date.now(), since: 'caller_stopped', wasInterrupted: false } as const;
    registry.timelines.receive(id, [{ at: Date.now(), source: 'bot', bot: 1, type: 'turn_ended', ...report }]);
  }
  await delay(Math.random() * 20);
  registry.end(id, 'caller_hung_up');
  told(`ended ${n}`);
  registry.timelines.note(id, { type: 'bot_done', bot: 1, outcome: 'returned' });
}

let next = Number(first);
async function callOn(): Promise<void> {
  while (next <= Number(last)) {
    next += 1;
    await call(next - 1);
  }
}
const stopped = once(process, 'SIGTERM');
const alive = setInterval(() => {}, 60_000);
await Promise.all(Array.from({ length: AT_ONCE }, callOn));
told('all ended');
await stopped;
clearInterval(alive);
await events?.close(AbortSignal.abort());
