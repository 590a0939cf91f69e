import { EventEmitter } from 'node:events';
import type { TimelineEvent } from '../../../src/call/timeline.js';
import { CallEnds } from '../../../src/lab/load/load-ends.js';
import { StageCalls } from '../../../src/lab/stage/stage-calls.js';

const RECORD = { id: 'c', direction: 'inbound', from: 'a', to: 'b', attempt: 1, startedAt: 0, answeredAt: 1 } as const;

/** What a runner tells of a call that ends at 1000, and what is found out of it. */
async function toldOf(tell: (runner: EventEmitter, note: (event: object) => void) => void, endReason = 'bot_crashed') {
  const runner = new EventEmitter();
  const ends = new CallEnds(runner as never, new StageCalls(runner as never));
  const note = (event: object) => runner.emit('noted', 'c', { at: 500, source: 'runner', ...event } as TimelineEvent);
  note({ type: 'bot_assigned', bot: 1 });
  const told = ends.of('c');
  tell(runner, note);
  runner.emit('call', { ...RECORD, state: 'ended', endedAt: 1_000, endReason });
  return await told;
}

test('a function that has thrown: its error, also when the line comes later and the process serves other calls', async () => {
  const told = await toldOf((runner, note) => {
    note({ type: 'bot_done', bot: 1, outcome: 'threw' });
    setImmediate(() => {
      runner.emit('bot_output', 'bot failed in call other (attempt 1): Error: not this one', undefined);
      runner.emit('bot_output', 'bot failed in call c (attempt 1): Error: audit log lost', undefined);
    });
  });
  expect(told).toMatchObject({ reason: 'bot_crashed', broke: { why: 'Error: audit log lost', at: 500 } });
});

test('a process that has ended: how, and its last words', async () => {
  const told = await toldOf((_, note) => {
    note({ type: 'bot_done', bot: 1, outcome: 'lost' });
    const fields = { exit: 'code 3', lastLine: 'the disk is gone' };
    note({ type: 'log', level: 'warn', message: 'the bot process of a call has died', fields });
  });
  expect(told.broke?.why).toBe('its process ended with code 3, its last words: the disk is gone');
});

test('a bot that fails when the call is over is no matter of the caller’s, nor is one that ends the call in order', async () => {
  const late = await toldOf(
    (_, note) => note({ type: 'bot_done', bot: 1, outcome: 'threw', at: 1_001 }),
    'caller_hung_up',
  );
  expect(late).toEqual({ reason: 'caller_hung_up', trouble: undefined });
  const ended = await toldOf((_, note) => note({ type: 'bot_done', bot: 1, outcome: 'returned' }), 'bot_ended');
  expect(ended).toEqual({ reason: 'bot_ended', trouble: undefined });
});

test('an end that calls should not have is told in words', async () => {
  const told = await toldOf((_, note) => note({ type: 'bot_done', bot: 1, outcome: 'returned' }), 'provider_error');
  expect(told.trouble).toMatch(/^A speech or model service of the bot failed/);
});
