import type { TimelineEvent } from '../../../src/call/timeline.js';
import { ladderOf } from '../../../src/call/view/ladder.js';
import { madeCall } from './made-call.js';

const { record, events } = madeCall();
const rows = ladderOf(events);
const row = (label: string) => rows.find((each) => each.label.startsWith(label));
const named = (name: string) => rows.find((each) => each.name === name);

test('messages go from one party to another, in the order of their times', () => {
  const asks = { label: 'asks what to do', from: 'provider', to: 'runner', at: record.startedAt + 2 };
  expect(named('/answer StartApp')).toMatchObject(asks);
  const answer = { label: 'connect the audio', from: 'runner', to: 'provider' };
  expect(named('document: Stream')).toMatchObject({ ...answer, detail: expect.stringContaining('<Stream') });
  expect(row('call given')).toMatchObject({ from: 'runner', to: 'bot' });
  expect(named('starting')).toMatchObject({ label: 'waiting for the bot', from: 'runner', to: 'runner' });
  expect(named('start')).toMatchObject({ label: 'the audio stream begins', from: 'provider', to: 'bot' });
  expect(named('clear')).toMatchObject({ label: 'drop what is not played yet', from: 'bot', to: 'provider' });
  expect(row('POST /v1')).toMatchObject({
    from: 'runner',
    to: 'provider',
    isFailed: false,
    label: expect.stringMatching(/202$/),
  });
  expect(row('bot returned')).toMatchObject({ from: 'bot', to: 'runner', isFailed: false });
  expect(rows.map(({ at }) => at)).toEqual(rows.map(({ at }) => at).toSorted((a, b) => a - b));
});

test('tools, transfers and warnings stand in their place', () => {
  const labels = rows.map(({ label }) => label);
  const inOrder = [
    'tool openingHours',
    'tool openingHours returned within 124 ms',
    'transfer to +12025550199',
    'transfer: no answer',
  ];
  expect(labels.filter((label) => inOrder.includes(label))).toEqual(inOrder);
  expect(row('transfer: no answer')).toMatchObject({ isFailed: true, detail: 'nobody answered within 10 s' });
  expect(row('The speech provider')).toMatchObject({ isFailed: true, detail: 'DeepgramSTTService' });
});

test('marks that go to and fro are counted, until something else happens', () => {
  const wire = (at: number, direction: 'in' | 'out', name: string): TimelineEvent => ({
    at,
    source: 'bot',
    type: 'wire',
    direction,
    name,
  });
  const ladder = ladderOf([
    ...[1, 3, 5].flatMap((at) => [wire(at, 'out', 'mark'), wire(at + 1, 'in', 'mark')]),
    wire(7, 'in', 'dtmf'),
    wire(8, 'out', 'mark'),
  ]);
  expect(ladder.map(({ name, from, count }) => [name, from, count])).toEqual([
    ['mark', 'bot', 3],
    ['mark', 'provider', 3],
    ['dtmf', 'provider', undefined],
    ['mark', 'bot', undefined],
  ]);
});

test('a request without an answer has failed, and a model says what it failed with', () => {
  const ladder = ladderOf([
    { at: 1, source: 'runner', type: 'request', method: 'GET', path: '/v1/Call/', ms: 9_000 },
    { at: 2, source: 'bot', type: 'model_answered', turn: 1, response: 1, ms: 1_200, error: 'rate limit' },
  ]);
  expect(ladder).toMatchObject([
    { label: 'GET /v1/Call/ → no answer', isFailed: true },
    { label: 'model answered within 1.2 s', detail: 'rate limit', isFailed: true },
  ]);
});

test('a request stands where it was made: what it has caused, though that is told first, comes after it', () => {
  const ladder = ladderOf([
    { at: 1_060, source: 'runner', type: 'webhook', path: '/hangup', event: 'hangup', status: 200, ms: 2 },
    { at: 1_061, source: 'runner', type: 'phase', phase: 'ended' },
    { at: 1_090, source: 'runner', type: 'request', method: 'DELETE', path: '/v1/Call/1/', status: 204, ms: 90 },
  ]);
  expect(ladder.map(({ label, at }) => [label, at])).toEqual([
    ['DELETE /v1/Call/1/ → 204', 1_000],
    ['tells that the call is over', 1_058],
    ['the call is over', 1_061],
  ]);
});

test('names that nobody knows, as another version writes them, are shown as they are', () => {
  const odd = [
    { type: 'wire', at: 5, source: 'bot', bot: 1, direction: 'sideways', name: 'constructor' },
    { type: 'phase', at: 6, source: 'runner', phase: 'to_string' },
  ] as never;
  const labels = ladderOf(odd).map(({ label }) => label);
  expect(labels).toEqual(['constructor', 'to string']);
});
