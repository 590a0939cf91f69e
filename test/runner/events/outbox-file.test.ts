import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CallRecord } from '../../../src/call/call-record.js';
import type { ApplicationEvent, ApplicationEventType } from '../../../src/runner/events/application-event.js';
import { OutboxFile } from '../../../src/runner/events/outbox-file.js';

const RECORD = { id: 'call-1', direction: 'inbound', state: 'ringing', attempt: 1, startedAt: 1 } as CallRecord;
const eventOf = (type: ApplicationEventType, text = 'ü') =>
  ({ type, timestamp: '2026-01-31T09:05:07.250Z', data: { callId: 'call-1', text } }) as unknown as ApplicationEvent;

let directory: string;
let path: string;
let failures: unknown[];
let bytes: number;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'voicebot-events-'));
  path = join(directory, 'call.ndjson');
  failures = [];
  bytes = 0;
});
afterEach(() => rmSync(directory, { recursive: true }));

const listener = {
  grew: (more: number) => {
    bytes += more;
  },
  failed: (error: unknown) => void failures.push(error),
};
const opened = () => new OutboxFile(path, listener);
const readAgain = () => OutboxFile.read(path, listener);

/** Delivers everything that may be now. */
function drained(file: OutboxFile, most = Number.POSITIVE_INFINITY): string[] {
  const types: string[] = [];
  for (let kept = file.next(); kept && types.length < most; kept = file.next()) {
    types.push(kept.event.type);
    file.settle(kept.id);
  }
  return types;
}

test('events come out in order, as they went in, and the file is gone after the last', () => {
  const file = opened();
  file.keepRecord(RECORD);
  const events = (['call.started', 'turn.ended', 'call.ended'] as const).map((type) => eventOf(type, `"\n${type} ü😀`));
  for (const event of events) file.add(event);
  expect(file.count).toBe(3);
  const out = events.map(() => {
    const kept = file.next() as NonNullable<ReturnType<OutboxFile['next']>>;
    expect(kept.id).toMatch(/^evt_[\w-]{20}$/);
    expect(file.next()).toEqual(kept); // until it is settled
    file.settle(kept.id);
    file.settle(kept.id); // twice means once
    return kept.event;
  });
  expect(out).toEqual(events);
  expect(file.isDone).toBe(true);
  expect(existsSync(path)).toBe(false);
});

test('another process reads what is left, with the same ids, the record and what was told', () => {
  const file = opened();
  file.keepRecord(RECORD);
  for (const type of ['call.started', 'call.answered', 'turn.ended'] as const) file.add(eventOf(type));
  expect(drained(file, 1)).toEqual(['call.started']);
  file.keepRecord({ ...RECORD, state: 'connected' });
  const again = readAgain();
  expect(again.next()).toEqual(file.next());
  expect(again.record).toEqual({ ...RECORD, state: 'connected' });
  expect([...again.types]).toEqual(['call.started', 'call.answered', 'turn.ended']);
  expect([again.count, again.hasEnded, again.bytes]).toEqual([2, false, file.bytes]);
  expect(bytes).toBe(2 * file.bytes);
  again.add(eventOf('call.ended'));
  expect(drained(again)).toEqual(['call.answered', 'turn.ended', 'call.ended']);
});

test('what comes after the end of the call is delivered before it, or not at all', () => {
  const file = opened();
  for (const type of ['call.started', 'call.ended'] as const) file.add(eventOf(type));
  file.isHeld = true;
  expect(drained(file)).toEqual(['call.started']);
  file.add(eventOf('turn.ended'));
  expect(drained(readAgain())).toEqual(['turn.ended', 'call.ended']);
});

test('the end of a call is held for as long as it is asked for', () => {
  const file = opened();
  file.add(eventOf('call.started'));
  file.add(eventOf('call.ended'));
  file.isHeld = true;
  drained(file);
  file.add(eventOf('turn.ended'));
  expect(drained(file)).toEqual(['turn.ended']);
  file.isHeld = false;
  expect(drained(file)).toEqual(['call.ended']);
  file.add(eventOf('turn.ended'));
  expect(file.count).toBe(0);
});

test('a line that was cut off is passed over, also when others follow it', () => {
  const file = opened();
  file.keepRecord(RECORD);
  file.add(eventOf('call.started'));
  appendFileSync(path, '\n{"id":"evt_cut","event":{"type":"call.ans');
  file.add(eventOf('turn.ended'));
  expect(drained(readAgain())).toEqual(['call.started', 'turn.ended']);
  truncateSync(path, readFileSync(path).length - 20);
  expect(drained(readAgain())).toEqual(['turn.ended']); // it is not known any more that it was accepted
});

test('where nothing can be written, events are kept in memory', () => {
  rmSync(directory, { recursive: true });
  const file = opened();
  file.keepRecord(RECORD);
  for (const type of ['call.started', 'call.ended'] as const) file.add(eventOf(type));
  expect(drained(file)).toEqual(['call.started', 'call.ended']);
  expect(failures[0]).toMatchObject({ code: 'ENOENT' });
  directory = mkdtempSync(join(tmpdir(), 'voicebot-events-'));
});

test('a file that somebody has removed has nothing to deliver', () => {
  const file = opened();
  for (const type of ['call.started', 'call.ended'] as const) file.add(eventOf(type));
  rmSync(path);
  expect(file.next()).toBeUndefined();
  expect(file.isDone).toBe(true);
});

test('what was said goes from what waits and from what was accepted, on the disk too, and all else stays', () => {
  const turn = (n: number) => ({
    ...eventOf('turn.ended', `turn ${n}`),
    data: { callId: 'call-1', turn: n, caller: `My name is Ada ${'ü'.repeat(n)}.`, bot: 'Hello, Ada!' },
  });
  const file = opened();
  file.keepRecord(RECORD);
  for (const event of [eventOf('call.started', 'Ada'), turn(1), turn(2), eventOf('call.ended')])
    file.add(event as unknown as ApplicationEvent);
  expect(drained(file, 2)).toEqual(['call.started', 'turn.ended']);
  const { size } = statSync(path);
  const next = file.next();
  file.forgetTalk();
  expect(readFileSync(path, 'utf8')).not.toMatch(/My name|Hello/);
  expect([statSync(path).size, file.bytes]).toEqual([size, size]);
  const turnWithout = { ...next, event: { ...next?.event, data: { callId: 'call-1', turn: 2 } } };
  expect(file.next()).toEqual(turnWithout);
  const again = readAgain();
  expect([again.next(), again.count, again.record]).toEqual([turnWithout, 2, RECORD]);
  expect(drained(again)).toEqual(['turn.ended', 'call.ended']);
  again.forgetTalk(); // there is no file any more
  expect(failures).toEqual([]);
});

test('the same of what could not be written', () => {
  rmSync(directory, { recursive: true });
  const file = opened();
  const data = { callId: 'call-1', turn: 1, caller: 'My name is Ada.' };
  file.add({ ...eventOf('turn.ended'), data } as unknown as ApplicationEvent);
  file.forgetTalk();
  expect(file.next()?.event.data).toEqual({ callId: 'call-1', turn: 1 });
  directory = mkdtempSync(join(tmpdir(), 'voicebot-events-'));
});
