/** Words that appear as they are spoken, in a real browser, against a real runner on the sandbox. */
import type { Browser } from 'playwright-core';
import { WATCH_WORDS, watchedSince } from './heard-in-page.js';
import { hasChromium, launchPhones, PhonePage } from './page-phone.js';
import { until } from './processes.js';
import { ServedCalls } from './served-calls.js';

const describeWithBrowser = hasChromium ? describe : describe.skip;

/** A sound that begins further away from where a word is shown is not the beginning of that word. */
const CLEAR_MS = 400;

const runs = new ServedCalls();
let browser: Browser;
beforeAll(async () => {
  if (hasChromium) browser = await launchPhones();
});
afterAll(async () => {
  await browser?.close();
  runs.remove();
});

/** A call of the page's phone to the demo, whose own page is open. */
async function callOnItsPage(url: string): Promise<PhonePage> {
  const phone = await PhonePage.open(browser, 'about:blank');
  await phone.page.setViewportSize({ width: 1_280, height: 1_400 });
  await phone.page.addInitScript(WATCH_WORDS);
  await phone.page.goto(url);
  await phone.call();
  await phone.page.getByRole('link', { name: 'Look into the call' }).click();
  await phone.page.locator('.is-live.bot').waitFor();
  return phone;
}

describeWithBrowser('the words of a call that goes on, on its page (needs chromium)', () => {
  afterEach(() => runs.end());

  test('stand there pale when the voice begins, and turn as they are heard', async () => {
    const served = await runs.serve();
    await using phone = await callOnItsPage(served.url);
    const { page } = phone;
    const since = (await page.evaluate('performance.now()')) as number;
    await phone.button('Press 1').click();
    await page.locator('.is-live.bot', { hasText: /It is .* hang up/ }).waitFor();
    expect(await page.locator('.is-live .upcoming').count()).toBeGreaterThan(5);
    await until(async () => (await page.locator('.is-live .heard').count()) > 5, 'some words are heard');
    if (process.env.LIVE_SCREENSHOT) await page.screenshot({ path: process.env.LIVE_SCREENSHOT });
    await page.locator('.said.bot:not(.is-live)', { hasText: /It is .* hang up/ }).waitFor({ timeout: 20_000 });
    expect(await page.locator('.is-live').count()).toBe(0);
    expect(await page.locator('.said.bot', { hasText: /It is .* hang up\./ }).count()).toBe(1);
    const { words, onsets } = await watchedSince(page, since);
    const spoken = words.slice(words.findLastIndex(({ text }) => text === 'It'));
    expect(spoken.map(({ text }) => text).join(' ')).toMatch(/^It is .* hang up\.$/);
    const late = spoken.flatMap(({ text, at }, index) => {
      const isBehindPause = index === 0 || /[.,]$/.test(spoken[index - 1]?.text ?? '');
      const [nearest = Number.NaN] = onsets.toSorted((a, b) => Math.abs(a - at) - Math.abs(b - at));
      return isBehindPause && Math.abs(at - nearest) < CLEAR_MS ? [`${text} ${Math.round(at - nearest)}`] : [];
    });
    process.stderr.write(`  shown after they were heard behind a pause, in ms: ${late.join(', ')}\n`);
    if (process.env.LIVE_DUMP) process.stderr.write(`${JSON.stringify({ words: spoken, onsets })}\n`);
    expect(phone.problems).toEqual([]);
  }, 60_000);

  test('are struck through when the caller cuts them off', async () => {
    const served = await runs.serve();
    await using phone = await callOnItsPage(served.url);
    await until(async () => (await phone.page.locator('.is-live.bot .heard').count()) > 2, 'words are heard');
    await phone.button('Press 2').click();
    const cut = phone.page.locator('.said.bot:not(.is-live)', { hasText: 'interrupted' }).first();
    await cut.waitFor();
    expect(await cut.locator('s').textContent()).toMatch(/\.$/);
    expect(await cut.locator('.unseen').textContent()).toContain('not heard');
    if (process.env.CUT_SCREENSHOT) await phone.page.screenshot({ path: process.env.CUT_SCREENSHOT });
  }, 60_000);

  test('a typed sentence is there at once, pale until it was said, also where the bot has no ears', async () => {
    const served = await runs.serve();
    await using phone = await callOnItsPage(served.url);
    const { page } = phone;
    await page.locator('.said.bot:not(.is-live)', { hasText: 'or 9 to hang up' }).waitFor();
    await page.getByLabel('Sentence to say').fill('I would like to book a table.');
    await page.keyboard.press('Enter');
    const bubble = page.locator('.typed-one', { hasText: 'I would like to book a table.' });
    await bubble.locator('.upcoming').waitFor();
    const ms = (await page.evaluate('watch.typed[0] - watch.submitted.at(-1)')) as number;
    process.stderr.write(`  shown ${ms.toFixed(1)} ms after it was typed\n`);
    await until(async () => (await bubble.locator('.upcoming').count()) === 0, 'it was said');
    expect(await bubble.textContent()).toContain('typed');
    await page.locator('.said.bot', { hasText: 'I can hear you, but I only understand the keys' }).waitFor();
  }, 60_000);
});
