import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '../../../src/base/logger.js';
import { identityOf } from '../../../src/base/process/process-identity.js';
import type { CallRecord } from '../../../src/call/call-record.js';
import type { ApplicationEvent } from '../../../src/runner/events/application-event.js';
import { ADOPTED_AT_ONCE, EventJournal } from '../../../src/runner/events/event-journal.js';
import type { OutboxFile } from '../../../src/runner/events/outbox-file.js';

const URL_A = 'https://app.example.com/hooks?key=secret-a';
const URL_B = 'https://other.example.com/hooks';

let stateDirectory: string;
let lines: string[];
beforeEach(() => {
  stateDirectory = mkdtempSync(join(tmpdir(), 'voicebot-journal-'));
  lines = [];
});
afterEach(() => rmSync(stateDirectory, { recursive: true, force: true }));

const journalOf = (url = URL_A, maxBytes?: number) =>
  new EventJournal({
    stateDirectory,
    url,
    maxBytes,
    logger: { ...silentLogger, warn: (message) => void lines.push(message) },
  });

function callIn(journal: EventJournal, id: string, ...types: string[]): OutboxFile {
  const file = journal.open();
  file.keepRecord({ id } as CallRecord);
  for (const type of types) file.add({ type, timestamp: '', data: { callId: id } } as unknown as ApplicationEvent);
  return file;
}

const events = () => join(stateDirectory, 'events');
/** The folders of runners, whoever their events are for. */
const folders = () =>
  existsSync(events())
    ? readdirSync(events()).flatMap((one) => readdirSync(join(events(), one)).map((name) => join(events(), one, name)))
    : [];
const idsOf = (files: readonly OutboxFile[]) => files.map(({ record }) => record?.id);

/** A folder changes hands: its runner is another one, as if it had been written there. */
function giveTo(folder: string, owner: object, shownMsAgo = 0): void {
  const path = join(folder, 'owner.json');
  writeFileSync(path, JSON.stringify({ version: 1, ...owner }));
  const at = new Date(Date.now() - shownMsAgo);
  utimesSync(path, at, at);
}

/** A process that has just ended. */
async function gonePid(): Promise<number> {
  const child = spawn(process.execPath, ['-e', '0']);
  await once(child, 'exit');
  return child.pid as number;
}

test('nothing is written before there is a call; then only this user can read it, and no address is in it', () => {
  const journal = journalOf();
  expect(journal.adopt()).toEqual([]);
  expect(existsSync(events())).toBe(false);
  const { path } = callIn(journal, 'call-1', 'call.started');
  const [folder = ''] = folders();
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(path + readFileSync(path, 'utf8') + readFileSync(join(folder, 'owner.json'), 'utf8')).not.toMatch(
    /example|secret/,
  );
});

test('what a runner has released goes to the next of the same receiver, newest call first, and to no other', () => {
  const first = journalOf();
  for (const id of ['call-1', 'call-2', 'call-3']) callIn(first, id, 'call.started');
  const second = journalOf();
  expect(second.adopt()).toEqual([]); // the first is alive
  first.release();
  expect(journalOf(URL_B).adopt()).toEqual([]);
  const adopted = second.adopt();
  expect(idsOf(adopted).toSorted()).toEqual(['call-1', 'call-2', 'call-3']);
  const names = adopted.map(({ path }) => path);
  expect(names).toEqual(names.toSorted().toReversed());
  expect(adopted[0]?.next()?.event.type).toBe('call.started');
  expect(second.count).toBe(3);
  expect(folders()).toHaveLength(1);
  expect(journalOf().adopt()).toEqual([]); // they are the second's now
});

test('a runner that has nothing left leaves nothing', () => {
  const journal = journalOf();
  const file = callIn(journal, 'call-1', 'call.ended');
  file.settle(file.next()?.id ?? '');
  journal.forget(file);
  journal.release();
  expect(folders()).toEqual([]);
  expect(journal.count).toBe(0);
});

test('what a runner that was killed has left goes to exactly one of those that look for it', async () => {
  const dead = journalOf();
  for (let n = 0; n < 20; n += 1) callIn(dead, `call-${n}`, 'call.started');
  giveTo(folders()[0] ?? '', { ...identityOf(await gonePid()) });
  const heirs = Array.from({ length: 4 }, () => journalOf());
  const adopted = heirs.flatMap((heir) => heir.adopt());
  expect(new Set(idsOf(adopted)).size).toBe(20);
  expect(adopted).toHaveLength(20);
});

test.each([
  [
    'of another start of the process with the same number',
    { ...identityOf(process.pid), startTime: 'before' },
    0,
    true,
  ],
  ['on another machine that has shown itself', { pid: 1, host: 'elsewhere' }, 60_000, false],
  ['on another machine that has not shown itself for long', { pid: 1, host: 'elsewhere' }, 200_000, true],
])('what a runner %s has left: taken is %#', (_, owner, shownMsAgo, isTaken) => {
  callIn(journalOf(), 'call-1', 'call.started');
  giveTo(folders()[0] ?? '', owner, shownMsAgo);
  expect(journalOf().adopt()).toHaveLength(isTaken ? 1 : 0);
});

test('of very much that is left a part is taken at a time, and the folder stays until nothing is in it', () => {
  const first = journalOf();
  const count = ADOPTED_AT_ONCE + 7;
  for (let n = 0; n < count; n += 1) callIn(first, `call-${n}`, 'call.started');
  first.release();
  const second = journalOf();
  expect(second.adopt()).toHaveLength(ADOPTED_AT_ONCE);
  expect(folders()).toHaveLength(2);
  expect(second.adopt()).toHaveLength(7);
  expect(folders()).toHaveLength(1);
  expect(second.adopt()).toEqual([]);
});

test('a runner shows itself by the time of its file', () => {
  const journal = journalOf();
  callIn(journal, 'call-1', 'call.started');
  const path = join(folders()[0] ?? '', 'owner.json');
  utimesSync(path, 1, 1);
  journal.show();
  expect(Date.now() - statSync(path).mtimeMs).toBeLessThan(60_000);
});

test('a folder without an owner, and what is no file of events, are left alone', () => {
  const journal = journalOf();
  callIn(journal, 'call-1', 'call.started');
  const [folder = ''] = folders();
  rmSync(join(folder, 'owner.json'));
  expect(journalOf().adopt()).toEqual([]); // it may be just being made
  const past = new Date(Date.now() - 200_000);
  utimesSync(folder, past, past);
  writeFileSync(join(events(), 'stray'), 'x');
  writeFileSync(join(folder, '../stray'), 'x');
  expect(journalOf().adopt()).toHaveLength(1);
  expect(readdirSync(events())).toContain('stray');
  expect(readdirSync(join(folder, '..'))).toContain('stray');
});

test('what is left for a receiver that nobody uses any more is removed after days', async () => {
  callIn(journalOf(URL_B), 'call-1', 'call.started');
  const [folder = ''] = folders();
  giveTo(folder, identityOf(await gonePid()));
  journalOf().adopt();
  expect(folders()).toEqual([folder]);
  const past = new Date(Date.now() - 4 * 24 * 3_600_000);
  utimesSync(folder, past, past);
  journalOf().adopt();
  expect(readdirSync(events())).toEqual([]);
});

test('the oldest calls that are over lose their events when too much waits, which is told once', () => {
  const journal = journalOf(URL_A, 10 * 4_600);
  const live = callIn(journal, 'live', 'call.started');
  const files = Array.from({ length: 30 }, (_, n) => callIn(journal, `call-${n}`, 'call.started', 'call.ended'));
  const kept = files.filter(({ count }) => count > 0);
  expect(kept.length).toBeGreaterThan(5);
  expect(kept.length).toBeLessThan(12);
  expect(kept).toEqual(files.slice(-kept.length));
  expect(live.count).toBe(1);
  expect(readdirSync(folders()[0] ?? '')).toHaveLength(kept.length + 2);
  expect(lines).toEqual(['too many events wait: those of the oldest calls are dropped']);
});

test('where nothing can be written, events are delivered all the same, which is told once', () => {
  writeFileSync(events(), 'a file in place of the folder');
  const journal = journalOf();
  for (const id of ['call-1', 'call-2']) expect(callIn(journal, id, 'call.started').next()).toMatchObject({});
  expect(journal.count).toBe(2);
  journal.show();
  expect(journal.adopt()).toEqual([]);
  journal.release();
  expect(lines).toEqual(['events cannot be written down: those not delivered are lost when this runner ends']);
});
