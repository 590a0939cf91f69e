import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HangupJournal } from '../../../../src/runner/calls/debts/hangup-journal.js';

const ACCOUNT = { carrier: 'plivo', authId: 'MATEST', apiUrl: 'http://127.0.0.1:1/v1' };
const DAY_MS = 24 * 60 * 60 * 1_000;
const MODULE = fileURLToPath(new URL('../../../../src/runner/calls/debts/hangup-journal.ts', import.meta.url));

let state: string;
let journal: HangupJournal;
beforeEach(() => {
  state = join(mkdtempSync(join(tmpdir(), 'voicebot-journal-')), 'state');
  journal = new HangupJournal(state, ACCOUNT);
});
afterEach(() => {
  jest.restoreAllMocks();
  rmSync(join(state, '..'), { recursive: true });
});

const folder = () => join(state, 'hangups');
const files = () => readdirSync(folder()).sort();
const pathOf = (callId: string) => join(folder(), `${callId}.json`);
const entry = (callId: string) => JSON.parse(readFileSync(pathOf(callId), 'utf8'));
/** Puts an entry there as somebody else might have; without changes, one that is ours to take up. */
function plant(callId: string, changes: object = {}, name = `${callId}.json`): void {
  journal.orphans(); // makes the folder
  const whole = { version: 1, callId, ...ACCOUNT, pid: process.pid, owedAt: Date.now(), ...changes };
  writeFileSync(join(folder(), name), JSON.stringify(whole));
}

describe('an entry', () => {
  test('stands in a file of its own until it is removed', () => {
    journal.add('call-1');
    journal.add('call-2');
    expect(files()).toEqual(['call-1.json', 'call-2.json']);
    expect(entry('call-1')).toEqual({
      version: 1,
      callId: 'call-1',
      ...ACCOUNT,
      pid: process.pid,
      host: hostname(),
      owedAt: expect.any(Number),
    });
    journal.remove('call-1');
    expect(files()).toEqual(['call-2.json']);
  });

  test('can be read by nobody else', () => {
    journal.add('call-1');
    expect(statSync(folder()).mode & 0o777).toBe(0o700);
    expect(statSync(pathOf('call-1')).mode & 0o777).toBe(0o600);
  });

  test('can be removed twice, and when it was never there', () => {
    journal.add('call-1');
    journal.remove('call-1');
    journal.remove('call-1');
    journal.remove('call-2');
    expect(journal.orphans()).toEqual([]);
  });

  test('added again is one entry', () => {
    journal.add('call-1');
    journal.add('call-1');
    expect(files()).toEqual(['call-1.json']);
    expect(journal.orphans()).toEqual(['call-1']);
  });

  test('taken over keeps its age and gets a new owner', () => {
    plant('call-1', { pid: 1, owedAt: 12_345 });
    journal.add('call-1');
    expect(entry('call-1')).toMatchObject({ pid: process.pid, owedAt: 12_345 });
  });

  test('is written even when the folder was cleaned away meanwhile', () => {
    journal.add('call-1');
    rmSync(state, { recursive: true });
    journal.add('call-2');
    expect(journal.orphans()).toEqual(['call-2']);
  });
});

test('a journal that was never written to owes nothing', () => {
  expect(journal.orphans()).toEqual([]);
});

test('an entry that was being written when its runner died is not taken for a whole one', () => {
  journal.add('call-1');
  writeFileSync(join(folder(), 'call-2.json.draft'), '{"version":1,"callId":"call-2","carr');
  writeFileSync(join(folder(), 'call-3.json'), '{"version":1,"callId":"call-3","carr');
  expect(journal.orphans()).toEqual(['call-1']);
  expect(existsSync(pathOf('call-3'))).toBe(false);
});

test.each([
  ['account', { authId: 'MAOTHER' }],
  ['carrier', { carrier: 'twilio' }],
  ['voice API', { apiUrl: 'https://api.example.com/v1' }],
])('an entry of another %s is left alone', (_, changes) => {
  plant('call-1', changes);
  const before = entry('call-1');
  expect(journal.orphans()).toEqual([]);
  expect(entry('call-1')).toEqual(before);
  expect(new HangupJournal(state, { ...ACCOUNT, ...changes }).orphans()).toEqual(['call-1']);
});

test('an entry older than any call is removed, whoever wrote it', () => {
  plant('young', { owedAt: Date.now() - DAY_MS + 60_000 });
  plant('old', { owedAt: Date.now() - DAY_MS - 1 });
  plant('old-of-another', { owedAt: Date.now() - DAY_MS - 1, authId: 'MAOTHER' });
  expect(journal.orphans()).toEqual(['young']);
  expect(files()).toEqual(['young.json']);
});

test('an entry of a process that another user runs counts as one of a live runner', () => {
  plant('call-1', { pid: 4_242 });
  jest.spyOn(process, 'kill').mockImplementation(() => {
    throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' });
  });
  expect(journal.orphans()).toEqual([]);
  expect(process.kill).toHaveBeenCalledWith(4_242, 0);
  expect(files()).toEqual(['call-1.json']);
});

test('an entry is left to its runner while that lives, and is an orphan when that has died', async () => {
  const script = `
    const { HangupJournal } = await import(${JSON.stringify(MODULE)});
    new HangupJournal(${JSON.stringify(state)}, ${JSON.stringify(ACCOUNT)}).add('call-1');
    process.stdout.write('added');
    process.stdin.resume();`;
  const runner = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script]);
  const exit = once(runner, 'exit');
  await once(runner.stdout, 'data');
  expect(entry('call-1').pid).toBe(runner.pid);
  expect(journal.orphans()).toEqual([]);
  expect(files()).toEqual(['call-1.json']);
  runner.kill('SIGKILL');
  await exit;
  expect(journal.orphans()).toEqual(['call-1']);
  expect(files()).toEqual(['call-1.json']); // until the call has been ended
});

test('an entry of an earlier process that had our number is an orphan', () => {
  journal.add('call-1');
  expect(new HangupJournal(state, ACCOUNT).orphans()).toEqual(['call-1']);
});

describe('garbage is removed and does not hide what is owed', () => {
  test.each([
    ['an empty file', ''],
    ['no JSON', '\0\0\0\0'],
    ['null', 'null'],
    ['a list', '[]'],
    ['a text', '"call-1"'],
    ['another version', JSON.stringify({ version: 2, callId: 'garbage', ...ACCOUNT, pid: 1, owedAt: Date.now() })],
  ])('%s', (_, text) => {
    journal.add('call-1');
    writeFileSync(pathOf('garbage'), text);
    expect(journal.orphans()).toEqual(['call-1']);
    expect(files()).toEqual(['call-1.json']);
  });

  test.each([
    ['without a call', 'garbage', { callId: undefined }],
    ['whose call is a list', 'garbage', { callId: ['garbage'] }],
    ['whose call is another', 'garbage', { callId: 'call-2' }],
    ['whose call has a path', 'garbage', { callId: 'sub/../garbage' }],
    ['whose call is elsewhere', 'garbage', { callId: '../hangups/garbage' }],
    ['whose call is empty, which would mean all', '', {}],
    ['without an owner', 'garbage', { pid: undefined }],
    ['whose owner is a text', 'garbage', { pid: '1' }],
    ['whose owner would be every process', 'garbage', { pid: -1 }],
    ['whose owner would be our own group', 'garbage', { pid: 0 }],
    ['without an age', 'garbage', { owedAt: undefined }],
  ])('an entry %s', (_, callId, changes) => {
    journal.add('call-1');
    plant(callId, changes);
    expect(journal.orphans()).toEqual(['call-1']);
    expect(files()).toEqual(['call-1.json']);
  });

  test('a folder', () => {
    journal.add('call-1');
    mkdirSync(join(folder(), 'garbage.json/inside'), { recursive: true });
    expect(journal.orphans()).toEqual(['call-1']);
    expect(files()).toEqual(['call-1.json']);
  });

  test('but files that are none of its own stay', () => {
    journal.add('call-1');
    writeFileSync(join(folder(), 'README'), 'keep me');
    journal.orphans();
    expect(files()).toEqual(['README', 'call-1.json']);
  });
});

test('a state folder that cannot be made is said when something is to be written or read, and not before', () => {
  const inTheWay = join(state, '..', 'file');
  writeFileSync(inTheWay, '');
  const impossible = new HangupJournal(join(inTheWay, 'state'), ACCOUNT);
  expect(() => impossible.add('call-1')).toThrow(/ENOTDIR|EEXIST/);
  expect(() => impossible.orphans()).toThrow(/ENOTDIR|EEXIST/);
});
