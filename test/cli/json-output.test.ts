import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { command, type RunningCommand } from './in-process.js';

let home: string;
let empty: string;
/** A runner on the sandbox, which all tests call. */
let run: RunningCommand;
let server: string;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'voicebot-json-'));
  empty = mkdtempSync(join(tmpdir(), 'voicebot-json-empty-'));
  mkdirSync(join(home, 'project'));
  run = start('run --sandbox --dialin --port 0', home);
  await run.shown('"event":"ready"');
  server = String((await told('calls', home)).finished.exitCode);
}, 60_000);

afterAll(() => {
  for (const directory of [home, empty]) rmSync(directory, { recursive: true, force: true });
});
