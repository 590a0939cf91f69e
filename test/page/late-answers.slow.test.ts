import type { Page, Route } from 'playwright-core';
import { deferred } from '../../src/base/async/deferred.js';
import { encodeWav } from '../../src/base/audio/wav.js';
import type { PhoneNumbers, PhoneRequest } from '../../src/call/phone-messages.js';
import { keepCall, madeCall } from '../call/view/made-call.js';
import { until } from '../e2e/processes.js';
import { campaignOf } from '../runner/campaigns/runner-of-campaigns.js';
import { describeWithBrowser, sharedBrowser } from './in-browser.js';
import { PAGE_TOKEN, PageServer, type PageServerOptions } from './page-server.js';

const NUMBERS: PhoneNumbers = {
  number: '+12025550100',
  callers: [{ number: '+12025550142', note: 'You' }],
  numbers: [],
  callees: [],
};
const FRAME = Buffer.alloc(160, 0xff);
const FRAME_MS = 20;

describeWithBrowser('the page of a runner that answers late, or not at all (needs chromium)', () => {
  const browser = sharedBrowser();

  async function open(options: PageServerOptions = {}) {
    const server = await PageServer.start(options);
    const page = await browser().newPage();
    page.setDefaultTimeout(10_000);
    return {
      server,
      page,
      show: (path = '') => page.goto(`${server.url}/${path}`),
      async [Symbol.asyncDispose]() {
        await page.close();
        await server[Symbol.asyncDispose]();
      },
    };
  }

  describe('an order to call a number', () => {
    const order = async (page: Page, number = '5551234567') => {
      await page.getByLabel('Your telephone number').fill(`+1${number}`);
      await page.getByRole('button', { name: 'Call me' }).click();
    };

    test('goes on while the user looks at something else', async () => {
      await using opened = await open();
      const { page, server } = opened;
      const answered = deferred<void>();
      const asked: Route[] = [];
      await page.route('**/start', async (route) => {
        asked.push(route);
        await answered.promise;
        await route.fulfill({ status: 400, json: { error: { code: 'VB_DIAL_LIMIT', message: 'too many calls' } } });
      });
      keepCall(server.stateDirectory, madeCall());
      await opened.show();
      await order(page);
      await page.getByRole('button', { name: 'Call me' }).and(page.locator(':disabled')).waitFor();
      await page.evaluate("location.hash = '#/calls'");
      await page.getByRole('heading', { level: 1, name: 'Calls' }).waitFor();
      await page.evaluate("location.hash = '#/'");
      await page.getByRole('button', { name: 'Call me' }).and(page.locator(':disabled')).waitFor();
      answered.resolve();
      await page.getByText('too many calls (VB_DIAL_LIMIT)').waitFor();
      expect(asked).toHaveLength(1);
    });

    test('is the same one when it is repeated for want of an answer, and another one after an answer', async () => {
      await using opened = await open();
      const { page } = opened;
      const keys: Array<string | undefined> = [];
      await page.route('**/start', async (route) => {
        keys.push(route.request().headers()['idempotency-key']);
        if (keys.length === 1) await route.abort();
        else if (keys.length === 2) await route.fulfill({ status: 502, body: 'Bad gateway' });
        else await route.fulfill({ status: 202, json: { version: 1, call_id: 'a', carrier_call_id: null } });
      });
      await opened.show();
      await order(page);
      await page.getByText('The runner may have placed the call.').waitFor();
      await order(page);
      await page.getByText('HTTP 502').waitFor();
      for (const number of ['5551234567', '5551234567', '5551234568']) {
        const before = keys.length;
        await order(page, number);
        await until(() => keys.length === before + 1, 'the order is sent');
        await page.getByRole('button', { name: 'Call me' }).and(page.locator(':enabled')).waitFor();
      }
      expect(keys[0]).toMatch(/^[\w-]{20,}$/);
      expect(keys.slice(1, 3)).toEqual([keys[0], keys[0]]);
      expect(new Set(keys).size).toBe(3);
    });
  });

  test('a double click pauses a campaign once', async () => {
    await using opened = await open();
    const { server, page } = opened;
    const { campaigns } = server.campaigns;
    await campaigns.start();
    await campaigns.create(campaignOf(12, { perMinute: 1, atOnce: 2, name: 'contacts.csv' }));
    await opened.show();
    const panel = page.getByRole('article', { name: 'Campaign contacts.csv' });
    const pause = panel.getByRole('button', { name: 'Pause' });
    const { x = 0, y = 0 } = (await pause.boundingBox()) ?? {};
    await page.mouse.move(x + 5, y + 5);
    await page.mouse.down({ clickCount: 1 });
    await page.mouse.up({ clickCount: 1 });
    await panel.getByRole('button', { name: 'Resume' }).and(page.locator(':enabled')).waitFor();
    await page.mouse.down({ clickCount: 2 });
    await page.mouse.up({ clickCount: 2 });
    await panel.getByRole('button', { name: 'Cancel' }).click();
    await panel.getByText('cancelled').waitFor();
    const orders = server.requests.filter((request) => /POST .*(pause|resume|cancel)/.test(request));
    expect(orders.map((request) => request.split('/').at(-1))).toEqual(['pause', 'cancel']);
  });

  describe('the phone', () => {
    /** In a call with a network that says nothing more from the answer on. */
    async function talk() {
      const opened = await open();
      const { server, page } = opened;
      server.status = { ...server.status, isSandbox: true, hasPhone: true, standIns: true };
      const said: PhoneRequest[] = [];
      let line: NodeJS.Timeout | undefined;
      await page.route('**/phone/numbers', (route) => route.fulfill({ json: NUMBERS }));
      await page.routeWebSocket(/\/phone$/, (socket) => {
        line = setInterval(() => socket.send(FRAME), FRAME_MS);
        socket.onMessage((message) => {
          if (typeof message !== 'string') return;
          const request: PhoneRequest = JSON.parse(message);
          said.push(request);
          if (request.type !== 'dial') return;
          socket.send(JSON.stringify({ type: 'ringing', callId: 'own' }));
          socket.send(JSON.stringify({ type: 'answered' }));
        });
      });
      await opened.show();
      await page.getByRole('button', { name: 'Call', exact: true }).click();
      await page.getByRole('button', { name: 'Hang up' }).waitFor();
      return {
        ...opened,
        said,
        async [Symbol.asyncDispose]() {
          clearInterval(line);
          await opened[Symbol.asyncDispose]();
        },
      };
    }

    test('is hung up although the network says nothing more', async () => {
      await using talking = await talk();
      const { page, said } = talking;
      await page.getByRole('button', { name: 'Hang up' }).click();
      await page.getByText('the runner has not confirmed that the call is over').waitFor();
      await page.getByRole('button', { name: 'Call again' }).waitFor();
      expect(said.map(({ type }) => type)).toContain('hangup');
    });

    test('says what was typed in the order of the typing', async () => {
      await using talking = await talk();
      const { page, said } = talking;
      const spoken = encodeWav({ sampleRate: 8_000, channels: [new Int16Array(800)], encoding: 'L16' });
      const first = deferred<Route>();
      const second = deferred<void>();
      await page.route('**/phone/speech', async (route) => {
        const { text } = route.request().postDataJSON();
        if (text === 'first') first.resolve(route);
        else {
          await route.fulfill({ body: Buffer.from(spoken) });
          second.resolve();
        }
      });
      const line = page.getByLabel('Sentence to say');
      for (const sentence of ['first', 'second']) {
        await line.fill(sentence);
        await line.press('Enter');
      }
      const held = await first.promise;
      await second.promise;
      await held.fulfill({ body: Buffer.from(spoken) });
      const words = () => said.flatMap((request) => (request.type === 'words' ? [request.text] : []));
      await until(() => words().length === 2, 'both are said');
      expect(words()).toEqual(['first', 'second']);
    });

    test('tells of its own call while the user looks at another one', async () => {
      await using talking = await talk();
      const { server, page } = talking;
      const other = madeCall({ record: { botFile: 'other.ts' } });
      keepCall(server.stateDirectory, other);
      await page.evaluate(`location.hash = '#/calls/${other.record.id}'`);
      await page.locator('.call-head').getByText('other.ts').waitFor();
      expect(await page.locator('.phone.aside h2').textContent()).toBe('Call to bakery.ts');
    });

    test('is there when its numbers come late', async () => {
      await using opened = await open();
      const { server, page } = opened;
      server.status = { ...server.status, hasPhone: true };
      let times = 0;
      await page.route('**/phone/numbers', (route) =>
        ++times === 1 ? route.abort() : route.fulfill({ json: NUMBERS }),
      );
      await opened.show();
      await page.getByRole('button', { name: 'Call', exact: true }).waitFor();
      expect(await page.getByText('costs what your account pays').isVisible()).toBe(false);
    });
  });

  test('no call is missed in a list that is not known yet', async () => {
    await using opened = await open();
    const { server, page } = opened;
    keepCall(server.stateDirectory, madeCall());
    const asked: Route[] = [];
    await page.route('**/folders', (route) => void asked.push(route));
    await opened.show();
    await page.getByText('Running since').waitFor();
    await until(() => asked.length === 1, 'the list is asked for');
    expect(await page.getByText('No call yet.').count()).toBe(0);
    await asked[0]?.abort();
    await until(() => asked.length === 2, 'it is asked for again');
    await asked[1]?.continue();
    await page.getByRole('table', { name: 'Calls of earlier runs' }).waitFor();
  });

  describe('the token', () => {
    test('is taken from an address that is given to a page that is open, and no address shows it', async () => {
      await using opened = await open({ isOpenLocally: false });
      const { page } = opened;
      await opened.show();
      await page.getByRole('heading', { name: 'The runner wants its token' }).waitFor();
      await page.evaluate(`location.hash = '#token=${PAGE_TOKEN}'`);
      await page.getByText('Ready for calls').waitFor();
      expect(new URL(page.url()).hash).toBe('#/');
    });

    test('may be given again: the runner may have been started with another one', async () => {
      await using opened = await open({ isOpenLocally: false });
      const { page } = opened;
      await page.route('**/events', (route) => route.fulfill({ status: 401, json: {} }));
      await opened.show();
      const give = async () => {
        await page.getByLabel('Token').fill(PAGE_TOKEN);
        await page.getByRole('button', { name: 'Show the calls' }).click();
      };
      await give();
      await page.getByText("This is not the runner's token.").waitFor();
      await page.unroute('**/events');
      await give();
      await page.getByText('Ready for calls').waitFor();
    });
  });

  test('a call that a restarted runner does not know is over', async () => {
    await using opened = await open();
    const { server, page } = opened;
    server.begin(madeCall({ id: 'live', startedAt: Date.now() - 8_000, untilMs: 8_000 }));
    await opened.show('#/calls/live');
    await page.getByText('Are you open on Sunday').waitFor();
    const length = page.locator('.call-head .fact', { hasText: 'Length' });
    await server.stop();
    await using _again = await PageServer.start({ port: server.port });
    await page.getByText('What is kept of this call stops before its end').waitFor({ timeout: 15_000 });
    const before = await length.textContent();
    await page.evaluate('new Promise((resolve) => setTimeout(resolve, 1_500))');
    expect(await length.textContent()).toBe(before);
  }, 45_000);
});
