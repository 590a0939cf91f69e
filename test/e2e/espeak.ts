import { spawnSync } from 'node:child_process';

const isInstalled = spawnSync('espeak-ng', ['--version']).status === 0;

/** A test that needs real speech: skipped, with a line that says so, where the program that makes it is missing. */
export const speechTest = () => (isInstalled ? test : test.skip);
if (!isInstalled) process.stderr.write('SKIPPED: espeak-ng is not installed\n');
