import { execFileSync, spawnSync } from 'node:child_process';
import { decodeWav, type WavAudio } from '../../src/audio/wav.js';

const isInstalled = spawnSync('espeak-ng', ['--version']).status === 0;

/** A test that needs real speech: skipped, with a line that says so, where the program that makes it is missing. */
export const speechTest = () => (isInstalled ? test : test.skip);
if (!isInstalled) process.stderr.write('SKIPPED: espeak-ng is not installed\n');

/** A sentence as this program says it; undefined where it is missing. */
export function speak(text: string): WavAudio | undefined {
  if (!isInstalled) return undefined;
  return decodeWav(execFileSync('espeak-ng', ['-v', 'en-us', '-s', '155', '--stdout', text]));
}
