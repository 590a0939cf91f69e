import { hostname } from 'node:os';
import { describeWithRedis, hasRedis } from '../cluster/redis-server.js';
import { RunnersUnderTest } from '../cluster/runners.js';
import { until } from '../e2e/processes.js';
import { Stream } from '../runner/hand-carrier.js';
import { muteBots } from '../runner/in-process-bots.js';
import { hasBrowser, sharedBrowser } from './in-browser.js';

const describeWithBoth = hasBrowser && hasRedis ? describeWithRedis : describe.skip;

describeWithBoth('the page of a runner in a cluster (needs chromium and redis-server)', () => {
  const browser = sharedBrowser();
  beforeEach(muteBots);
  afterEach(() => jest.restoreAllMocks());

  test.each(['light', 'dark'] as const)(
    'shows the runners and the calls of all, %s',
    async (colorScheme) => {
      await using runners = await RunnersUnderTest.start(3);
      await runners.knowEachOther();
      const ids: string[] = [];
      for (const { carrier, url } of runners.all) {
        const { streamUrl, callId } = await carrier.answer();
        await Stream.open(streamUrl, url);
        ids.push(callId);
      }
      const page = await browser().newPage({ colorScheme, viewport: { width: 1_100, height: 900 } });
      const problems: string[] = [];
      page.on('pageerror', (error) => problems.push(error.message));
      await page.goto(runners.at(0).url);
      const calls = page.getByRole('table', { name: 'Calls of this run' });
      await until(async () => (await calls.locator('tbody tr').count()) === 3, 'all calls are shown');
      await page.getByText('3 calls going on').waitFor();
      const machines = await page.getByRole('table', { name: 'Runners' }).locator('tbody .machine').allTextContents();
      expect(machines.map((text) => text.includes(hostname()))).toEqual([true, true, true]);
      expect(await calls.locator('tbody .machine').allTextContents()).toEqual(Array(3).fill(hostname()));

      // A change at another runner, and the call of another runner in its own view.
      await runners.at(1).carrier.hangup(ids[1] as string);
      await calls.getByText('caller hung up').waitFor();
      await page.setViewportSize({ width: 360, height: 740 });
      const isTooWide = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';
      expect(await page.evaluate(isTooWide)).toBe(false);
      await page.goto(`${runners.at(0).url}/#/calls/${ids[2]}`);
      await page.getByText('connected').first().waitFor();

      await page.goto(`${runners.at(0).url}/#/`);
      await runners.redis.stop();
      await page.getByRole('alert').getByText('Redis of the cluster is away').waitFor();
      expect(problems).toEqual([]);
      await page.close();
    },
    60_000,
  );
});
