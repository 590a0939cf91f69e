import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import type { Campaign } from '../../src/runner/campaigns/campaign.js';
import { campaignOf } from '../runner/campaigns/runner-of-campaigns.js';
import { PageServer } from './page-server.js';

const CHROMIUM = '/usr/bin/chromium';
const describeWithBrowser = existsSync(CHROMIUM) ? describe : describe.skip;
/** Where to keep a picture of each, for people. */
const { VOICEBOT_PICTURES } = process.env;

describeWithBrowser('campaigns on the page of the runner (needs chromium)', () => {
  test.each(['light', 'dark'] as const)(
    'are shown, paused, resumed and cancelled: %s',
    async (colorScheme) => {
      await using server = await PageServer.start();
      const { campaigns } = server.campaigns;
      await campaigns.start();
      const args = ['--no-sandbox', '--disable-gpu', '--mute-audio', '--disable-background-networking'];
      const browser = await chromium.launch({ executablePath: CHROMIUM, args });
      try {
        const page = await browser.newPage({ colorScheme });
        page.setDefaultTimeout(10_000);
        const problems: string[] = [];
        page.on('pageerror', (error) => problems.push(error.message));
        page.on('console', (message) => void (message.type() === 'error' && problems.push(message.text())));
        await page.goto(server.url);
        await page.getByText('No call yet.').waitFor();
        await campaigns.create(slow({ name: 'contacts.csv' }));
        const panel = page.getByRole('article', { name: 'Campaign contacts.csv' });
        await panel.getByText('0 of 12').waitFor();
        await panel.getByText('1 on the line').waitFor();
        if (VOICEBOT_PICTURES) await page.screenshot({ path: `${VOICEBOT_PICTURES}/campaigns-${colorScheme}.png` });
        await panel.getByRole('button', { name: 'Pause' }).click();
        await panel.getByText('paused').waitFor();
        await panel.getByRole('button', { name: 'Resume' }).click();
        await panel.getByText('running').waitFor();
        await panel.getByRole('button', { name: 'Cancel' }).click();
        await panel.getByText('cancelled').waitFor();
        expect(await panel.getByRole('button').count()).toBe(0);
        await page.setViewportSize({ width: 360, height: 740 });
        const isTooWide = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';
        expect(await page.evaluate(isTooWide)).toBe(false);
        expect(problems).toEqual([]);
      } finally {
        await browser.close();
      }
    },
    40_000,
  );
});

/** One whose calls never end. */
const slow = (change: Partial<Campaign>) => campaignOf(12, { perMinute: 1, atOnce: 2, ...change });
