import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLogger } from '../../../src/base/logger.js';
import type { LeaseEntry } from '../../../src/runner/numbers/lease-entry.js';
import { KnownAddresses, LeaseJournal } from '../../../src/runner/numbers/lease-journal.js';
import { ACCOUNT, LeaseRig, NUMBER, OURS, THEIRS, urlsOf } from './lease-rig.js';

let rig: LeaseRig;
beforeEach(() => {
  rig = new LeaseRig();
});
afterEach(() => rig[Symbol.dispose]());

const SECRET = 'b3VyIHNlY3JldCBvZiB0aGUgdGVzdHM=';

const entryOf = (changes: Partial<LeaseEntry> = {}, number = NUMBER): LeaseEntry => ({
  version: 1,
  leaseId: 'lease123',
  account: ACCOUNT,
  isKept: false,
  pid: 4_242,
  startTime: 'boot/1',
  host: 'a-machine',
  takenAt: 1_767_225_600_000,
  change: { number, leaseId: 'lease123', urls: [OURS], secret: SECRET, before: { kind: 'none' } },
  route: { number, webhookUrl: THEIRS, heldBy: 'settings', isOurs: false },
  ...changes,
});

const pathOf = (name: string | undefined) => join(rig.folder, name ?? 'missing');

describe('an entry', () => {
  test('is one file of its number and account, as it was written', () => {
    expect(rig.journal.read(ACCOUNT, NUMBER)).toBeUndefined();
    expect(rig.journal.create(entryOf())).toBe(true);
    expect(rig.files).toEqual([expect.stringMatching(/^daily-[0-9a-f]{12}-12025550100\.json$/)]);
    expect(rig.journal.read(ACCOUNT, NUMBER)).toEqual(entryOf());
    expect(rig.journal.read({ ...ACCOUNT, id: 'another' }, NUMBER)).toBeUndefined();
    rig.journal.settle(entryOf());
    rig.journal.settle(entryOf());
    expect(rig.files).toEqual([]);
  });

  test('can be read by nobody else', () => {
    rig.journal.create(entryOf());
    rig.journal.addresses.note(OURS);
    const [file] = rig.files;
    const modeOf = (path: string) => statSync(path).mode & 0o777;
    expect(modeOf(pathOf(file))).toBe(0o600);
    rig.journal.replace(entryOf({ leaseId: 'another1' }));
    expect(modeOf(pathOf(file))).toBe(0o600);
    for (const folder of [rig.folder, pathOf('addresses')]) expect(modeOf(folder)).toBe(0o700);
    for (const name of readdirSync(pathOf('addresses'))) expect(modeOf(join(pathOf('addresses'), name))).toBe(0o600);
  });

  test('is never written over by another that begins', () => {
    rig.journal.create(entryOf());
    expect(rig.journal.create(entryOf({ leaseId: 'another1' }))).toBe(false);
    expect(rig.journal.read(ACCOUNT, NUMBER)?.leaseId).toBe('lease123');
    expect(rig.files).toHaveLength(1); // and no draft
  });

  test('leaves nothing of a draft with its secret that a killed process has begun', () => {
    rig.journal.create(entryOf());
    const [file] = rig.files;
    writeFileSync(pathOf(`${file}.999999999.draft`), '{"version":1,"secret"');
    expect(rig.journal.entries()).toHaveLength(1);
    rig.journal.settle(entryOf());
    expect(rig.files).toEqual([]);
  });

  test('that holds again afterwards comes back when the one above it is settled', () => {
    const below = entryOf({ isKept: true, leaseId: 'below123' });
    const above = entryOf({ below });
    rig.journal.create(above);
    expect(rig.journal.read(ACCOUNT, NUMBER)).toEqual(above);
    rig.journal.settle(above);
    expect(rig.journal.read(ACCOUNT, NUMBER)).toEqual(below);
  });
});

test('entries of all accounts come in the order of their numbers', () => {
  const other = { ...ACCOUNT, provider: 'plivo', id: 'MAOTHER' };
  rig.journal.create(entryOf({}, '+12025550102'));
  rig.journal.create(entryOf({ account: other }, '+12025550101'));
  rig.journal.create(entryOf({ account: other }, '+12025550103'));
  const numbers = rig.journal.entries().map(({ change }) => change.number);
  expect(numbers).toEqual(['+12025550101', '+12025550102', '+12025550103']);
});

describe('what is no entry is kept aside, said, and not guessed at', () => {
  const text = JSON.stringify(entryOf());
  const { change, ...withoutChange } = entryOf();
  test.each([
    ['an empty file', ''],
    ['half an entry', text.slice(0, -20)],
    ['a version that never was', JSON.stringify({ ...entryOf(), version: 0 })],
    ['one without the change', JSON.stringify(withoutChange)],
    ['one without an address', JSON.stringify({ ...entryOf(), change: { ...change, urls: [] } })],
    ['one of a process group', JSON.stringify({ ...entryOf(), pid: -1 })],
    ['one of another number', JSON.stringify(entryOf({}, '+12025550199'))],
    ['one of another account', JSON.stringify(entryOf({ account: { ...ACCOUNT, id: 'another' } }))],
    [
      'one that says two numbers',
      JSON.stringify({ ...entryOf(), route: { ...entryOf().route, number: '+12025550199' } }),
    ],
    ['null', 'null'],
  ])('%s', (_what, content) => {
    const lines: string[] = [];
    const logger = createLogger({ pii: true, destination: { write: (line: string) => void lines.push(line) } });
    const journal = new LeaseJournal(rig.state, logger);
    journal.create(entryOf());
    const [file = ''] = rig.files;
    writeFileSync(pathOf(file), content);
    expect(journal.read(ACCOUNT, NUMBER)).toBeUndefined();
    const [aside = ''] = journal.keptAside;
    expect(aside).toMatch(/-12025550100\.json\.corrupt-\d{4}-\d\d-\d\dT[\d-]+Z$/);
    expect(readFileSync(aside, 'utf8')).toBe(content);
    expect(rig.files.map(pathOf)).toEqual([aside]);
    expect(lines).toEqual([expect.stringContaining('kept aside')]);
    expect(lines.join()).not.toContain(SECRET);
    expect(journal.entries()).toEqual([]);
    expect(journal.create(entryOf())).toBe(true);
  });

  test('a folder, and the others are read all the same', () => {
    rig.journal.create(entryOf());
    mkdirSync(pathOf('daily-x-1.json'));
    expect(rig.journal.entries()).toEqual([entryOf()]);
    expect(rig.journal.keptAside).toHaveLength(1);
  });

  test('and the number is taken as it is found, without its dead address being put back', async () => {
    await rig.take();
    const [file = ''] = rig.files;
    writeFileSync(pathOf(file), 'garbage');
    const lease = await rig.take({ urls: urlsOf('new') });
    expect(rig.journal.keptAside).toHaveLength(1);
    expect(await lease.giveBack()).toBe('nothing_to_restore');
    expect(rig.files).toHaveLength(1);
    expect(rig.files[0]).toContain('.corrupt-');
  });
});

test('files that are none of its own stay', () => {
  rig.journal.create(entryOf());
  writeFileSync(pathOf('README'), 'keep me');
  rig.journal.entries();
  rig.journal.settle(entryOf());
  expect(rig.files).toEqual(['README']);
});

describe('known addresses', () => {
  test('are remembered by every journal of the same folder, without their query', () => {
    rig.journal.addresses.note({ answerUrl: 'https://a.example/answer?x=1', hangupUrl: 'https://a.example/hangup' });
    const { addresses } = new LeaseJournal(rig.state);
    for (const path of ['answer', 'answer?y=2', 'hangup'])
      expect(addresses.has(`https://a.example/${path}`)).toBe(true);
    for (const url of ['https://a.example/', 'https://a.example/other', 'https://b.example/answer', 'nonsense']) {
      expect(addresses.has(url)).toBe(false);
    }
  });

  test('are the two hundred used last', () => {
    const addresses = new KnownAddresses(join(rig.state, 'known'));
    const noteOf = (n: number) => {
      const url = `https://a.example/${n}`;
      addresses.note({ answerUrl: url, hangupUrl: url });
    };
    for (let n = 0; n < 210; n += 1) noteOf(n);
    expect(readdirSync(join(rig.state, 'known'))).toHaveLength(200);
    expect(addresses.has('https://a.example/209')).toBe(true);
    expect(addresses.has('https://a.example/0')).toBe(false);
  });
});
