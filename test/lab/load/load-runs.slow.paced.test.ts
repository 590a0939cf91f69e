import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../../cli/voicebot.js';
import { type CliEvent, Voicebot } from '../../e2e/voicebot.js';
import { testsAtOnce } from '../../tests-at-once.js';

const ANSWER = join(PACKAGE_ROOT, 'templates/answer/bot.ts');
const ECHO = join(PACKAGE_ROOT, 'templates/echo/bot.ts');

const folder = () => mkdtempSync(join(tmpdir(), 'voicebot-load-runs-'));

async function load(args: readonly string[], home = folder()) {
  await using voicebot = new Voicebot(['load', ...args], { home, cwd: home });
  const exitCode = await voicebot.exit;
  const events = voicebot.events.all;
  const end: CliEvent = events.find(({ event }) => event === 'load_ended') ?? { event: 'none' };
  return { exitCode, events, end };
}

async function callsAreMeasured() {
  const { exitCode, events, end } = await load([
    ...[ANSWER, '--calls', '5', '--ramp', '2s', '--seconds', '15', '--calls-per-process', '9'],
  ]);
  expect(exitCode).toBe(0);
  expect(events.map(({ event }) => event)).toContain('load_progress');
  expect(end.figures.outcomes).toMatchObject({ done: 5, failed: 0, turned_away: 0, ended_early: 0 });
  expect(end.figures.setUpMs.count).toBe(5);
  expect(end.figures.firstWordMs.count).toBe(5);
  expect(end.figures.answersMs.count).toBeGreaterThan(0);
  expect(end.limits).toHaveLength(4);
  if (process.platform === 'linux') expect(end.used.memoryBytes).toBeGreaterThan(2 ** 20);
}

async function callersDoAsTheirScenarioSays() {
  const home = folder();
  const scenario = `name: asks
caller:
  - say: When are you open on Sunday?
  - hear: closed on Sunday
    within: 30s
model:
  - { when: open on Sunday, call: { opening_hours: { day: Sunday } } }
  - { after: opening_hours, say: "We are {{result}}." }
tools:
  opening_hours: { returns: closed on Sunday }
`;
  writeFileSync(join(home, 'asks.yaml'), scenario);
  const { exitCode, end } = await load(
    [ANSWER, '--scenario', 'asks.yaml', '--calls', '2', '--ramp', '1s', '--calls-per-process', '9'],
    home,
  );
  expect(exitCode).toBe(0);
  expect(end.figures).toMatchObject({ outcomes: { done: 2 }, reasons: [] });
}

async function brokenLimitIsFailure() {
  const { exitCode, end } = await load([
    ...[ECHO, '--calls', '2', '--ramp', '1s', '--seconds', '2', '--limit-first-word', '1ms'],
  ]);
  expect(exitCode).toBe(1);
  expect(end.limits.find(({ name }: { name: string }) => name === 'firstWordMs').isMet).toBe(false);
}

async function largestNumberIsFound() {
  const { exitCode, events, end } = await load([
    ...[ECHO, '--find', '--calls', '2', '--seconds', '2', '--calls-per-process', '9'],
    ...['--limit-first-word', '60s', '--limit-gap', '10s', '--limit-missing', '90'],
  ]);
  expect(events.filter(({ event }) => event === 'load_step').map(({ calls, met }) => [calls, met])).toEqual([
    [2, true],
  ]);
  expect(exitCode).toBe(0);
  expect(end).toMatchObject({ found: 2, all: true, stopped: false });
}

async function stoppedLoadHasFigures() {
  const home = folder();
  await using voicebot = new Voicebot(
    ['load', ECHO, '--calls', '2', '--ramp', '1s', '--seconds', '600', '--calls-per-process', '9'],
    { home, cwd: home },
  );
  await voicebot.event('load_progress', { live: 2 }, 60_000);
  voicebot.signal('SIGINT');
  expect(await voicebot.exit).toBe(130);
  expect(voicebot.events.all.find(({ event }) => event === 'load_ended')).toMatchObject({
    stopped: true,
    figures: { calls: 2, outcomes: { done: 2 } },
  });
}

async function unloadableBotIsTold() {
  const { exitCode, events } = await load(['missing.ts', '--calls', '2']);
  expect(exitCode).toBe(7);
  expect(events.find(({ event }) => event === 'error')).toMatchObject({ code: 'VB_BOT_LOAD_FAILED' });
}

testsAtOnce(
  {
    'several calls to a bot that greets and answers: each heard it, had answers, and lasted its time': callsAreMeasured,
    'callers of a scenario do what it says; the scripted model answers each of them, with what a played function gives':
      callersDoAsTheirScenarioSays,
    'a limit that was typed and is broken is exit code 1': brokenLimitIsFailure,
    '--find tries numbers one after the other, up to the most': largestNumberIsFound,
    'Ctrl+C ends the calls and gives the figures so far': stoppedLoadHasFigures,
    'a bot that does not load is told as by the other commands': unloadableBotIsTold,
  },
  240_000,
);
