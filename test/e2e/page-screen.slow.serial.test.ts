/** The page as one screen, in a real browser, against a real runner whose bot has stand-ins. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { violationsOf } from '../page/axe.js';
import { hasChromium, launchPhones, PhonePage, SHOWN_WITHIN_MS, writeSpeech } from './page-phone.js';
import { ServedCalls } from './served-calls.js';

const describeWithBrowser = hasChromium ? describe : describe.skip;
const WIDE = { viewport: { width: 1_280, height: 800 } };
const NARROW = { viewport: { width: 360, height: 740 } };

const runs = new ServedCalls();
const directory = mkdtempSync(join(tmpdir(), 'voicebot-screen-'));
let browser: Browser;
beforeAll(async () => {
  if (hasChromium) browser = await launchPhones();
});
afterEach(() => runs.end());
afterAll(async () => {
  await browser?.close();
  runs.remove();
  rmSync(directory, { recursive: true });
});

const serve = () => runs.serve('templates/answer/bot.ts', ['--stand-ins']);

/** By how much what is there is longer and wider than the window, in pixels. */
const overflowOf = (page: Page) =>
  page.evaluate(
    '(({ scrollHeight, scrollWidth }) => [scrollHeight - innerHeight, scrollWidth - innerWidth])(document.documentElement)',
  );

const isInWindow = async (page: Page, name: string) => {
  const box = await page.getByRole('button', { name, exact: true }).boundingBox();
  const { height = 0 } = page.viewportSize() ?? {};
  return box !== null && box.y >= 0 && box.y + box.height <= height;
};

describeWithBrowser('the page of a runner (needs chromium)', () => {
  test.each<[string, BrowserContextOptions]>([
    ['wide', WIDE],
    ['narrow', NARROW],
    ['narrow and dark', { ...NARROW, colorScheme: 'dark' }],
    ['wide and dark', { ...WIDE, colorScheme: 'dark' }],
  ])(
    'in a window that is %s, a call needs no scrolling, and axe finds nothing wrong before it, in it and after it',
    async (_name, options) => {
      const served = await serve();
      await using phone = await PhonePage.open(browser, served.url, [], options);
      const { page } = phone;
      await phone.button('Call').waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await phone.call();
      await phone.shows('How can I help you?');
      expect(await overflowOf(page)).toEqual([0, 0]);
      for (const name of ['Hang up', 'Mute', 'Say it'])
        expect([name, await isInWindow(page, name)]).toEqual([name, true]);
      for (let count = 0; count < 3; count += 1) {
        await page.getByLabel('Sentence to say').fill('When are you open on Sunday?');
        await page.getByLabel('Sentence to say').press('Enter');
        await page.getByText('When are you open on Sunday?').nth(count).waitFor({ timeout: 15_000 });
      }
      expect(await overflowOf(page)).toEqual([0, 0]);
      expect(await violationsOf(page)).toEqual([]);
      await page.getByRole('link', { name: 'Look into the call' }).click();
      await page.getByRole('heading', { name: 'Conversation' }).waitFor();
      const box = await page.locator('.conversation').boundingBox();
      expect((box?.y ?? 0) + 200).toBeLessThan(options.viewport?.height ?? 0);
      expect(await page.getByRole('link', { name: 'Look into the call' }).count()).toBe(0);
      const clocks = await page.evaluate(
        "[document.querySelector('.phone .length'), ...document.querySelectorAll('.fact')].map((each) => each.textContent)",
      );
      const [own, ...facts] = clocks as string[];
      expect(facts).toContain(`Length${own}`); // one clock
      expect(await violationsOf(page)).toEqual([]);
      await phone.button('Hang up').click();
      await page.goBack();
      await phone.button('Play').waitFor();
      expect(await violationsOf(page)).toEqual([]);
      expect(phone.problems).toEqual([]);
    },
    120_000,
  );

  test('a whole call by keyboard alone: call, press a key, type a sentence, hang up, play, call again', async () => {
    const served = await serve();
    await using phone = await PhonePage.open(browser, served.url, []);
    const { page } = phone;
    const go = async (name: string) => {
      for (let count = 0; count < 60; count += 1) {
        await page.keyboard.press('Tab');
        const found = await page.evaluate(
          "[document.activeElement.getAttribute('aria-label'), document.activeElement.textContent].map((text) => text?.trim())",
        );
        if ((found as string[]).includes(name)) return;
      }
      throw new Error(`the keyboard does not get to ${name}`);
    };
    await phone.button('Call').waitFor();
    await go('Call');
    await page.keyboard.press('Enter');
    await phone.shows('In a call');
    await page.keyboard.press('5');
    expect(await page.locator('.pressed').textContent()).toBe('5');
    await phone.shows('How can I help you?');
    await go('Sentence to say');
    await page.keyboard.type('When are you open on Sunday?');
    await page.keyboard.press('Enter');
    await phone.shows('The function opening hours says: closed.');
    await go('Hang up');
    await page.keyboard.press('Enter');
    await phone.button('Play').and(page.locator(':enabled')).waitFor();
    expect(await page.evaluate('document.activeElement.textContent.trim()')).toBe('Call again');
    await go('Play');
    await page.keyboard.press('Enter');
    await phone.button('Pause').waitFor();
    await page.keyboard.press('Enter');
    await phone.button('Play').waitFor();
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await phone.shows('In a call');
    expect(phone.problems).toEqual([]);
  }, 120_000);

  test('who speaks to a bot with stand-ins is told to type, before and after', async () => {
    const microphone = join(directory, 'question.wav');
    writeSpeech(microphone, 5, SHOWN_WITHIN_MS / 1_000); // they wait for the answer before they speak
    const served = await serve();
    await using hearing = await launchPhones(microphone);
    await using phone = await PhonePage.open(hearing, served.url);
    await phone.call();
    await phone.shows('Stand-ins do not understand speech');
    await phone.shows('Your voice arrives', 2 * SHOWN_WITHIN_MS);
    expect(await violationsOf(phone.page)).toEqual([]);
  }, 60_000);
});
