import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { until } from '../../e2e/processes.js';
import { startLiveRooms } from './live-rooms-under-test.js';

const CHROMIUM = '/usr/bin/chromium';
const describeWithBrowser = existsSync(CHROMIUM) ? describe : describe.skip;

describeWithBrowser('the page of a room, in a browser (needs chromium)', () => {
  let browser: Browser;

  beforeAll(async () => {
    const args = ['--no-sandbox', '--disable-gpu', '--use-fake-device-for-media-stream'];
    const quiet = ['--use-fake-ui-for-media-stream', '--disable-background-networking', '--disable-component-update'];
    browser = await chromium.launch({ executablePath: CHROMIUM, args: [...args, ...quiet] });
  }, 30_000);
  afterAll(() => browser.close());

  test('joins with its microphone, is heard, hears, sees who is there, and leaves', async () => {
    await using live = await startLiveRooms({ timing: { tickMs: 20 } });
    const room = await live.room();
    await using owner = await live.owner(room, 'the bot');
    owner.hum(500);
    const page = await browser.newPage();
    const problems: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text());
    });
    page.on('pageerror', (error) => problems.push(error.message));
    await page.goto(`${room.url}#t=${await live.tokenFor(room.name)}`);
    expect(page.url()).toBe(room.url);
    await page.getByLabel('Your name').fill('Ada');
    await page.getByRole('button', { name: 'Join' }).click();
    const { participant } = await owner.event('participant-joined');
    expect(participant).toMatchObject({ user_name: 'Ada', owner: false });
    await page.getByText('You are in the room.').waitFor();
    expect(await page.getByRole('listitem').allTextContents()).toEqual(['You', 'the bot']);
    // The fake microphone beeps once a second.
    await owner.heard.next((pcm) => pcm.some((sample) => Math.abs(sample) > 1_000), 10_000);
    // Not waitForFunction: it evaluates text inside the page, whose policy forbids that.
    const level = () => page.evaluate<number>("document.getElementById('level').value");
    await until(async () => (await level()) > 0.1, 'the page hears the bot');
    if (process.env.ROOM_SCREENSHOT) await page.screenshot({ path: process.env.ROOM_SCREENSHOT });
    await page.getByRole('button', { name: 'Leave' }).click();
    expect(await owner.event('participant-left')).toMatchObject({ participant: { user_name: 'Ada' } });
    await page.getByText('You have left.').waitFor();
    expect(problems).toEqual([]);
    await page.close();
  }, 30_000);

  test('says why somebody is not let in', async () => {
    await using live = await startLiveRooms();
    const room = await live.room();
    const page = await browser.newPage();
    await page.goto(room.url);
    await page.getByRole('button', { name: 'Join' }).click();
    await page.getByText('You need an invitation to this room').waitFor();
    await page.getByRole('button', { name: 'Join' }).waitFor();
    await page.close();
  }, 30_000);
});
