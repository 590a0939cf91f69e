import type { CallRecord } from '../../../src/call/call-record.js';
import type { TimelineEntry, TimelineEvent } from '../../../src/call/timeline.js';
import { CallEventPicker } from '../../../src/runner/events/call-event-picker.js';

const AT = Date.UTC(2026, 0, 31, 9, 5, 7, 250);
const RECORD: CallRecord = {
  id: 'call-1',
  direction: 'inbound',
  from: '+12025550142',
  to: '+12025550100',
  state: 'ringing',
  attempt: 1,
  startedAt: AT,
};
const ENDED = { state: 'ended', endedAt: AT + 9_000, endReason: 'caller_hung_up' } as const;

/** What is told of these things, which happen a second apart. */
function toldOf(entries: readonly TimelineEntry[], before: ConstructorParameters<typeof CallEventPicker>[1] = []) {
  const call = new CallEventPicker('call-1', before);
  const events = entries.flatMap((entry, n) =>
    call.see({ at: AT + 1_000 * n, source: 'bot', bot: 2, ...entry } as TimelineEvent),
  );
  return { call, events, types: events.map(({ type }) => type) };
}
const record = (change: Partial<CallRecord> = {}): TimelineEntry => ({
  type: 'record',
  record: { ...RECORD, ...change },
});
const turn = (n: number): TimelineEntry => ({
  type: 'turn_ended',
  startedAt: AT,
  turn: n,
  since: 'caller_stopped',
  firstAudioMs: 640,
  wasInterrupted: false,
});
const said = (speaker: 'caller' | 'bot', text: string): TimelineEntry => ({ type: 'said', speaker, text });

test('a call is told from its start over its answer to its end, each once', () => {
  const answered = { answeredAt: AT + 500, state: 'starting' } as const;
  const { events } = toldOf([
    record(),
    record({ ...answered, answeredBy: 'person' }),
    record({ ...answered, state: 'connected' }),
    record({ ...answered, ...ENDED }),
  ]);
  expect(events).toEqual([
    {
      type: 'call.started',
      timestamp: '2026-01-31T09:05:07.250Z',
      data: { callId: 'call-1', direction: 'inbound', from: '+12025550142', to: '+12025550100' },
    },
    {
      type: 'call.answered',
      timestamp: '2026-01-31T09:05:07.750Z',
      data: { callId: 'call-1', answeredBy: 'person' },
    },
    {
      type: 'call.ended',
      timestamp: '2026-01-31T09:05:16.250Z',
      data: { callId: 'call-1', call: { ...RECORD, ...answered, ...ENDED } },
    },
  ]);
});

test('a transfer that was answered is told once, with its destination, before the end', () => {
  const { events, types } = toldOf([
    record(),
    { type: 'transfer_asked', to: '+12025550106' },
    { type: 'transfer_over', to: '+12025550106', status: 'answered' },
    record({ ...ENDED, endReason: 'transferred' }),
  ]);
  expect(types).toEqual(['call.started', 'call.transferred', 'call.ended']);
  expect(events[1]).toMatchObject({
    timestamp: '2026-01-31T09:05:09.250Z',
    data: { callId: 'call-1', to: '+12025550106' },
  });
});

test('a transfer of which only the end of the call tells is told all the same, and one that failed is not', () => {
  const failed: TimelineEntry[] = [
    { type: 'transfer_asked', to: '+12025550106' },
    { type: 'transfer_over', to: '+12025550106', status: 'busy' },
  ];
  expect(toldOf([record(), ...failed, record(ENDED)]).types).toEqual(['call.started', 'call.ended']);
  const asked: TimelineEntry = { type: 'transfer_asked', to: '+12025550101' };
  const { events } = toldOf([record(), ...failed, asked, record({ ...ENDED, endReason: 'transferred' })]);
  expect(events[1]).toMatchObject({ type: 'call.transferred', data: { to: '+12025550101' } });
});

test('a call that is bridged after a transfer that failed is told without the destination that was not reached', () => {
  const { events } = toldOf([
    record(),
    { type: 'transfer_asked', to: '+12025550106' },
    { type: 'transfer_over', to: '+12025550106', status: 'busy' },
    record({ ...ENDED, endReason: 'transferred' }),
  ]);
  expect(events[1]).toMatchObject({ type: 'call.transferred' });
  expect(events[1]?.data).not.toHaveProperty('to');
});

test('a turn is told with its times, and without texts while the call is not recorded', () => {
  const { events } = toldOf([record(), said('caller', 'Hello?'), said('bot', 'Bluebird Bakery.'), turn(1)]);
  expect(events[1]).toEqual({
    type: 'turn.ended',
    timestamp: '2026-01-31T09:05:10.250Z',
    data: {
      callId: 'call-1',
      attempt: 2,
      startedAt: AT,
      turn: 1,
      since: 'caller_stopped',
      firstAudioMs: 640,
      wasInterrupted: false,
    },
  });
});

test('a recorded call tells what was said since the last turn, except while its recording pauses', () => {
  const { events } = toldOf([
    record(),
    { type: 'recording', is: 'started', startedAt: AT, sampleRate: 8_000 },
    said('caller', 'Are you open'),
    said('caller', 'on Sunday?'),
    said('bot', 'Yes, from eight.'),
    turn(1),
    { type: 'recording', is: 'paused' },
    said('caller', '4111 1111 1111 1111'),
    { type: 'recording', is: 'resumed' },
    said('bot', 'Thank you.'),
    turn(2),
    said('caller', 'x'.repeat(9_000)),
    turn(3),
  ]);
  const texts = events.slice(1).map(({ data }) => data as { caller?: string; bot?: string });
  expect(texts).toMatchObject([
    { caller: 'Are you open on Sunday?', bot: 'Yes, from eight.' },
    { bot: 'Thank you.' },
    { caller: 'x'.repeat(4_000) },
  ]);
  expect(texts[1]).not.toHaveProperty('caller');
});

test('a call that another runner has begun to tell goes on where that stopped', () => {
  const { types } = toldOf([record({ attempt: 2, answeredAt: AT }), record(ENDED)], ['call.started']);
  expect(types).toEqual(['call.answered', 'call.ended']);
});

test('whether bots may still have something to tell is known', () => {
  const { call } = toldOf([record(), { type: 'bot_assigned', bot: 1 }, { type: 'bot_assigned', bot: 2 }]);
  expect(call.hasBots).toBe(true);
  for (const bot of [1, 2]) call.see({ at: AT, source: 'runner', type: 'bot_done', bot, outcome: 'returned' });
  expect(call.hasBots).toBe(false);
});
