import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { checkStateDirectory } from '../../src/assembly/writable-state.js';
import { main } from '../../src/cli/main.js';
import type { CliContext } from '../../src/terminal/context.js';
import { diskFull } from '../../src/terminal/disk-full.js';
import { command } from '../cli/in-process.js';
import { readAll } from './read-all.js';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'voicebot-full-'));
});
afterEach(() => rmSync(home, { recursive: true }));

/** The system's own full disk takes the place of the first file that is written. */
const fill = () => symlinkSync('/dev/full', join(home, `.probe.${process.pid}.draft`));

/** Of a command with streams of its own. */
const contextOf = (parts: Pick<CliContext, 'stdout' | 'stderr'> & Partial<CliContext>): CliContext => ({
  readStdin: async () => '',
  environment: {},
  directory: home,
  nodeVersion: process.versions.node,
  ...parts,
});

test('a run whose state cannot be written for want of space: exit 3 with a code of its own, and nothing is started', async () => {
  fill();
  const { exitCode, stderr } = await command(['run', '--sandbox', '--port', '0'], home, { VOICEBOT_HOME: home })
    .finished;
  expect(exitCode).toBe(3);
  expect(stderr).toContain(`The disk is full: nothing more can be written to ${home} (ENOSPC)`);
  expect(stderr).toContain('VB_DISK_FULL');
  expect(stderr).not.toContain('sandbox …');
});

test('a disk with space is left as it was', () => {
  checkStateDirectory(home);
  expect(readdirSync(home).toSorted()).toEqual(['leases', 'runners']);
});

test('a disk that fills up later has the same code', async () => {
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', syscall: 'write' });
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const readStdin = () => Promise.reject(full);
  const context = contextOf({ stdout, stderr, readStdin, environment: { VOICEBOT_HOME: home } });
  expect(await main(['dialout', '+15551234567', '--body', '@-'], context)).toBe(3);
  expect(readAll(stderr)).toContain('VB_DISK_FULL');
});

test.each([
  ['a file that is not there', { code: 'ENOENT', syscall: 'open' }],
  ['too many watched files, which the system tells in the same words', { code: 'ENOSPC', syscall: 'watch' }],
  ['no error of the system', undefined],
])('is not %s', (_what, error) => {
  expect(diskFull(error)).toBeUndefined();
});

test('a result that the disk has no space for: exit 3, and no success', async () => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  stdout._write = (_chunk, _encoding, done) => done(Object.assign(new Error('write ENOSPC'), { code: 'ENOSPC' }));
  const context = contextOf({ stdout, stderr });
  expect(await main(['completion', 'bash'], context)).toBe(3);
  expect(readAll(stderr)).toContain('The disk is full: nothing more can be written to standard output');
});

test('a reader of the result who has left is no failure', async () => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  stdout._write = (_chunk, _encoding, done) => done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
  const context = contextOf({ stdout, stderr });
  expect(await main(['--help'], context)).toBe(0);
});
