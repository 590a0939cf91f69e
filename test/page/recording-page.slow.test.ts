import type { Page, Route } from 'playwright-core';
import { deferred } from '../../src/base/async/deferred.js';
import { keepCall, madeCall, rudeCall } from '../call/view/made-call.js';
import { until } from '../e2e/processes.js';
import { describeWithBrowser, sharedBrowser } from './in-browser.js';
import { PAGE_TOKEN, PageServer, type PageServerOptions } from './page-server.js';

/** Notes when a recording is to be played, and what plays. */
const NOTE_PLAYS = `
  globalThis.plays = 0;
  const { play } = HTMLMediaElement.prototype;
  HTMLMediaElement.prototype.play = function () {
    globalThis.plays += 1;
    globalThis.played = this;
    return play.call(this);
  };`;

describeWithBrowser('the recording of a call on its page (needs chromium)', () => {
  const browser = sharedBrowser();

  /** The page of a call that was recorded for 20 s. @param prepare before the page is shown */
  async function open(prepare: (page: Page) => Promise<unknown> = async () => {}, options: PageServerOptions = {}) {
    const server = await PageServer.start(options);
    const page = await browser().newPage();
    page.setDefaultTimeout(10_000);
    await page.addInitScript(NOTE_PLAYS);
    await prepare(page);
    const call = rudeCall();
    keepCall(server.stateDirectory, call);
    const hash = `#/calls/${call.record.id}`;
    if (options.isOpenLocally === false) {
      await page.goto(`${server.url}/#token=${PAGE_TOKEN}`);
      await page.getByText('Ready for calls').waitFor();
      await page.evaluate(`location.hash = '${hash}'`);
    } else await page.goto(`${server.url}/${hash}`);
    return {
      server,
      page,
      id: call.record.id,
      goTo8s: () => page.getByRole('button', { name: 'Go to 0:08' }).first().click(),
      isAt: (place: string) => page.locator(`[role=slider][aria-valuetext="${place} of 0:20"]`).waitFor(),
      play: () => page.getByRole('button', { name: 'Play' }).click(),
      plays: () => page.evaluate('plays') as Promise<number>,
      async [Symbol.asyncDispose]() {
        await page.close();
        await server[Symbol.asyncDispose]();
      },
    };
  }

  /** Has requests to an address wait for the test. */
  const held = async (page: Page, address: RegExp) => {
    const go = deferred<void>();
    await page.route(address, async (route) => {
      await go.promise;
      await route.continue().catch(() => {}); // the page may have given it up
    });
    return go;
  };

  test('goes to a place that was asked for before it was there', async () => {
    let go = deferred<void>();
    await using opened = await open(async (page) => {
      go = await held(page, /\/peaks/);
    });
    await opened.goTo8s();
    go.resolve();
    await opened.isAt('0:08');
  });

  test('goes to a place that is asked for while it is loaded, and plays from there', async () => {
    await using opened = await open();
    const { page } = opened;
    const go = await held(page, /audio\.wav/);
    await opened.play();
    await opened.goTo8s();
    go.resolve();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    // from the beginning it would take 9 s
    await page
      .locator('.time')
      .getByText(/^0:(09|1\d) \/ 0:20$/)
      .waitFor({ timeout: 6_000 });
  });

  test('does not play after all when it is stopped while it is loaded', async () => {
    await using opened = await open(undefined, { isOpenLocally: false });
    const { page } = opened;
    const go = await held(page, /audio\.wav/);
    await opened.play();
    await page.getByText('loading …').waitFor();
    await opened.play();
    await page.getByText('loading …').waitFor({ state: 'detached' });
    go.resolve();
    await page.unroute(/audio\.wav/);
    expect(await opened.plays()).toBe(0);
    await opened.play();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    expect(await opened.plays()).toBe(1);
  });

  test('is played again after the runner had not answered', async () => {
    await using opened = await open();
    const { page } = opened;
    await page.route(/audio\.wav/, (route) => route.abort());
    await opened.play();
    await page.getByText('The recording cannot be played.').waitFor();
    await page.unroute(/audio\.wav/);
    await opened.play();
    await page
      .locator('.time')
      .getByText(/^0:(0[1-9]|1\d) \/ 0:20$/)
      .waitFor();
    expect(await page.getByText('The recording cannot be played.').count()).toBe(0);
  });

  test('is not waited for by a key that is pressed before it is there', async () => {
    let go = deferred<void>();
    await using opened = await open(async (page) => {
      go = await held(page, /\/peaks/);
    });
    const { page } = opened;
    await page.getByText('Waiting for the recording').waitFor();
    await page.keyboard.press('Space');
    go.resolve();
    await page.getByRole('button', { name: 'Play' }).waitFor();
    expect(await opened.plays()).toBe(0);
  });

  test('is not heard when it comes after the user has gone elsewhere', async () => {
    await using opened = await open(undefined, { isOpenLocally: false });
    const { page } = opened;
    const asked: Route[] = [];
    await page.route(/audio\.wav/, (route) => void asked.push(route));
    await opened.play();
    await until(() => asked.length === 1, 'the recording is asked for');
    await page.evaluate("location.hash = '#/calls'");
    await page.getByRole('heading', { level: 1, name: 'Calls' }).waitFor();
    await asked[0]?.continue().catch(() => {});
    await page.unroute(/audio\.wav/);
    await page.evaluate("location.hash = '#/'");
    await page.getByText('Running since').waitFor();
    await page.evaluate('new Promise((resolve) => setTimeout(resolve, 500))');
    expect(await opened.plays()).toBe(0);
  });

  test('is gone from the page of a call that goes on when it is removed', async () => {
    let isRemoved = false;
    await using opened = await open();
    const { page, server } = opened;
    server.begin(madeCall({ id: 'live', startedAt: Date.now() - 9_000, untilMs: 8_000 }));
    await page.route(/calls\/live\/(peaks|audio)/, async (route) => {
      if (isRemoved) return await route.fulfill({ status: 404 });
      await route.continue({ url: route.request().url().replace('/live/', `/${opened.id}/`) });
    });
    await page.evaluate("location.hash = '#/calls/live'");
    await opened.play();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    isRemoved = true;
    await page.getByText('There is no recording of this call.').waitFor();
    expect(await page.getByRole('slider').count()).toBe(0);
    await page.waitForFunction('played.paused && !played.src');
  });
});
