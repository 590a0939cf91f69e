/** The phone of the page, in a real browser, against real runners on the sandbox. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Locator } from 'playwright-core';
import { localNetworkOf } from '../../src/assembly/phone-network.js';
import { levelDb } from '../../src/base/audio/level.js';
import { decodeWav } from '../../src/base/audio/wav.js';
import { findCallFolders } from '../../src/call/folder/folder-name.js';
import { type CallFolder, readCallFolder } from '../../src/call/folder/read-call-folder.js';
import { violationsOf } from '../page/axe.js';
import { IN_PROCESS } from '../runner/in-process-bots.js';
import { RunnerUnderTest } from '../runner/runner-under-test.js';
import { hasChromium, launchPhones, PhonePage, type PhoneTape, writeSpeech } from './page-phone.js';
import { until } from './processes.js';
import { returnedShare, type Side } from './recording.js';
import { ServedCalls } from './served-calls.js';
import type { Served } from './voicebot.js';

const describeWithBrowser = hasChromium ? describe : describe.skip;
/** How much later than the folder's recording the phone's own may begin, in milliseconds. */
const EARLY_MS = 500;
const TOKEN = 'a-token-with/signs=';

const runs = new ServedCalls();
const directory = mkdtempSync(join(tmpdir(), 'voicebot-page-'));
let browser: Browser;
beforeAll(async () => {
  if (hasChromium) browser = await launchPhones();
});
afterAll(async () => {
  await browser?.close();
  runs.remove();
  rmSync(directory, { recursive: true });
});

const endReasonOf = async ({ events }: Served) =>
  (await events.next(({ call }) => call?.state === 'ended', 10_000)).call.endReason;

const isAudible = (side: Side, fromMs = 0) => side.audibleMs(fromMs) > 300;

/** The folder of a call holds what the phone has said and heard, the two as far apart as on the phone. */
async function expectFolder({ notices, caller, bot }: PhoneTape): Promise<CallFolder> {
  const [ended] = notices.flatMap((notice) => (notice.type === 'ended' ? [notice.end] : []));
  const [path = ''] = await findCallFolders(runs.home, ended?.callId ?? '');
  await until(async () => !(await readCallFolder(path)).isLive, 'the folder is complete');
  const folder = await readCallFolder(path);
  expect(folder.missing).toEqual([]);
  const { channels } = decodeWav(readFileSync(folder.audio?.path ?? ''));
  const [left, right] = [channels[0], channels[1] as Int16Array];
  // Which of the two recordings begins earlier is not known, so the phone's own gets a beginning.
  const later = (pcm: Int16Array) => new Int16Array([...new Int16Array(EARLY_MS * 8), ...pcm]);
  const [said, heard] = [returnedShare(left, later(caller.pcm), 1_000), returnedShare(right, later(bot.pcm), 1_000)];
  const apart = Math.abs((said.delayMs ?? Number.NaN) - (heard.delayMs ?? Number.NaN));
  const longer = (folder.audio?.durationMs ?? 0) - caller.durationMs;
  const shares = [said, heard].map(({ share }) => `${Math.round(share * 100)} %`).join(' and ');
  process.stderr.write(
    `  the folder has ${shares} of what was said and heard, ${apart} ms apart, ${longer} ms longer\n`,
  );
  expect(Math.min(said.share, heard.share)).toBeGreaterThan(0.5);
  // Less than 5 ms where nothing else runs. A page that is late by a frame is late for the network, and so for the recording.
  expect(apart).toBeLessThan(150);
  expect(Math.abs(longer)).toBeLessThan(500);
  return folder;
}

describeWithBrowser('the phone of the page (needs chromium)', () => {
  afterEach(() => runs.end());

  test('calls the demo, which hears its keys; the call is seen as it goes, and leaves a folder', async () => {
    const microphone = join(directory, 'question.wav');
    writeSpeech(microphone, 5);
    const served = await runs.serve();
    await using hearing = await launchPhones(microphone);
    await using phone = await PhonePage.open(hearing, served.url);
    await phone.call();
    await phone.has(({ bot }) => isAudible(bot), 'the bot greets');
    await phone.page.getByRole('link', { name: 'Look into the call' }).click();
    const greeting = { hasText: 'Hello! This is voicebot, and you have reached the demo.' };
    await phone.page.locator('.said.bot:not(.is-live)', greeting).waitFor({ timeout: 20_000 });
    const { bot: before } = await phone.tape();
    await phone.button('Press 1').click();
    await phone.has(({ bot }) => bot.audibleMs(before.durationMs) > 2_000, 'the time is heard');
    await phone.page.keyboard.press('9');
    await phone.button('Hang up').waitFor({ state: 'detached' });
    expect(await endReasonOf(served)).toBe('bot_ended');
    const tape = await phone.tape();
    expect(tape.requests.slice(1)).toEqual([
      { type: 'press', digit: '1' },
      { type: 'press', digit: '9' },
    ]);
    const { record, transcript, events } = await expectFolder(tape);
    expect(record.endReason).toBe('bot_ended');
    expect(events.flatMap((event) => (event.type === 'keys' ? [event.keys] : []))).toEqual(['1', '9']);
    expect(transcript.map(({ text }) => text).join(' ')).toMatch(/^Hello! This is voicebot.* It is .*Goodbye!$/);
    expect(phone.problems).toEqual([]);
  }, 90_000);

  test('calls the demo in a room just so', async () => {
    const served = await runs.serve(undefined, ['--transport', 'rooms']);
    await using phone = await PhonePage.open(browser, served.url);
    await phone.call();
    await phone.shows('forwarded to room'); // there was music before
    const { bot: music } = await phone.tape();
    await phone.has(({ bot }) => isAudible(bot, music.durationMs), 'the bot greets');
    await phone.page.keyboard.press('9');
    await phone.shows('The call ended after');
    expect(await endReasonOf(served)).toBe('bot_ended');
    expect(phone.problems).toEqual([]);
  }, 60_000);

  test.each([-5_000, 0, 5_000])(
    'a bot with stand-ins understands what is typed, once that has been said, on a page whose clock is %d ms ahead',
    async (ms) => {
      const served = await runs.serve('templates/answer/bot.ts', ['--stand-ins']);
      await using phone = await PhonePage.open(browser, served.url, []);
      await phone.page.evaluate(`{ const now = Date.now; Date.now = () => now() + ${ms}; }`);
      await phone.call();
      await phone.page.getByRole('link', { name: 'Look into the call' }).click();
      await phone.shows('How can I help you?');
      const sentence = phone.page.getByLabel('Sentence to say');
      await sentence.fill('When are you open on Sunday?');
      await sentence.press('Enter');
      const typed = phone.page.locator('.typed-one');
      await typed.waitFor();
      expect(await phone.page.locator('.transcript > li').last().textContent()).toContain('When are you open');
      await typed.waitFor({ state: 'detached' });
      await phone.shows('The function opening hours says: closed.');
      const understood = phone.page.locator('.said.caller').filter({ hasText: 'When are you open' });
      expect(await understood.locator('.chip').allTextContents()).toEqual(['typed']);
      expect(isAudible((await phone.tape()).caller)).toBe(true);
      expect(phone.problems).toEqual([]);
    },
    60_000,
  );

  test('what is typed stays where it was typed, whatever an open microphone has heard before', async () => {
    const served = await runs.serve('templates/answer/bot.ts', ['--stand-ins']);
    await using phone = await PhonePage.open(browser, served.url);
    await phone.call();
    const lines = phone.page.locator('.transcript > .said');
    await lines.filter({ hasText: 'How can I help you?' }).waitFor();
    const sentence = phone.page.getByLabel('Sentence to say');
    await sentence.fill('When are you open on Sunday?');
    await sentence.press('Enter');
    const timeOf = async (line: Locator) => Number((await line.locator('.at').textContent())?.replace('0:', ''));
    const typedAt = await timeOf(phone.page.locator('.typed-one'));
    const understood = lines
      .filter({ hasText: 'When are you open' })
      .and(phone.page.locator(':not(.typed-one, .is-live)'));
    await understood.waitFor();
    expect(await understood.locator('.chip').allTextContents()).toEqual(['typed']);
    expect(Math.abs((await timeOf(understood)) - typedAt)).toBeLessThan(1);
    await phone.button('Hang up').click();
    expect(await endReasonOf(served)).toBe('caller_hung_up');
    await phone.page.getByRole('link', { name: 'Open', exact: true }).waitFor();
    served.signal('SIGINT');
    await served.exit;
    await phone.button('Open').and(phone.page.locator(':disabled')).waitFor();
    await phone.shows('npx voicebot run --sandbox --stand-ins');
  }, 60_000);

  test('with an account the phone of the page calls the bot on this machine, and says so', async () => {
    const localNetwork = localNetworkOf({ PATH: process.env.PATH ?? '' }, 'plivo');
    const botFile = fileURLToPath(new URL('../../templates/demo/bot.ts', import.meta.url));
    await using served = await RunnerUnderTest.start({ botFile, localNetwork, recording: 'if_asked' });
    await using phone = await PhonePage.open(browser, served.runner.url, []);
    const told = phone.page.getByText('This call stays on this machine. No carrier is involved.');
    await told.waitFor();
    expect(await violationsOf(phone.page)).toEqual([]);
    await phone.call();
    await told.waitFor();
    await phone.has(({ bot }) => isAudible(bot), 'the bot greets');
    await phone.shows('Hello! This is voicebot');
    await phone.button('Hang up').click();
    await phone.button('Play').and(phone.page.locator(':enabled')).waitFor();
    await phone.page.getByRole('row').getByText('on this machine').waitFor();
    await phone.button('Done').click();
    await phone.page.waitForFunction("document.activeElement.matches('button.call')");
    await phone.page.getByText('More', { exact: true }).click();
    await phone.shows('through the carrier, and costs what your account pays');
    expect(await phone.page.getByLabel('Number to ring').count()).toBe(0); // what this phone rings is no number of the account
    expect(await phone.page.locator('.more').textContent()).not.toContain('+12025550100');
    expect(await violationsOf(phone.page)).toEqual([]);
    expect(served.api.requests.all).toEqual([]);
    expect(phone.problems).toEqual([]);
  }, 60_000);

  test('with an account the page has the bot call a real number, and shows why it did not', async () => {
    await using served = await RunnerUnderTest.start({ ...IN_PROCESS, dialCountries: ['US'] });
    await using phone = await PhonePage.open(browser, served.runner.url);
    await phone.page.getByRole('heading', { name: 'Have it call me' }).waitFor();
    const number = phone.page.getByLabel('Your telephone number');
    await number.fill('+442071838750');
    await phone.button('Call me').click();
    await phone.page.locator('.outcome').getByText('VB_TARGET_REFUSED').waitFor();
    await number.fill('+12025550142');
    await phone.button('Call me').click();
    await phone.page.locator('.outcome').getByText('dialling').waitFor();
    expect((await served.api.next('POST', /^Call\/$/)).body).toMatchObject({ to: '12025550142' });
    expect(phone.problems).toEqual([]);
  }, 60_000);
});

describeWithBrowser('the phone of the page, at an echo whose runner wants its token (needs chromium)', () => {
  let served: Served;
  let url: string;
  beforeAll(async () => {
    served = await runs.serve('templates/echo/bot.ts', [], { VOICEBOT_TOKEN: TOKEN });
    url = `${served.url}/#token=${encodeURIComponent(TOKEN)}`;
  }, 30_000);
  afterAll(() => runs.end());

  test('the token that the page is given is for the phone, too', async () => {
    await using phone = await PhonePage.open(browser, served.url);
    await phone.page.getByLabel('Token').fill(TOKEN);
    await phone.button('Show the calls').click();
    await phone.call();
    await phone.button('Hang up').click();
    await phone.shows('the caller hung up');
    expect(await endReasonOf(served)).toBe('caller_hung_up');
    expect(phone.problems).toEqual([]);
  }, 60_000);

  test('what the microphone hears comes back, is silent when muted, and ends with the call', async () => {
    const microphone = join(directory, 'speech.wav');
    writeSpeech(microphone, 30);
    await using hearing = await launchPhones(microphone);
    await using phone = await PhonePage.open(hearing, url);
    await phone.call();
    await phone.has(({ bot }) => bot.audibleMs() > 2_000, 'the echo is heard');
    const { caller, bot } = await phone.tape();
    const { share, delayMs } = returnedShare(caller.pcm, bot.pcm, 600);
    process.stderr.write(`  the echo of the page's phone: ${Math.round(share * 100)} %, ${delayMs} ms after\n`);
    expect(share).toBeGreaterThan(0.5); // a busy machine holds the sound back and spoils some of it

    await phone.button('Mute').click();
    const { caller: before } = await phone.tape();
    await phone.has((tape) => tape.caller.durationMs > before.durationMs + 600, 'the call goes on');
    const { caller: muted } = await phone.tape();
    expect(levelDb(muted.from(before.durationMs + 100))).toBe(-Infinity);
    await phone.button('Unmute').click();
    await phone.has(({ caller: now }) => isAudible(now, muted.durationMs), 'the microphone is heard again');

    await phone.button('Hang up').click();
    await phone.shows('the caller hung up');
    expect(await endReasonOf(served)).toBe('caller_hung_up');
    await phone.button('Call again').waitFor();
    expect(phone.problems).toEqual([]);
  }, 60_000);

  test('without a microphone a typed sentence is said, and the keypad works', async () => {
    await using phone = await PhonePage.open(browser, url, []);
    await phone.call();
    await phone.shows('The microphone is not allowed.');
    const sentence = phone.page.getByLabel('Sentence to say');
    await sentence.fill('What time is it?');
    await sentence.press('Enter');
    await phone.has(({ caller, bot }) => isAudible(caller) && isAudible(bot), 'the sentence is said and comes back');
    await phone.button('Press 5').click();
    expect((await phone.tape()).requests.at(-1)).toEqual({ type: 'press', digit: '5' });
    expect(await phone.page.locator('.pressed').textContent()).toBe('5');
    expect(phone.problems).toEqual([]);
  }, 60_000);

  test('numbers that are none are not called; the bot calls whom it is told, and the page says what came of it', async () => {
    await using phone = await PhonePage.open(browser, url);
    await phone.page.getByText('More', { exact: true }).click();
    const number = phone.page.getByLabel('Number to ring');
    await number.fill('my bot');
    await phone.page.getByText('More', { exact: true }).click();
    await phone.button('Call').click();
    await phone.shows('Write a telephone number with its country');
    expect(await phone.page.locator(':focus').getAttribute('id')).toBe(await number.getAttribute('id'));
    expect((await phone.tape()).requests).toEqual([]);
    const callee = phone.page.getByLabel('Or have the bot call');
    await callee.fill('+12025550102');
    await phone.shows('Is busy.');
    await phone.button('Dial').click();
    await phone.page.locator('.outcome').getByText('busy').waitFor();
    await callee.fill('+19005550100');
    await phone.button('Dial').click();
    await phone.page.locator('.outcome').getByText('VB_TARGET_REFUSED').waitFor();
    expect(phone.problems).toEqual([]);
  }, 60_000);
});
