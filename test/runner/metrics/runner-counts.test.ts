import type { BotProcess } from '../../../src/runner/bots/bot-process.js';
import { CountedProcess, CountedRunner } from './counted-runner.js';
import { sampleOf } from './exposition.js';

let runner: CountedRunner;
beforeEach(() => {
  runner = new CountedRunner();
});
afterEach(() => runner[Symbol.dispose]());

const sample = async (name: string) => sampleOf(await runner.text(), `voicebot_${name}`);

test('bot processes are counted by what they do, and when they fail', async () => {
  const [busy, warm] = runner.pool.processes;
  const later = new CountedProcess('starting');
  runner.pool.emit('created', later as unknown as BotProcess);
  const death = { exit: 'code 1', lastLine: undefined };
  busy.emit('died', ['call-1'], death);
  warm.emit('died', [], death);
  later.emit('load_failed');
  later.emit('heartbeat', 30);
  busy.emit('heartbeat', 0.2);
  expect(await sample('bots{state="busy"}')).toBe(1);
  expect(await sample('bots{state="warm"}')).toBe(2);
  expect(await sample('bots{state="ending"}')).toBe(0);
  expect(await sample('bots_memory_bytes')).toBe(220);
  for (const state of ['busy', 'warm', 'starting']) expect(await sample(`bot_deaths_total{state="${state}"}`)).toBe(1);
  expect(await sample('event_loop_delay_seconds_bucket{le="0.001",process="bot"}')).toBe(1);
  expect(await sample('event_loop_delay_seconds_count{process="bot"}')).toBe(2);
});

test.each([
  [201, '201'],
  [503, '503'],
  [undefined, 'none'],
  [777, 'other'],
  [12_345, 'other'],
  [Number.NaN, 'other'],
])('a request that ends with status %j is counted as %s', async (status, code) => {
  runner.counts.requested({ status, ms: 120 });
  expect(await sample(`provider_requests_total{provider="plivo",code="${code}"}`)).toBe(1);
  expect(await sample('provider_request_duration_seconds_sum{provider="plivo"}')).toBe(0.12);
});

test('what cannot be read is missing, and the rest is there', async () => {
  expect(await sample('number_held')).toBeUndefined();
  expect(await sample('journal_entries{journal="hangups"}')).toBeUndefined();
  expect(await sample('reachable')).toBe(1);
});
