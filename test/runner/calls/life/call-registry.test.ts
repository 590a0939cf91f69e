import type { CallRecord } from '../../../../src/call/call-record.js';
import { CallRegistry } from '../../../../src/runner/calls/life/call-registry.js';

const CALL = { id: 'one', direction: 'inbound', from: '+12025550142', to: '+12025550100', state: 'ringing' } as const;

function registry() {
  const calls = new CallRegistry();
  const changes: CallRecord[] = [];
  calls.on('change', (record) => changes.push(record));
  return { calls, changes };
}

test('follows a call from its first ring to its end', () => {
  const { calls, changes } = registry();
  calls.open(CALL);
  calls.update('one', { state: 'starting' });
  calls.update('one', { state: 'connected' });
  expect(calls.liveCount).toBe(1);
  calls.end('one', 'bot_ended');
  expect(calls.liveCount).toBe(0);
  expect(changes.map(({ state }) => state)).toEqual(['ringing', 'starting', 'connected', 'ended']);
  expect(calls.get('one')).toEqual({
    ...CALL,
    attempt: 1,
    state: 'ended',
    endReason: 'bot_ended',
    startedAt: expect.any(Number),
    connectedAt: expect.any(Number),
    endedAt: expect.any(Number),
  });
});

test('keeps the time of the first connection when another bot takes over', () => {
  const { calls } = registry();
  calls.open(CALL);
  calls.update('one', { state: 'connected' });
  const { connectedAt } = calls.get('one') as CallRecord;
  calls.update('one', { state: 'starting', attempt: 2 });
  calls.update('one', { state: 'connected' });
  expect(calls.get('one')).toMatchObject({ connectedAt, attempt: 2, state: 'connected' });
});

test('a record that was handed out does not change later', () => {
  const { calls, changes } = registry();
  calls.open(CALL, 2);
  const first = calls.get('one');
  calls.update('one', { state: 'connected' });
  expect(first).toMatchObject({ state: 'ringing', attempt: 2 });
  expect(changes[0]).toBe(first);
});

test('what has ended stays as it is', () => {
  const { calls, changes } = registry();
  calls.open(CALL);
  calls.end('one', 'busy');
  calls.end('one', 'bot_ended');
  calls.update('one', { state: 'connected' });
  expect(calls.get('one')).toMatchObject({ state: 'ended', endReason: 'busy' });
  expect(changes).toHaveLength(2);
});

test('does not know what was never opened', () => {
  const { calls, changes } = registry();
  calls.update('nobody', { state: 'connected' });
  calls.end('nobody', 'busy');
  expect(calls.get('nobody')).toBeUndefined();
  expect(changes).toEqual([]);
});

test('lists live calls and then ended ones, each newest first', () => {
  const { calls } = registry();
  for (const id of ['a', 'b', 'c', 'd']) calls.open({ ...CALL, id });
  calls.end('b', 'busy');
  calls.end('a', 'busy');
  expect(calls.list().map(({ id }) => id)).toEqual(['d', 'c', 'a', 'b']);
});

test('forgets the oldest of more than a thousand ended calls, and no live one', () => {
  const { calls } = registry();
  calls.open({ ...CALL, id: 'live' });
  for (let n = 0; n < 1_001; n += 1) {
    calls.open({ ...CALL, id: `${n}` });
    calls.end(`${n}`, 'bot_ended');
  }
  expect(calls.get('0')).toBeUndefined();
  expect(calls.get('1')).toBeDefined();
  expect(calls.get('live')).toBeDefined();
  expect(calls.list()).toHaveLength(1_001);
});

const linked = (id: string) => ({ ...CALL, id, linkedTo: 'one' }) as const;

test('a call knows those that were dialled beside it', () => {
  const { calls } = registry();
  calls.open(CALL);
  for (const id of ['leg-1', 'leg-2']) calls.open(linked(id));
  expect(calls.get('one')?.consulted).toEqual(['leg-1', 'leg-2']);
  expect(calls.get('leg-1')).not.toHaveProperty('consulted');
});

test.each([
  ['the call', 'one'],
  ['one that was dialled beside it', 'leg-2'],
])('an objection in %s goes for all that are linked with it, those that are over too, and for no other', (_, id) => {
  const { calls } = registry();
  const removed: Array<readonly string[]> = [];
  const amended: CallRecord[] = [];
  calls.on('recordings_removed', (ids) => removed.push(ids.toSorted()));
  calls.on('amended', (record) => amended.push(record));
  calls.open({ ...CALL, id: 'other' });
  calls.open(CALL);
  for (const leg of ['leg-1', 'leg-2']) calls.open(linked(leg));
  const said = { at: 1, source: 'bot', bot: 1, type: 'said', speaker: 'caller', text: 'My name is Ada.' } as const;
  for (const call of ['other', 'one', 'leg-1', 'leg-2']) calls.timelines.receive(call, [said]);
  calls.end('leg-1', 'caller_hung_up');
  calls.removeRecordings([id]);
  expect(removed).toEqual([['leg-1', 'leg-2', 'one']]);
  expect(amended.map((record) => record.id)).toEqual(['leg-1']);
  const of = (call: string) => [
    calls.get(call)?.recordingRemovedAt !== undefined,
    JSON.stringify(calls.timelines.of(call)).includes('Ada'),
  ];
  expect(['one', 'leg-1', 'leg-2', 'other'].map(of)).toEqual([...Array(3).fill([true, false]), [false, true]]);
  const { recordingRemovedAt } = calls.get('one') as CallRecord;
  calls.removeRecordings([id]);
  expect(calls.get('one')?.recordingRemovedAt).toBe(recordingRemovedAt);
});

test('a call that is dialled beside one that is not recorded any more is none either', () => {
  const { calls } = registry();
  calls.open(CALL);
  calls.removeRecordings(['one']);
  calls.open(linked('leg-1'));
  expect(calls.get('leg-1')?.recordingRemovedAt).toBeGreaterThan(0);
});

test('what is learnt late changes a call that is over, and tells so', () => {
  const { calls } = registry();
  const amended: CallRecord[] = [];
  calls.on('amended', (record) => amended.push(record));
  calls.open(CALL);
  calls.amend('one', { recordingRemovedAt: 4 });
  calls.end('one', 'caller_hung_up');
  calls.amend('one', { doNotCall: { how: 'said', at: 5 } });
  const over = { state: 'ended', recordingRemovedAt: 4, doNotCall: { how: 'said', at: 5 } };
  expect(calls.get('one')).toMatchObject(over);
  expect(amended).toEqual([calls.get('one')]);
  expect(calls.timelines.of('one').at(-1)).toMatchObject({ type: 'record', record: over });
});
