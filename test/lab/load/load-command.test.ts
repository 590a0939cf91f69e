import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { command } from '../../cli/in-process.js';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'voicebot-load-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

const load = (...args: string[]) => command(['load', ...args], directory).finished;

test('everything wrong with what was typed is told at once, before anything starts', async () => {
  const { exitCode, stderr } = await load(
    ...[
      '--calls',
      '1001',
      '--ramp',
      'soon',
      '--seconds',
      '0',
      '--limit-gap',
      '61s',
      '--limit-failed',
      '101',
      '--pid',
      '5',
      '--warm',
      '101',
    ],
  );
  expect(exitCode).toBe(2);
  for (const problem of [
    '--calls 1001: must be a whole number from 1 to 1000',
    '--ramp soon: must be a time such as 2s or 500ms, at most 600 s',
    '--seconds 0: must be a number from 1 to 3600',
    '--limit-gap 61s: must be a time',
    '--warm 101: must be a whole number from 1 to 100',
    '--limit-failed 101: must be a number from 0 to 100',
    '--pid names the process of the server of --answer-url',
  ])
    expect(stderr).toContain(problem);
});

test('calls go to this machine only, and to a bot or to a server, not both', async () => {
  const { exitCode, stderr } = await load('bot.ts', '--answer-url', 'https://bot.example.com/answer');
  expect(exitCode).toBe(2);
  expect(stderr).toContain('must be an http address on this machine');
  const both = await load('bot.ts', '--answer-url', 'http://127.0.0.1:7860/answer', '--real', '--warm', '2');
  expect(both.stderr).toContain('there is no bot to load as well');
  expect(both.stderr).toContain('--warm is for a bot that is served here');
  expect(both.stderr).toContain('--real is for a bot that is served here');
});

test('a scenario that many callers cannot act with a telephone alone is refused, with every reason', async () => {
  const file = join(directory, 'faulty.yaml');
  const text = `- name: One
  dialout: { to: '+12025550101' }
  network: { loss: 10% }
  faults: [{ killBot: true, after: 2s }]
- name: Two
`;
  writeFileSync(file, text);
  const { exitCode, stderr } = await load('--scenario', file, '--find', '--say', 'Hello');
  expect(exitCode).toBe(2);
  for (const problem of [
    '--find needs callers who stay',
    '--say is for callers without a scenario',
    'its bot calls out',
    'has faults',
    'has a bad network',
    'has 2 scenarios',
  ])
    expect(stderr).toContain(problem);
});
