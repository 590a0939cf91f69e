import { mkdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { CallRecord } from '../../../../src/call/call-record.js';
import { KeptFolder } from '../../../../src/runner/calls/life/kept-folder.js';
import { TemporaryFolder } from '../../../call/folder/recorded-line.js';
import { until } from '../../../e2e/processes.js';

const CALL: CallRecord = {
  id: 'call-1',
  direction: 'inbound',
  from: '+12025550199',
  to: '+12025550100',
  state: 'connected',
  attempt: 1,
  startedAt: 1,
};
const ENDED: CallRecord = { ...CALL, state: 'ended', endedAt: 2, endReason: 'caller_hung_up' };

let home: TemporaryFolder;
let failures: Error[];

beforeEach(() => {
  home = new TemporaryFolder();
  failures = [];
});

afterEach(() => home[Symbol.dispose]());

const path = () => join(home.path, 'call');
const callJson = () => join(path(), 'call.json');
const open = (count: number) => new KeptFolder(path(), (error) => failures.push(error), { count, everyMs: 10 });

function stateKept(): string | undefined {
  try {
    return JSON.parse(readFileSync(callJson(), 'utf8')).state;
  } catch {
    return undefined;
  }
}

/** A folder of a call that goes on, whose record cannot be replaced any more. */
async function withoutRoom(count = 0): Promise<KeptFolder> {
  const folder = open(count);
  folder.keep(CALL);
  await until(() => stateKept() === 'connected', 'the record is written');
  rmSync(callJson());
  mkdirSync(callJson());
  folder.keep({ ...CALL, attempt: 2 });
  await until(() => failures.length > 0, 'the disk takes it no more');
  return folder;
}

const roomIsMade = () => rmdirSync(callJson());

test('how a call has ended is written, though a record before could not be', async () => {
  const folder = await withoutRoom();
  roomIsMade();
  folder.keep(ENDED);
  await folder.finish([]);
  expect(stateKept()).toBe('ended');
  expect(failures).toHaveLength(1);
});

test('how a call has ended is tried again for a while: space may be made on a disk that was full', async () => {
  const folder = await withoutRoom(1_000);
  folder.keep(ENDED);
  await folder.finish([]);
  expect(stateKept()).toBeUndefined();
  roomIsMade();
  await until(() => stateKept() === 'ended', 'the end is written');
  expect(failures).toHaveLength(1);
});

test('a disk that takes none of it is told of once', async () => {
  const folder = await withoutRoom(3);
  folder.note({ at: 1, source: 'runner', type: 'output', line: 'noted' });
  folder.keep(ENDED);
  await folder.finish([]);
  expect(failures).toHaveLength(1);
  expect(readFileSync(join(path(), 'events.ndjson'), 'utf8')).toContain('noted');
});
