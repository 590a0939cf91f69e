/** Words of both sides while they are said, from the vendor's socket to the page and to terminals: real runners and bots, ears that do as they are told. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { encodeWav } from '../../src/base/audio/wav.js';
import type { TimelineEvent } from '../../src/call/timeline.js';
import { FakeDeepgram, FakeLanguageModel } from '../../src/lab/kit/index.js';
import { RunnerClient } from '../../src/runners/runner-client.js';
import { inTerminal, inTerminals, type Terminal } from '../cli/in-terminal.js';
import { PACKAGE_ROOT } from '../cli/voicebot.js';
import { hasChromium, launchPhones, PhonePage, speechOf } from './page-phone.js';
import { until } from './processes.js';
import { ServedCalls } from './served-calls.js';

const describeWithBrowser = hasChromium ? describe : describe.skip;
const BOT = 'test/e2e/bots/reads-aloud.ts';
/** What the bot says first. */
const STORY = /^Once upon a time .* old clocks\.$/;
/** What holds the bot for seconds, while its ears understand nothing of it. */
const LONG_SOUND = 'Well, let me think about that for a little while, if I may.';
/** A few words may be shown before the page is told that the bot holds its speech; a hold has time for many more. */
const MOST_WORDS_AHEAD = 2;

const runs = new ServedCalls();
const directory = mkdtempSync(join(tmpdir(), 'voicebot-live-talk-'));
let deepgram: FakeDeepgram;
let model: FakeLanguageModel;
let browser: Browser;
beforeAll(async () => {
  if (hasChromium) browser = await launchPhones();
});
beforeEach(async () => {
  deepgram = await FakeDeepgram.start();
  model = await FakeLanguageModel.start({ replies: () => ({ text: 'Two loaves it is.' }) });
});
afterEach(async () => {
  await runs.end();
  await deepgram[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});
afterAll(async () => {
  await browser?.close();
  runs.remove();
  rmSync(directory, { recursive: true });
});

const vendors = () => ({
  DEEPGRAM_API_KEY: 'test',
  DEEPGRAM_BASE_URL: deepgram.url,
  OPENAI_API_KEY: 'test',
  OPENAI_BASE_URL: model.url,
});

/** The events of the one call of a runner, as they come. */
function followed(url: string, callId: string, signal: AbortSignal) {
  const events: TimelineEvent[] = [];
  void new RunnerClient(url, undefined).follow(callId, (event) => events.push(event), signal).catch(() => {});
  const has = (type: TimelineEvent['type']) => until(() => events.some((event) => event.type === type), type, 20_000);
  return { events, has };
}

/** What the page shows of the line that is being said, and how often it shows its text. */
const bubbles = (page: Page) =>
  page.evaluate(`({
    heard: document.querySelectorAll('.is-live.bot .heard').length,
    lines: [...document.querySelectorAll('.said.bot')].filter((line) => line.textContent.includes('Once upon')).length,
  })`) as Promise<{ heard: number; lines: number }>;

/** Notes whenever the text of the story is shown twice. */
const WATCH_TWICE = `
window.mostLines = 0;
new MutationObserver(() => {
  const lines = [...document.querySelectorAll('.said.bot')].filter((line) => line.textContent.includes('Once upon'));
  window.mostLines = Math.max(window.mostLines, lines.length);
}).observe(document, { subtree: true, childList: true });
`;

describeWithBrowser('in the page, while the call goes on (needs chromium)', () => {
  test('what the bot holds is not run ahead of, goes on with it, and is shown once and whole', async () => {
    const served = await runs.serve(BOT, [], vendors());
    await using phone = await PhonePage.open(browser, served.url, []);
    const { page } = phone;
    await page.evaluate(WATCH_TWICE);
    await phone.call();
    await until(async () => (await bubbles(page)).heard > 2, 'words are heard');
    const [call] = await new RunnerClient(served.url, undefined).calls();
    const over = new AbortController();
    const { events, has } = followed(served.url, call?.id ?? '', over.signal);
    await page.getByLabel('Sentence to say').fill(LONG_SOUND);
    await page.getByLabel('Sentence to say').press('Enter');
    await has('hold_started');
    const before = await bubbles(page);
    await has('speech_held');
    const after = await bubbles(page);
    const held = events.find((event) => event.type === 'speech_held');
    expect(held).toMatchObject({ resumed: true });
    const heldMs = held?.type === 'speech_held' ? held.ms : 0;
    process.stderr.write(`  held for ${heldMs} ms, in which ${after.heard - before.heard} words turned\n`);
    expect(heldMs).toBeGreaterThan(1_500);
    expect(after.heard - before.heard).toBeLessThanOrEqual(MOST_WORDS_AHEAD);
    await until(async () => (await bubbles(page)).heard > after.heard + 3, 'its words go on');
    const whole = page.locator('.said.bot:not(.is-live)', { hasText: 'Once upon a time' });
    await whole.waitFor({ timeout: 30_000 });
    expect(await whole.locator('.words').textContent()).toMatch(STORY);
    expect(await whole.textContent()).not.toContain('interrupted');
    expect(await page.evaluate('mostLines')).toBe(1);
    over.abort();
    expect(phone.problems).toEqual([]);
  }, 90_000);

  test("the caller's words are pale while they may change, from the right where they are written so, and final once", async () => {
    const served = await runs.serve(BOT, [], vendors());
    await using phone = await PhonePage.open(browser, served.url, []);
    const { page } = phone;
    const listening = deepgram.nextSession();
    await phone.call();
    const session = await listening;
    await page.locator('.said.bot:not(.is-live)', { hasText: 'Once upon a time' }).waitFor({ timeout: 30_000 });
    const live = page.locator('.is-live.caller');
    const shows = async (text: string) => {
      await live.filter({ hasText: text }).waitFor();
      expect(await live.locator('.words').allTextContents()).toEqual([`${text} `]);
      expect(await live.locator('.heard').count()).toBe(0);
    };
    session.interim('مرحبا بكم');
    await shows('مرحبا بكم');
    expect(await page.evaluate("getComputedStyle(document.querySelector('.is-live.caller .words')).direction")).toBe(
      'rtl',
    );
    session.interim('I wood like two');
    await shows('I wood like two');
    session.interim('I would like two loaves');
    await shows('I would like two loaves');
    session.say('I would like two loaves.');
    const final = page.locator('.said.caller:not(.is-live)');
    await final.waitFor();
    expect(await final.locator('.words').allTextContents()).toEqual(['I would like two loaves.']);
    expect(await live.count()).toBe(0);
    await page.locator('.said.bot', { hasText: 'Two loaves it is.' }).waitFor();
    expect(phone.problems).toEqual([]);
  }, 90_000);
});

/** Runs a command of the package in a terminal, on a runner whose ears are the fake. */
const voicebotIn = (
  args: string,
  use: (terminal: Terminal) => Promise<void>,
  environment: Record<string, string> = {},
) =>
  inTerminal(`stty cols 220 rows 40; '${process.execPath}' '${PACKAGE_ROOT}bin/voicebot.js' ${args}`, use, {
    cwd: PACKAGE_ROOT,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, TERM: 'xterm', VOICEBOT_HOME: runs.home, ...environment },
  });

/** What a terminal has shown, line by line and each time that a line was written again. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: what terminals obey
const linesOf = (shown: string) => shown.split(/\r?\n|\r\u001b\[2K/);
const DIM = '\u001b[2m';

/** Speech with silence before it, as a file. */
function writeCaller(path: string, beforeMs: number, ms: number): void {
  const pcm = new Int16Array((beforeMs + ms) * 8);
  pcm.set(speechOf(ms), beforeMs * 8);
  writeFileSync(path, encodeWav({ sampleRate: 8_000, channels: [pcm], encoding: 'L16' }));
}

describe('in terminals, while the call goes on', () => {
  inTerminals(
    'both sides are shown word by word, also around a sound that holds the bot, and each line once in the end (needs script)',
    async () => {
      const sound = join(directory, 'sound.wav');
      writeCaller(sound, 3_000, 2_500);
      let called = '';
      const run = voicebotIn(
        `run ${BOT} --transport carrier --dialin --sandbox --port 0`,
        async (terminal) => {
          await terminal.shows('Ready', 60_000);
          const port = /127\.0\.0\.1:(\d+)/.exec(terminal.shown)?.[1];
          called = await voicebotIn(`call --port ${port} --wav ${sound} --talk-over --dtmf 'w60 9'`, async (caller) => {
            await until(() => deepgram.sessions.length > 0, 'the bot listens', 20_000);
            const { session } = deepgram;
            await caller.shows('old clocks.\r\n', 40_000);
            session.interim('I wood like');
            await caller.shows(`${DIM}I wood like`);
            await terminal.shows(`${DIM}I wood like`);
            session.say('I would like two loaves.');
            await caller.shows('I would like two loaves.\r\n');
            await terminal.shows('I would like two loaves.\r\n');
            await caller.shows('Two loaves it is.\r\n');
            caller.type('\u0003');
          });
          terminal.type('\u0003');
        },
        vendors(),
      );
      for (const shown of [await run, called]) {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: colours
        const lines = linesOf(shown).map((line) => line.replace(/\u001b\[[\d;]*m/g, ''));
        expect(lines.filter((line) => line.includes('Once upon a time')).length).toBeGreaterThan(10); // word by word
        expect(shown).not.toContain('not heard');
        expect(shown.split('\n').filter((line) => /old clocks\.\r?$/.test(line))).toHaveLength(1);
        expect(shown.split('\n').filter((line) => /I would like two loaves\.\r?$/.test(line))).toHaveLength(1);
      }
    },
    120_000,
  );
});
