import { rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { asCallId } from '../../src/call/call-id.js';
import { keepCall, madeCall } from '../call/view/made-call.js';
import { until } from '../e2e/processes.js';
import { violationsOf } from './axe.js';
import { describeWithBrowser, sharedBrowser } from './in-browser.js';
import { PAGE_TOKEN, PageServer, type PageServerOptions } from './page-server.js';

const NARROW = { viewport: { width: 360, height: 740 } };
const HOSTILE = '<img src=x onerror="window.isHacked=true"><script>window.isHacked=true</script>';

describeWithBrowser('the page of the runner, in a browser (needs chromium)', () => {
  const browser = sharedBrowser();

  /** A page on a server of its own, and what it complains of. */
  async function open(options: BrowserContextOptions = {}, serverOptions: PageServerOptions = {}) {
    const server = await PageServer.start(serverOptions);
    const page = await browser().newPage(options);
    page.setDefaultTimeout(10_000);
    const problems: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text());
    });
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('request', (request) => {
      if (!/^(blob|data):/.test(request.url()) && !request.url().startsWith(server.url)) problems.push(request.url());
    });
    const show = (path = '') => page.goto(`${server.url}/${path}`);
    return {
      server,
      page,
      problems,
      show,
      /** @returns the folder of the call */
      async showKept(call = madeCall()) {
        const folder = keepCall(server.stateDirectory, call);
        await show(`#/calls/${call.record.id}`);
        return folder;
      },
      async showLive() {
        const call = madeCall({ id: 'live', startedAt: Date.now(), untilMs: 8_000 });
        server.begin(call);
        await show('#/calls/live');
        await page.getByText('Are you open on Sunday').waitFor();
        return call;
      },
      async [Symbol.asyncDispose]() {
        await page.close();
        await server[Symbol.asyncDispose]();
      },
    };
  }

  const isTooWide = (page: Page) =>
    page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');
  const rows = (page: Page, table: string) => page.getByRole('table', { name: table }).locator('tbody tr');

  test('says how to place the first call, and lists calls as they happen, and those of earlier runs', async () => {
    await using opened = await open();
    const { server, page, problems } = opened;
    await opened.show();
    await page.getByText('No call yet.').waitFor();
    await page.getByText('with a telephone, at +12025550100').waitFor();
    const earlier = madeCall({ id: 'earlier', record: { endReason: 'busy' } });
    keepCall(server.stateDirectory, earlier);
    await page.reload();
    await page.getByText('Ready for calls').waitFor();
    await page.getByText('bakery.ts').waitFor();
    await page.getByText('https://bot.example.com').waitFor();
    await rows(page, 'Calls of earlier runs').getByText('busy').waitFor();

    const live = madeCall({ id: 'live', startedAt: Date.now(), untilMs: 8_000 });
    server.begin(live);
    await rows(page, 'Calls of this run').getByText('connected').waitFor();
    await page.getByText('1 call going on').waitFor();
    await until(async () => (await page.title()) === '(1) voicebot', 'the title counts the call');
    server.registry.end(live.record.id, 'bot_crashed');
    await rows(page, 'Calls of this run').getByText('every bot of this call failed').waitFor();

    await page.getByLabel('Filter calls').fill('BUSY');
    await page.getByText('every bot of this call failed').waitFor({ state: 'detached' });
    await page.getByLabel('Filter calls').fill('');
    await page.getByRole('radio', { name: 'Failed' }).check();
    await rows(page, 'Calls of earlier runs').first().waitFor({ state: 'detached' });
    await page.getByRole('radio', { name: 'Live' }).check();
    await page.getByText('No call fits the filter.').waitFor();
    expect(problems).toEqual([]);
  });

  test('shows a call while it goes on, until it has ended', async () => {
    await using opened = await open();
    const { server, page, problems } = opened;
    const call = madeCall({ id: 'live', startedAt: Date.now() - 9_000 });
    const until9s = ({ at }: { at: number }) => at <= call.record.startedAt + 9_000;
    keepCall(server.stateDirectory, { ...call, events: [] });
    server.begin({ ...call, events: call.events.filter(until9s) });
    await opened.show();
    await page.getByRole('link', { name: '+12025550142' }).first().click();
    await page.getByText('The bot is speaking.').waitFor();
    await page.getByText('Are you open on Sunday').waitFor();
    await page.getByText('recording', { exact: true }).waitFor();
    const late = call.events.filter((event) => !until9s(event));
    server.happen({ ...call, events: late });
    await page.getByText('No, thank you. Bye!').waitFor();
    server.registry.end(call.record.id, 'caller_hung_up');
    await page.getByText(/^The caller hung up after .* s\.$/).waitFor();
    await page.getByText('recording', { exact: true }).waitFor({ state: 'detached' });
    expect(problems).toEqual([]);
  });

  test('plays a finished call, in step with its transcript', async () => {
    await using opened = await open();
    const { page, problems } = opened;
    await opened.showKept();
    await page.getByText('The caller hung up after 46 s.').waitFor();
    expect(await page.locator('s').first().textContent()).toMatch(/^for you\. They are at the counter/);
    await page.getByRole('button', { name: 'Sorry, three' }).click();
    await page.getByText('0:19 / 0:46').waitFor();
    await page.getByRole('button', { name: 'Play' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    const current = page.locator('[aria-current=true]');
    await current.filter({ hasText: 'Sorry, three' }).waitFor();
    await page.getByLabel('Speed').selectOption('2');
    await current.filter({ hasText: 'Three loaves, then' }).waitFor({ timeout: 10_000 });
    await page.getByRole('button', { name: 'Pause' }).click();
    const slider = page.getByRole('slider');
    await slider.press('Home');
    expect(await slider.getAttribute('aria-valuetext')).toBe('0:00 of 0:46');
    await slider.press('ArrowRight');
    await slider.press('PageUp');
    expect(await slider.getAttribute('aria-valuetext')).toBe('0:35 of 0:46');
    const box = await slider.boundingBox();
    await slider.click({ position: { x: (box?.width ?? 0) / 2, y: 80 } });
    expect(await slider.getAttribute('aria-valuetext')).toBe('0:23 of 0:46');
    for (let count = 0; count < 3; count += 1) await page.getByRole('button', { name: 'Zoom in' }).click();
    const place = await page.evaluate(`(() => {
      const element = document.querySelector('[role=slider]');
      element.scrollLeft = 2000;
      const [canvas, around] = [element.querySelector('canvas'), element].map((each) => each.getBoundingClientRect());
      return [element.scrollLeft, Math.abs(canvas.left - around.left) < 3];
    })()`);
    expect(place).toEqual([2_000, true]);
    // Both sides are drawn: some of the canvas has the colour of each.
    const colours = await page.evaluate(`(() => {
      const canvas = document.querySelector('canvas');
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      const counts = new Map();
      for (let at = 0; at < data.length; at += 4) {
        const colour = data.slice(at, at + 4).join();
        counts.set(colour, (counts.get(colour) ?? 0) + 1);
      }
      return [...counts].filter(([, count]) => count > 2000).map(([colour]) => colour);
    })()`);
    expect(colours).toEqual(expect.arrayContaining(['11,114,133,255', '112,72,232,255']));
    expect(problems).toEqual([]);
  }, 30_000);

  test('shows the timing, the messages and the log, by keyboard', async () => {
    await using opened = await open();
    const { page, problems } = opened;
    await opened.showKept();
    await page.getByText('The bot was heard after 900 ms.').waitFor();
    await page.getByText('960 ms (median of 4), 2.26 s at most').waitFor();
    await page.locator('.turns summary').nth(1).press('Enter');
    await page.getByRole('cell', { name: '1.24 s' }).waitFor();
    await page.getByRole('tab', { name: 'Timing' }).press('ArrowRight');
    await page.getByRole('button', { name: 'connect the audio' }).press('Enter');
    await page.getByText('<Redirect method="POST">').waitFor();
    await page.getByRole('tab', { name: 'Messages' }).press('ArrowRight');
    await page.getByText('conversation begins model=gpt-4.1-mini').waitFor();
    await page.getByLabel('Level').selectOption('warn');
    await page.getByText('bakery: 3 loaves kept').waitFor({ state: 'detached' });
    await page.getByText('slow to confirm a transcript').last().waitFor();
    expect(problems).toEqual([]);
  });

  test('can be used without a mouse: every control has a name, and the focus is seen', async () => {
    await using opened = await open();
    const { server, page } = opened;
    const call = madeCall();
    keepCall(server.stateDirectory, call);
    await opened.show();
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent.trim()')).toBe('Skip to the content');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('[document.activeElement.id, location.hash]')).toEqual(['content', '']);
    await page.getByRole('link', { name: '+12025550142' }).press('Enter');
    await page.getByText('The caller hung up after 46 s.').waitFor();
    const nameless = await page.evaluate(`[...document.querySelectorAll('button, a, input, select, [role=slider]')]
      .filter((each) => !(each.getAttribute('aria-label') || each.textContent.trim() || each.labels?.length))
      .map((each) => each.outerHTML)`);
    expect(nameless).toEqual([]);
    const unseen: unknown[] = [];
    for (let count = 0; count < 25; count += 1) {
      await page.keyboard.press('Tab');
      const outline = await page.evaluate(
        '[document.activeElement.tagName, getComputedStyle(document.activeElement).outlineStyle]',
      );
      const [tag, style] = outline as [string, string];
      if (style === 'none' && tag !== 'BODY') unseen.push(tag);
    }
    expect(unseen).toEqual([]);
  });

  test.each([
    ['narrow and dark', { ...NARROW, colorScheme: 'dark' }],
    ['wide', { viewport: { width: 1_400, height: 900 } }],
  ] as const)('fits a window that is %s', async (_name, options) => {
    await using opened = await open(options);
    const { server, page, problems } = opened;
    const long = 'x'.repeat(300);
    const call = madeCall({ question: long, record: { from: `sip:${long}@example.com` } });
    keepCall(server.stateDirectory, call);
    keepCall(server.stateDirectory, madeCall({ id: 'other', record: { endReason: 'telephony_error' } }));
    await opened.show();
    await rows(page, 'Calls of earlier runs').first().waitFor();
    expect(await isTooWide(page)).toBe(false);
    await opened.show(`#/calls/${call.record.id}`);
    await page.getByText(long).first().waitFor();
    for (const name of ['Timing', 'Messages', 'Log']) {
      await page.getByRole('tab', { name }).click();
      expect(await isTooWide(page)).toBe(false);
    }
    const isDark = 'colorScheme' in options;
    const ground = await page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
    expect(ground).toBe(isDark ? 'rgb(15, 18, 22)' : 'rgb(246, 247, 249)');
    expect(problems).toEqual([]);
  });

  test('shows names, texts and reasons from outside as text', async () => {
    await using opened = await open();
    const { server, page, problems } = opened;
    const call = madeCall({ id: 'hostile', question: HOSTILE, record: { from: HOSTILE, to: HOSTILE } });
    const at = call.record.startedAt + 9_000;
    const events = [
      ...call.events,
      { at, source: 'bot', type: 'warning', message: HOSTILE, from: HOSTILE },
      { at, source: 'bot', type: 'tool_called', call: HOSTILE, name: HOSTILE, input: HOSTILE },
      { at, source: 'bot', type: 'keys', direction: 'in', keys: HOSTILE },
      { at, source: 'bot', type: 'wire', direction: 'in', name: HOSTILE, detail: HOSTILE },
      { at, source: 'runner', type: 'log', level: 'error', message: HOSTILE, fields: { [HOSTILE]: HOSTILE } },
      { at, source: 'runner', type: 'phase', phase: HOSTILE },
      { at, source: 'runner', type: HOSTILE },
    ] as typeof call.events;
    keepCall(server.stateDirectory, { ...call, events });
    server.registry.open({
      id: asCallId(`id ${HOSTILE}`),
      direction: 'inbound',
      from: HOSTILE,
      to: '',
      state: 'ringing',
    });
    server.status = { ...server.status, botFile: HOSTILE, number: HOSTILE, publicUrl: HOSTILE };
    await opened.show();
    await page.getByText(HOSTILE).first().waitFor();
    await opened.show('#/calls/hostile');
    await page.getByText('The caller hung up after').waitFor();
    for (const name of ['Messages', 'Log']) {
      await page.getByRole('tab', { name }).click();
      await page.getByRole('tabpanel').getByText(HOSTILE).first().waitFor();
    }
    await page.getByText(HOSTILE).first().waitFor();
    expect(
      await page.evaluate("[window.isHacked, document.querySelectorAll('img').length, document.scripts.length]"),
    ).toEqual([undefined, 0, 1]);
    expect(problems).toEqual([]);
  });

  test('says so when the runner is gone, and goes on when it is back', async () => {
    await using opened = await open();
    const { server, page } = opened;
    const call = await opened.showLive();
    const { port } = server;
    await server.stop();
    await page.getByText('The runner does not answer').first().waitFor();
    await page.getByText('npx voicebot run', { exact: true }).waitFor();
    await page.getByText('Are you open on Sunday').waitFor(); // what was known stays
    expect(await violationsOf(page)).toEqual([]);
    await using again = await PageServer.start({ port });
    again.begin(call);
    await page.getByText('Ready for calls').waitFor({ timeout: 15_000 });
    again.registry.end(call.record.id, 'bot_ended');
    await page.getByText(/^The bot hung up/).waitFor({ timeout: 15_000 });
  }, 45_000);

  test('what needs the runner cannot be clicked while it is gone, and can again when it is back', async () => {
    await using opened = await open();
    const { server, page } = opened;
    server.status = { ...server.status, standIns: true };
    await opened.show();
    const command = page.getByText('npx voicebot run --stand-ins', { exact: true });
    const dial = page.getByRole('button', { name: 'Call me' });
    await dial.and(page.locator(':enabled')).waitFor();
    await server.stop();
    await dial.and(page.locator(':disabled')).waitFor();
    await command.waitFor();
    await using again = await PageServer.start({ port: server.port });
    await dial.and(page.locator(':enabled')).waitFor({ timeout: 15_000 });
    expect(await command.count()).toBe(0);
    expect(again.requests.length).toBeGreaterThan(0);
  }, 45_000);

  test('a call that the runner does not answer for says so, until it does', async () => {
    await using opened = await open();
    const { page } = opened;
    await page.route(/\/(events|peaks)/, (route) => route.abort());
    await opened.showKept();
    await page.getByText('The runner does not answer: the call is shown when it does.').waitFor();
    await page.unroute(/\/(events|peaks)/);
    await page.route(/\/peaks/, (route) => route.abort());
    await page.getByText('The runner does not answer: the recording is shown when it does.').waitFor();
    await page.unroute(/\/peaks/);
    await page.getByRole('button', { name: 'Play' }).waitFor();
  }, 30_000);

  test('what was typed has its mark, and a bot that a call has ended without was not heard', async () => {
    await using opened = await open();
    const { record, ...call } = madeCall({ record: { endReason: 'bot_crashed' } });
    const typed = { text: 'Hello?', typed: true, startedAt: record.startedAt + 1_000 } as const;
    const events = call.events.filter(({ type }) => type === 'record' || type === 'recording');
    const said = { type: 'said', speaker: 'caller', source: 'bot', bot: 1, ...typed } as const;
    await opened.showKept({ ...call, record, events: [...events, { at: record.startedAt + 2_000, ...said }] });
    await opened.page.locator('.said.caller').getByText('typed', { exact: true }).waitFor();
    await opened.page.getByText('The bot was not heard.').waitFor();
  });

  test('chips that do not fit in one line stand below each other from the same edge', async () => {
    await using opened = await open({ viewport: { width: 760, height: 740 } });
    const { server, page } = opened;
    keepCall(server.stateDirectory, madeCall({ record: { endReason: 'bot_crashed', isLocal: true, attempt: 3 } }));
    await opened.show();
    await page.getByText('bot no. 3').waitFor();
    const edges = await page.evaluate(`(() => {
      const lines = new Map();
      for (const chip of document.querySelectorAll('.calls .state .chip')) {
        const { top, left } = chip.getBoundingClientRect();
        lines.set(Math.round(top), Math.min(left, lines.get(Math.round(top)) ?? Infinity));
      }
      return [...lines.values()].map(Math.round);
    })()`);
    expect((edges as number[]).length).toBeGreaterThan(1);
    expect(new Set(edges as number[]).size).toBe(1);
  });

  test('the rows tell what was said last and how long the caller waited, the newest first', async () => {
    await using opened = await open(NARROW);
    const { server, page } = opened;
    const summary = { lastWords: { speaker: 'bot' as const, text: 'Goodbye, then.' }, answerMs: 1_240 };
    keepCall(server.stateDirectory, madeCall({ id: 'earlier', record: { summary } as object }));
    const older = madeCall({ id: 'older', startedAt: Date.now() - 60_000, untilMs: 8_000 });
    server.begin(older);
    await until(
      async () => Date.now() > (server.registry.get(older.record.id)?.startedAt ?? Number.POSITIVE_INFINITY),
      'time goes on',
    );
    server.begin(madeCall({ id: 'newer', startedAt: Date.now() - 50_000 }));
    server.registry.end(asCallId('newer'), 'caller_hung_up');
    await opened.show();
    const own = rows(page, 'Calls of this run');
    await own.first().getByText('Goodbye, and see you').waitFor();
    await own.first().getByText('960 ms').waitFor();
    await own.nth(1).getByText('Are you open on Sunday').waitFor();
    await rows(page, 'Calls of earlier runs').getByText('Goodbye, then.').waitFor();
    await rows(page, 'Calls of earlier runs').getByText('1.24 s').waitFor();
    server.happen({ ...older, events: madeCall({ id: 'older', startedAt: Date.now() - 60_000 }).events });
    await own.nth(1).getByText('Goodbye, and see you').waitFor(); // while it goes on
    expect(await isTooWide(page)).toBe(false);
    expect(await violationsOf(page)).toEqual([]);
    for (const shown of ['goodbye, then', 'The caller hung up']) {
      await page.getByLabel('Filter calls').fill(shown);
      await own.getByText('connected').waitFor({ state: 'detached' });
      await rows(page, 'Calls of earlier runs').getByText('Goodbye, then.').waitFor();
      await page.getByLabel('Filter calls').fill('');
      await own.getByText('connected').waitFor();
    }
  });

  test('a call that goes on stays in the list, however many have come and ended since', async () => {
    await using opened = await open();
    const { server, page } = opened;
    server.begin(madeCall({ id: 'live', startedAt: Date.now(), untilMs: 8_000 }));
    for (let count = 0; count < 100; count += 1) {
      const id = asCallId(`ended-${count}`);
      server.registry.open({ id, direction: 'inbound', from: '', to: '', state: 'ringing' });
      server.registry.end(id, 'caller_hung_up');
    }
    await opened.show();
    await page.getByText('And 1 earlier ones').waitFor();
    await rows(page, 'Calls of this run').getByText('connected').waitFor();
    expect(await rows(page, 'Calls of this run').count()).toBe(100);
  });

  test('no button is named that is not there', async () => {
    await using opened = await open();
    const { server, page } = opened;
    server.status = { ...server.status, hasPhone: true }; // and there is nothing to ring
    await opened.show();
    await page.getByText('Call the bot with a telephone, at +12025550100').waitFor();
    await page.getByRole('heading', { name: 'Have it call me' }).waitFor();
    await page.getByText('Call the bot with a telephone, at +12025550100').waitFor();
  });

  test('axe finds nothing wrong with the page of a call, light and dark; no frame is drawn around a page that was opened at its address', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await using opened = await open({ colorScheme });
      const { page } = opened;
      const call = madeCall();
      await opened.showKept(call);
      await page.getByText('The caller hung up after 46 s.').waitFor();
      await page.reload();
      await page.getByText('The caller hung up after 46 s.').waitFor();
      await opened.show();
      await page.getByRole('heading', { name: 'Calls' }).waitFor();
      await page.goto(`${opened.server.url}/#/calls/${call.record.id}`);
      await page.getByText('The caller hung up after 46 s.').waitFor();
      expect(await page.evaluate("getComputedStyle(document.getElementById('content')).outlineStyle")).toBe('none');
      for (const name of ['Timing', 'Messages', 'Log']) {
        await page.getByRole('tab', { name }).click();
        expect(await violationsOf(page)).toEqual([]);
      }
      await opened.show('#/calls');
      await page.getByRole('heading', { name: 'Calls', level: 1 }).waitFor();
      expect(await violationsOf(page)).toEqual([]);
    }
  }, 60_000);

  test('asks for the token, keeps it out of its address, and plays with it', async () => {
    await using opened = await open({}, { isOpenLocally: false });
    const { server, page } = opened;
    const call = madeCall();
    keepCall(server.stateDirectory, call);
    await opened.show();
    await page.getByLabel('Token').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.getByLabel('Token').fill('wrong');
    await page.getByRole('button', { name: 'Show the calls' }).click();
    await page.getByRole('alert').getByText("This is not the runner's token.").waitFor();
    await page.getByLabel('Token').fill(PAGE_TOKEN);
    await page.getByRole('button', { name: 'Show the calls' }).click();
    await page.getByText('Ready for calls').waitFor();
    await page.evaluate('sessionStorage.clear()');
    await page.goto('about:blank');
    await opened.show(`#token=${PAGE_TOKEN}`);
    await page.getByText('Ready for calls').waitFor();
    expect(page.url()).toBe(`${server.url}/#/`);
    await page.getByRole('link', { name: '+12025550142' }).first().click();
    await page.getByRole('button', { name: 'Play' }).click();
    await page.getByText(/^0:(0[1-9]|[1-4]\d) \/ 0:46$/).waitFor();
    expect(server.requests.filter((request) => request.includes(PAGE_TOKEN))).toEqual([]);
  }, 30_000);

  test('shows a damaged call as far as it goes, and what is missing', async () => {
    await using opened = await open();
    const { server, page, problems } = opened;
    const call = madeCall();
    const folder = keepCall(server.stateDirectory, call);
    truncateSync(join(folder, 'events.ndjson'), 4_000);
    truncateSync(join(folder, 'audio.wav'), 100_001);
    await opened.show(`#/calls/${call.record.id}`);
    await page.getByText('Not everything of this call is there').waitFor();
    await page.getByText('The last line of events.ndjson is cut off.').waitFor();
    await page.getByText('0:00 / 0:03').waitFor();
    rmSync(join(folder, 'audio.wav'));
    rmSync(join(folder, 'events.ndjson'));
    await page.reload();
    await page.getByText('There is no recording of this call.').waitFor();
    await page.getByText('The caller hung up after').waitFor();
    await opened.show('#/calls/nobody');
    await page.getByText('The runner knows no such call.').waitFor();
    await opened.show('#/calls/%E0%A4');
    await page.getByRole('heading', { name: 'Calls' }).waitFor();
    expect(problems.filter((problem) => !problem.includes('404'))).toEqual([]);
  });

  test('stops asking when it is left', async () => {
    await using opened = await open();
    const { server, page } = opened;
    const followers = () => server.registry.timelines.listenerCount('event');
    const before = followers();
    await opened.showLive();
    expect(followers()).toBeGreaterThan(before);
    await page.getByRole('link', { name: 'All calls' }).click();
    await page.getByRole('heading', { name: 'Calls' }).waitFor();
    await until(() => followers() === before, 'the call is not followed any more');
  });
});
