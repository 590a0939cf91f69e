/** What the page of a runner tells of a bot whose code fails, of calls of other bots, and that a row is one link. */

import type { BrowserContextOptions } from 'playwright-core';
import { asCallId } from '../../src/call/call-id.js';
import type { RunnerEntry } from '../../src/call/timeline.js';
import { keepCall, type MadeCall, madeCall } from '../call/view/made-call.js';
import { violationsOf } from './axe.js';
import { describeWithBrowser, sharedBrowser } from './in-browser.js';
import { PageServer } from './page-server.js';

const NARROW_DARK: BrowserContextOptions = { viewport: { width: 360, height: 740 }, colorScheme: 'dark' };

const EXCEPTION = {
  error: "TypeError: Cannot read properties of undefined (reading 'name')",
  file: 'bot.ts',
  line: 9,
  column: 16,
  frame: [
    '   8 | function price(order) {',
    '>  9 |   return order.name.length;',
    '     |                ^',
    '  10 | }',
  ],
};

/** A handler of the bot throws when the caller is connected; the call goes on. */
function failingCall(id: string): MadeCall {
  const call = madeCall({ id, startedAt: Date.now() - 50_000 });
  const at = call.record.startedAt + 9_000;
  const message = EXCEPTION.error.replace('TypeError: ', '');
  const warning = { at, source: 'bot' as const, bot: 1, type: 'warning' as const, message, from: 'a handler' };
  const line = `pipeline: a handler failed: ${EXCEPTION.error}`;
  const output: RunnerEntry = { type: 'output', line, exception: EXCEPTION };
  return { ...call, events: [...call.events, warning, { at: at + 3, source: 'runner' as const, ...output }] };
}

describeWithBrowser('the page of the runner of a bot that fails (needs chromium)', () => {
  const browser = sharedBrowser();

  async function open(options: BrowserContextOptions = {}) {
    const server = await PageServer.start();
    const page = await browser().newPage(options);
    page.setDefaultTimeout(10_000);
    return {
      server,
      page,
      /** Beyond the window's width, in pixels. */
      overflow: () => page.evaluate('document.documentElement.scrollWidth - innerWidth'),
      async [Symbol.asyncDispose]() {
        await page.context().close();
        await server[Symbol.asyncDispose]();
      },
    };
  }

  test.each<[string, BrowserContextOptions]>([
    ['wide', {}],
    ['narrow and dark', NARROW_DARK],
  ])(
    'what a handler has thrown is an error with its place and its code, in the row and on the page, in a window that is %s',
    async (_name, options) => {
      await using opened = await open(options);
      const { server, page } = opened;
      server.begin(failingCall('failing'));
      server.registry.end(asCallId('failing'), 'caller_hung_up');
      await page.goto(`${server.url}/#/calls`);
      const row = page.getByRole('row').filter({ hasText: 'the caller hung up' });
      await row.getByText('error at bot.ts:9:16').waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await page.getByRole('radio', { name: 'Failed' }).check();
      await row.locator('.began').click({ force: true });
      const conclusion = page.locator('.conclusion.bad');
      await conclusion.getByText("and the bot's code has thrown an error (TypeError: Cannot read").waitFor();
      await conclusion.getByText('correct bot.ts:9:16').waitFor();
      await conclusion.getByText('return order.name.length;').waitFor();
      await page.locator('.transcript').getByText('return order.name.length;').waitFor();
      expect(await opened.overflow()).toBe(0);
      expect(await violationsOf(page)).toEqual([]);
    },
    30_000,
  );

  test.each<[string, BrowserContextOptions]>([
    ['wide', {}],
    ['narrow and dark', NARROW_DARK],
  ])(
    'a saved file that does not load is told with its place and what callers get, until it loads, in a window that is %s',
    async (_name, options) => {
      await using opened = await open(options);
      const { server, page } = opened;
      const { status } = server;
      await page.goto(server.url);
      await page.getByText('Ready for calls').waitFor();
      server.status = { ...status, notReloaded: { ...EXCEPTION, error: 'Unexpected "="' } };
      const banner = page.getByRole('alert');
      await banner.getByText('does not load: Unexpected "="').waitFor();
      await banner.getByText('Callers get the bot as it was before, and calls that go on keep').waitFor();
      await banner.getByText('bot.ts:9:16').waitFor();
      await page.getByRole('status').getByText('Ready, with the code from before').waitFor();
      expect(await opened.overflow()).toBe(0);
      expect(await violationsOf(page)).toEqual([]);
      server.status = { ...server.status, state: 'no_bot', readyBots: 0, botFails: true };
      await banner.getByText('callers get none').waitFor();
      server.status = status;
      await banner.waitFor({ state: 'detached' });
      await page.getByText('Ready for calls').waitFor();
    },
    30_000,
  );

  test('a row is one link: every cell of it leads to the call, by mouse, by keyboard and in a tab of its own', async () => {
    for (const options of [{}, NARROW_DARK]) {
      await using opened = await open(options);
      const { server, page } = opened;
      server.begin(failingCall('failing'));
      server.registry.end(asCallId('failing'), 'caller_hung_up');
      const list = `${server.url}/#/calls`;
      for (const cell of ['who', 'state', 'began', 'length', 'answer']) {
        await page.goto(list);
        const box = await page.locator(`tbody td.${cell}`).boundingBox();
        await page.mouse.click((box?.x ?? 0) + 4, (box?.y ?? 0) + (box?.height ?? 0) / 2);
        await page.waitForURL('**/#/calls/failing');
      }
      await page.goto(list);
      await page.locator('tbody td.length').waitFor();
      const tab = page.context().waitForEvent('page');
      await page.locator('tbody td.length').click({ button: 'middle', force: true });
      expect((await tab).url()).toContain('#/calls/failing');
      expect(page.url()).toBe(list);
      await page.locator('tbody a').focus();
      await page.keyboard.press('Enter');
      await page.waitForURL('**/#/calls/failing');
    }
  }, 45_000);

  test('a call is named by the bot that took it, whatever the runner has now, and an older record by none', async () => {
    await using opened = await open();
    const { server, page } = opened;
    keepCall(server.stateDirectory, madeCall({ id: 'earlier', record: { botFile: 'florist.ts' } }));
    keepCall(server.stateDirectory, madeCall({ id: 'older' }));
    await page.goto(`${server.url}/#/calls`);
    const rows = page.getByRole('table', { name: 'Calls of earlier runs' }).locator('tbody tr');
    await rows.filter({ hasText: 'florist.ts' }).waitFor();
    expect(await rows.filter({ hasText: '.ts' }).count()).toBe(1);
    await page.goto(`${server.url}/#/calls/earlier`);
    await page.locator('.call-head .fact').filter({ hasText: 'Bot' }).getByText('florist.ts').waitFor();
    await page.goto(`${server.url}/#/calls/older`);
    await page.getByText('never connected').or(page.getByText('0:46')).first().waitFor();
    expect(await page.locator('.call-head').getByText('.ts').count()).toBe(0);
  });

  test('steps are told in words, with what the wire calls them in the tooltip', async () => {
    await using opened = await open();
    const { server, page } = opened;
    keepCall(server.stateDirectory, madeCall({ id: 'earlier' }));
    await page.goto(`${server.url}/#/calls/earlier`);
    const steps = page.locator('.set-up li');
    await steps.filter({ hasText: 'the provider asks what to do' }).getByTitle('/answer').waitFor();
    await steps.filter({ hasText: 'waiting for the audio' }).getByTitle('waiting_for_stream').waitFor();
    expect((await steps.allTextContents()).join()).not.toMatch(/\/|_/);
    expect(await steps.locator('.figure').allTextContents()).toEqual(
      (await steps.locator('.figure').allTextContents()).map(() => expect.stringMatching(/\d (ms|s)$/)),
    );
    await page.getByRole('tab', { name: 'Messages' }).click();
    await page.getByText('drop what is not played yet').and(page.getByTitle('clear')).first().waitFor();
  });

  test.each<[string, BrowserContextOptions]>([
    ['wide', {}],
    ['narrow and dark', NARROW_DARK],
  ])(
    'a service that has failed is a quiet line, with what works in its place, in a window that is %s',
    async (_name, options) => {
      await using opened = await open(options);
      const { server, page } = opened;
      await page.goto(`${server.url}/#/calls`);
      await page.getByText('Ready for calls').waitFor();
      const { status } = server;
      const failed = { does: 'speech_to_text', provider: 'Deepgram', model: 'nova-3', isWell: false } as const;
      const since = new Date(2026, 0, 1, 14, 2).getTime();
      const instead = { provider: 'ElevenLabs', model: 'scribe_v2_realtime' };
      server.status = { ...status, services: [{ ...failed, since, why: 'Deepgram: 503', instead }] };
      const line = page.getByText(/^Deepgram does not answer since \d\d:\d\d; ElevenLabs listens\.$/);
      await line.waitFor();
      expect(await violationsOf(page)).toEqual([]);
      expect(await opened.overflow()).toBeLessThanOrEqual(0);
      server.status = status;
      await line.waitFor({ state: 'detached' });
    },
  );
});
