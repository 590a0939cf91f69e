import { existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../../cli/voicebot.js';
import { type CliEvent, Voicebot } from '../../e2e/voicebot.js';
import { testsAtOnce } from '../../tests-at-once.js';

const ANSWER = join(PACKAGE_ROOT, 'templates/answer/bot.ts');
const HELLO = join(PACKAGE_ROOT, 'templates/hello/bot.ts');
const ECHO = join(PACKAGE_ROOT, 'templates/echo/bot.ts');

/** None that a busy machine breaks. */
const NO_LIMITS = ['--limit-first-word', '60s', '--limit-gap', '10s', '--limit-missing', '90'];

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
    ...[ANSWER, '--calls', '5', '--ramp', '2s', '--seconds', '15', '--calls-per-process', '9', ...NO_LIMITS],
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
    [ANSWER, '--scenario', 'asks.yaml', '--calls', '2', '--ramp', '1s', '--calls-per-process', '9', ...NO_LIMITS],
    home,
  );
  expect(exitCode).toBe(0);
  expect(end.figures).toMatchObject({ outcomes: { done: 2 }, reasons: [] });
}

/** A folder with a bot, and with this package for it. */
function project(code: string, scenario?: string): string {
  const home = folder();
  mkdirSync(join(home, 'node_modules'));
  symlinkSync(PACKAGE_ROOT, join(home, 'node_modules/voicebot'), 'dir');
  writeFileSync(join(home, 'bot.ts'), code);
  if (scenario) writeFileSync(join(home, 'scenario.yaml'), scenario);
  return home;
}

/** Says what key was pressed, and writes it down. */
const KEYS_BOT = `import { appendFileSync } from 'node:fs';
import { defineBot, flite } from 'voicebot';
export default defineBot({
  tts: flite(),
  async onCall(call) {
    call.on('dtmf', ({ digit }) => appendFileSync(process.env.KEYS_FILE ?? '', digit));
    await call.say('Welcome to the bank. Press four.');
    await new Promise((resolve) => call.on('dtmf', resolve));
    await call.say('Thank you for the key.');
  },
});
`;

async function callersWaitForWordsWithoutFolders() {
  const scenario = `name: presses
environment: { KEYS_FILE: keys.txt }
caller:
  - hear: Welcome to the bank
  - press: "4"
    during: press four
    orFinished: true
  - hear: Thank you for the key
`;
  const home = project(KEYS_BOT, scenario.replace('keys.txt', join(folder(), 'keys.txt')));
  const keysFile = /KEYS_FILE: (\S+) /.exec(readFileSync(join(home, 'scenario.yaml'), 'utf8'))?.[1] ?? '';
  const { exitCode, end } = await load(
    ['bot.ts', '--scenario', 'scenario.yaml', '--calls', '2', '--ramp', '1s', '--calls-per-process', '9', ...NO_LIMITS],
    home,
  );
  expect(end.figures.reasons).toEqual([]);
  expect(readFileSync(keysFile, 'utf8')).toBe('44');
  expect(end.figures.outcomes).toMatchObject({ done: 2, failed: 0 });
  expect(exitCode).toBe(0);
  expect(existsSync(join(home, 'calls'))).toBe(false);
}

async function undoneStepIsFailure() {
  const home = project(
    `import { defineBot, flite } from 'voicebot';
export default defineBot({ tts: flite(), onCall: (call) => call.say('Hello, and goodbye.') });
`,
    'name: undone\ncaller:\n  - hear: Hello\n  - hear: Your balance\n  - say: Thanks\n',
  );
  const { exitCode, end } = await load(['bot.ts', '--scenario', 'scenario.yaml', '--calls', '1'], home);
  expect(exitCode).toBe(1);
  expect(end.figures).toMatchObject({
    outcomes: { failed: 1 },
    reasons: [
      {
        why: 'caller[1].hear: hear "Your balance" was not done: the call had ended (bot_ended), and one more step was not done',
        calls: 1,
      },
    ],
  });
}

async function botThatBreaksIsTold() {
  const home = project(`import { defineBot, flite } from 'voicebot';
export default defineBot({
  tts: flite(),
  async onCall(call) {
    await call.say('Hello there.');
    throw new Error('audit log lost');
  },
});
`);
  const { exitCode, end } = await load(['bot.ts', '--calls', '1', '--seconds', '30'], home);
  expect(exitCode).toBe(1);
  expect(end.figures.reasons).toEqual([{ why: 'the bot broke: Error: audit log lost', calls: 1 }]);
}

async function botThatEndsEarlyIsTold() {
  const { exitCode, end } = await load([HELLO, '--calls', '1', '--seconds', '60']);
  expect(exitCode).toBe(1); // no limit was typed
  expect(end.figures).toMatchObject({
    outcomes: { ended_early: 1 },
    reasons: [{ why: 'the bot ended the call early (bot_ended)', calls: 1 }],
  });
  expect(end.limits.filter(({ isMet }: { isMet: boolean }) => !isMet)).toMatchObject([{ name: 'failedPercent' }]);
}

async function searchRefusesBotThatEnds() {
  const { exitCode, events } = await load([HELLO, '--find', '--calls', '2', '--seconds', '60', ...NO_LIMITS]);
  expect(exitCode).toBe(2);
  expect(events.find(({ event }) => event === 'error')).toMatchObject({
    code: 'VB_USAGE',
    message: expect.stringMatching(
      /--find needs a bot that stays in its calls: this one ended a call by itself after \d/,
    ),
  });
  expect(events.some(({ event }) => event === 'load_ended')).toBe(false);
}

async function turnedAwayIsToldWithCure() {
  const { end } = await load([ANSWER, '--calls', '8', '--ramp', '0s', '--seconds', '3', ...NO_LIMITS]);
  expect(end.figures.outcomes.turned_away).toBeGreaterThan(0);
  expect(end.hint).toMatch(/turned away because no bot was ready: .* --warm \d+ .* --calls-per-process \d/);
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
    ...[ANSWER, '--find', '--calls', '2', '--seconds', '2', '--calls-per-process', '9', ...NO_LIMITS],
  ]);
  const steps = events.filter(({ event }) => event === 'load_step');
  expect(steps.map(({ kind, calls, met }) => [kind, calls, met])).toEqual([
    ['steady', 2, true],
    ['burst', 2, true],
  ]);
  for (const { figures } of steps) expect(figures.firstWordMs.count).toBe(2);
  expect(exitCode).toBe(0);
  expect(end).toMatchObject({
    found: 2,
    all: true,
    stopped: false,
    steady: { calls: 2, all: true, complete: true },
    burst: { calls: 2, all: true, complete: true },
  });
}

async function stoppedSearchTellsBoth() {
  const home = folder();
  await using voicebot = new Voicebot(
    ['load', ANSWER, '--find', '--calls', '2', '--seconds', '2', '--calls-per-process', '9', ...NO_LIMITS],
    { home, cwd: home },
  );
  await voicebot.event('load_step', { kind: 'steady' }, 120_000);
  voicebot.signal('SIGINT');
  expect(await voicebot.exit).toBe(130);
  expect(voicebot.events.all.find(({ event }) => event === 'load_ended')).toMatchObject({
    stopped: true,
    steady: { calls: 2, complete: true },
    burst: { calls: 0, complete: false },
  });
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
    'callers who wait for words hear them although no folder is kept, and their keys reach the bot':
      callersWaitForWordsWithoutFolders,
    'a step of the caller that was not done when the bot ended the call fails it': undoneStepIsFailure,
    'a bot that throws is told as broken, with its error': botThatBreaksIsTold,
    'a bot that ends the call by itself is told with its reason, and fails the load although no limit was typed':
      botThatEndsEarlyIsTold,
    '--find with a bot that ends its calls says at once that every number would be wrong': searchRefusesBotThatEnds,
    'callers who were turned away: the report says what to do': turnedAwayIsToldWithCure,
    'a broken limit is exit code 1': brokenLimitIsFailure,
    '--find finds how many calls may go on, and how many may come at once, up to the most': largestNumberIsFound,
    'Ctrl+C during a search tells what is known of both numbers': stoppedSearchTellsBoth,
    'Ctrl+C ends the calls and gives the figures so far': stoppedLoadHasFigures,
    'a bot that does not load is told as by the other commands': unloadableBotIsTold,
  },
  480_000,
);
