import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { encodeMulaw } from '../../../src/base/audio/mulaw.js';
import { findPlayer, Loudspeaker } from '../../../src/cli/call/loudspeaker.js';
import { sine } from '../../base/audio/signals.js';
import { TemporaryFolder } from '../../call/folder/recorded-line.js';
import { until } from '../../e2e/processes.js';

let folder: TemporaryFolder;
let warnings: string[];

beforeEach(() => {
  folder = new TemporaryFolder();
  warnings = [];
});

afterEach(() => folder[Symbol.dispose]());

/** A program of this name, first in the path. */
function install(program: string, script: string): void {
  const path = join(folder.path, program);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
}

const open = () => Loudspeaker.open({ PATH: folder.path }, (sentence) => warnings.push(sentence));
const TONE = encodeMulaw(sine(400, 8_000, 160, 6_000));
const SILENCE = encodeMulaw(new Int16Array(160));

test('both sides go to the program that is installed, as raw samples', async () => {
  const played = join(folder.path, 'played');
  install('aplay', `echo "$@" > ${folder.path}/options; /bin/cat > ${played}.part; /bin/mv ${played}.part ${played}`);
  const loudspeaker = open();
  loudspeaker?.play(TONE, SILENCE);
  loudspeaker?.play(TONE, TONE);
  loudspeaker?.close();
  await until(() => existsSync(played), 'it is played');
  const bytes = readFileSync(played);
  const samples = new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2);
  expect(samples).toHaveLength(320);
  expect(samples[165]).toBe(2 * (samples[5] as number));
  expect(readFileSync(join(folder.path, 'options'), 'utf8')).toContain('-f S16_LE -r 8000 -c 1');
  expect(warnings).toEqual([]);
});

test('the best of several programs is taken', async () => {
  for (const program of ['play', 'paplay']) install(program, `: > ${folder.path}/${program}.ran; /bin/cat > /dev/null`);
  const loudspeaker = open();
  await until(() => existsSync(join(folder.path, 'paplay.ran')), 'it runs');
  loudspeaker?.close();
  expect(existsSync(join(folder.path, 'play.ran'))).toBe(false);
});

test.each([
  [
    'its last words',
    'echo "ALSA lib: no card" >&2; echo "aplay: audio open error" >&2; exit 1',
    'aplay: audio open error',
  ],
  ['its exit code', 'exit 3', 'exit code 3'],
])('one that fails, as without a sound card, is told once with %s, and the call goes on', async (_, script, reason) => {
  install('aplay', script);
  const loudspeaker = open();
  await until(() => warnings.length > 0, 'it is told');
  loudspeaker?.play(TONE, SILENCE);
  loudspeaker?.close();
  expect(warnings).toEqual([`The program aplay has stopped (${reason}): the call goes on without sound.`]);
});

test('where none is installed there is none', () => {
  expect(open()).toBeUndefined();
  expect(Loudspeaker.open({ PATH: `/nowhere${delimiter}` }, () => {})).toBeUndefined();
  expect(Loudspeaker.open({}, () => {})).toBeUndefined();
});

test.each<[platform: NodeJS.Platform, path: string, program: string]>([
  ['linux', '/usr/local/bin:/usr/bin', '/usr/bin/ffplay'],
  ['darwin', '/usr/bin:/opt/homebrew/bin', '/opt/homebrew/bin/ffplay'],
  ['win32', 'C:\\Windows;C:\\Program Files\\ffmpeg', 'C:\\Program Files\\ffmpeg\\ffplay.exe'],
])('on %s a player is found on the PATH %s', (platform, path, program) => {
  expect(findPlayer(path, 'ffplay', platform, (file) => file === program)).toBe(program);
  expect(findPlayer(path, 'aplay', platform, (file) => file === program)).toBeUndefined();
});
