import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stop } from 'esbuild';
import { childrenOf, until } from '../e2e/processes.js';
import { doctorArgs } from './examination.js';
import { command } from './in-process.js';

const NEVER_LOADS = 'await new Promise((resolve) => setTimeout(resolve, 1e9));\nexport async function bot() {}\n';

test('Ctrl-C while a bot is compiled ends the examination, with nothing left', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'voicebot-doctor-'));
  writeFileSync(join(directory, 'bot.mjs'), NEVER_LOADS);
  await stop(); // the compiler that other tests have left
  const compilers = () => childrenOf(process.pid, /esbuild/);
  const before = compilers(); // that of the test runner
  const visit = command(doctorArgs('--json').split(' '), directory, { VOICEBOT_HOME: directory });
  await until(() => compilers().some((pid) => !before.includes(pid)), 'it has come to that');
  process.emit('SIGINT', 'SIGINT');
  const { exitCode, events } = await visit.finished;
  expect(exitCode).toBe(130);
  expect(events.at(-1)).toMatchObject({ check: 'credentials' }); // nothing is said to have failed
  await until(() => childrenOf(process.pid, /bot-main/).length === 0, 'the bots end');
  expect(readdirSync(directory)).toEqual(['bot.mjs']);
  rmSync(directory, { recursive: true });
}, 60_000);
