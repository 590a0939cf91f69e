/** What understands a caller on the page whose bot has stand-ins for ears, in a real browser, against real runners on the sandbox. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { findCallFolders } from '../../src/call/folder/folder-name.js';
import { readCallFolder } from '../../src/call/folder/read-call-folder.js';
import { violationsOf } from '../page/axe.js';
import { hasChromium, launchPhones, PhonePage, writeSpeech } from './page-phone.js';
import { until } from './processes.js';
import { ServedCalls } from './served-calls.js';

const describeWithBrowser = hasChromium ? describe : describe.skip;

const runs = new ServedCalls();
const directory = mkdtempSync(join(tmpdir(), 'voicebot-ears-'));
let browser: Browser;
/** One whose microphone hears a person speak for three seconds, once the call may have been answered. */
let speaking: Browser;
beforeAll(async () => {
  if (!hasChromium) return;
  const microphone = join(directory, 'speech.wav');
  writeSpeech(microphone, 3, 5);
  browser = await launchPhones();
  speaking = await launchPhones(microphone);
});
afterEach(() => runs.end());
afterAll(async () => {
  await browser?.close();
  await speaking?.close();
  runs.remove();
  rmSync(directory, { recursive: true });
});

/** A speech recognition of the test's own: it understands what the test says. `local`: what a browser says of doing it on this machine. */
const recognition = (local?: string) => `
window.ears = { made: [], running: undefined };
class Recognition extends EventTarget {
  start(track) {
    window.ears.made.push({ lang: this.lang, continuous: this.continuous, interimResults: this.interimResults,
      processLocally: this.processLocally === true, hasTrack: track?.kind === 'audio' });
    window.ears.running = this;
  }
  abort() { this.dispatchEvent(new Event('end')); if (window.ears.running === this) window.ears.running = undefined; }
}
${local === undefined ? '' : `Recognition.available = async () => '${local}';`}
window.SpeechRecognition = Recognition;
window.understand = (transcript, isFinal) => {
  const results = [Object.assign([{ transcript }], { isFinal })];
  window.ears.running.dispatchEvent(Object.assign(new Event('result'), { resultIndex: 0, results }));
};
window.failWith = (error) => {
  const { running } = window.ears;
  running.dispatchEvent(Object.assign(new Event('error'), { error }));
  running.dispatchEvent(new Event('end'));
};
`;
const NONE = 'delete window.SpeechRecognition; delete window.webkitSpeechRecognition;';

async function answered(inBrowser: Browser, script: string, bot = 'templates/answer/bot.ts') {
  const served = await runs.serve(bot, ['--stand-ins']);
  const phone = await PhonePage.open(inBrowser, served.url);
  await phone.page.addInitScript(script);
  await phone.page.reload();
  await phone.call();
  return { served, phone };
}

/** The page's policy forbids it what Playwright waits with. */
const comesTrue = (phone: PhonePage, expression: string) =>
  until(async () => (await phone.page.evaluate(expression)) === true, expression, 10_000);

describeWithBrowser('a caller on the page whose bot has stand-ins (needs chromium)', () => {
  test('agrees that the browser listens: its words are the bot’s, pale until they are final, and marked as its own', async () => {
    const { phone } = await answered(browser, recognition());
    await using _ = phone;
    await phone.shows('it may send your voice to its maker, Chrome to Google');
    expect(await phone.page.evaluate('window.ears.made')).toEqual([]);
    expect(await violationsOf(phone.page)).toEqual([]);
    await phone.button('Let the browser listen').click();
    await phone.shows('Your browser understands what you say.');
    expect(await phone.page.evaluate('window.ears.made')).toEqual([
      { lang: 'en-US', continuous: true, interimResults: true, processLocally: false, hasTrack: true },
    ]);
    await phone.shows('How can I help you?');
    await phone.page.evaluate("understand('When are you', false)");
    const pale = phone.page.locator('.typed-one');
    expect(await pale.locator('.chip').allTextContents()).toEqual(['heard by the browser']);
    expect(await pale.locator('.upcoming').textContent()).toBe('When are you');
    await phone.page.evaluate("understand('When are you open on Sunday?', true)");
    await phone.shows('The function opening hours says: closed.');
    const understood = phone.page
      .locator('.said.caller:not(.typed-one)')
      .filter({ hasText: 'When are you open on Sunday?' });
    expect(await understood.locator('.chip').allTextContents()).toEqual(['heard by the browser']);
    await pale.waitFor({ state: 'detached' });
    await phone.button('Hang up').click();
    await phone.shows('The call ended after');
    const [ended] = (await phone.tape()).notices.flatMap((notice) => (notice.type === 'ended' ? [notice.end] : []));
    const [path = ''] = await findCallFolders(runs.home, ended?.callId ?? '');
    await until(async () => !(await readCallFolder(path)).isLive, 'the folder is complete');
    const { transcript } = await readCallFolder(path);
    expect(transcript.filter(({ speaker }) => speaker === 'caller')).toEqual([
      expect.objectContaining({ text: 'When are you open on Sunday?', by: 'browser' }),
    ]);
    expect(transcript.some(({ typed }) => typed)).toBe(false);
    expect(phone.problems).toEqual([]);
  }, 90_000);

  test('is asked nothing where the browser understands on this machine, and may mute it', async () => {
    const { phone } = await answered(browser, recognition('available'));
    await using _ = phone;
    await phone.shows('Your browser understands what you say, on this machine.');
    expect(await phone.page.evaluate('window.ears.made')).toMatchObject([{ processLocally: true }]);
    await phone.button('Mute').click();
    await comesTrue(phone, 'window.ears.running === undefined');
    await phone.button('Unmute').click();
    await comesTrue(phone, 'window.ears.running !== undefined && window.ears.made.length === 2');
    await phone.page.evaluate("window.ears.running.dispatchEvent(new Event('end'))"); // as browsers do after some silence
    await comesTrue(phone, 'window.ears.made.length === 3');
    expect(phone.problems).toEqual([]);
  }, 60_000);

  test('reads why it fails, and types', async () => {
    const { phone } = await answered(browser, recognition());
    await using _ = phone;
    await phone.button('Let the browser listen').click();
    await comesTrue(phone, 'window.ears.running !== undefined');
    await phone.page.evaluate("failWith('no-speech')"); // passes
    await comesTrue(phone, 'window.ears.made.length === 2');
    await phone.page.evaluate("failWith('network')");
    await phone.shows(
      'speech recognition does not work: the service that it needs cannot be reached. Stand-ins do not',
    );
    expect(await violationsOf(phone.page)).toEqual([]);
    await phone.shows('How can I help you?');
    const sentence = phone.page.getByLabel('Sentence to say');
    await sentence.fill('When are you open on Sunday?');
    await sentence.press('Enter');
    await phone.shows('The function opening hours says: closed.');
    const understood = phone.page.locator('.said.caller:not(.typed-one)').filter({ hasText: 'When are you open' });
    expect(await understood.locator('.chip').allTextContents()).toEqual(['typed']);
  }, 60_000);

  test('who speaks where the browser has no recognition reads why nothing happens, and the typed line has the focus', async () => {
    const { phone } = await answered(speaking, NONE);
    await using _ = phone;
    await phone.has(({ caller }) => caller.audibleMs(0) > 300, 'the caller speaks');
    await phone.shows('Your voice arrives, but stand-ins understand typed sentences only');
    await comesTrue(phone, "document.activeElement?.getAttribute('aria-label') === 'Sentence to say'");
    expect(await phone.button('Let the browser listen').count()).toBe(0);
    expect(phone.problems).toEqual([]);
  }, 60_000);

  test('who speaks to a browser that understands nothing is told so', async () => {
    const { phone } = await answered(speaking, recognition('available'));
    await using _ = phone;
    await phone.shows('your browser has understood nothing. Speak again, or type it here.');
  }, 60_000);

  test('a bot that names a language is listened to in it', async () => {
    const { phone } = await answered(browser, recognition('available'), 'test/e2e/bots/listens-in-german.ts');
    await using _ = phone;
    await phone.shows('on this machine');
    expect(await phone.page.evaluate('window.ears.made')).toMatchObject([{ lang: 'de' }]);
  }, 60_000);
});
