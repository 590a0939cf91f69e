import { setImmediate as turn } from 'node:timers/promises';
import { deferred } from '../../../src/base/async/deferred.js';
import { BotPages } from '../../../src/runner/bots/bot-pages.js';
import { BotProcess } from '../../../src/runner/bots/bot-process.js';
import { prepareBot } from '../../../src/runner/bots/bot-source.js';
import type { MessageFromBot, MessageToBot } from '../../../src/runner/bots/messages.js';
import { RunnerPages } from '../../../src/runner/bots/runner-pages.js';
import { until } from '../../e2e/processes.js';
import { FakeBrowser, noBrowser } from '../rooms/fake-browser.js';
import { botFile } from '../runner-under-test.js';

const URL_OF_PAGE = 'http://127.0.0.1:1234/page';

/** What passes between two processes is a copy, and comes later. */
const passed = <T>(message: T, receive: (message: T) => void) =>
  setImmediate(() => receive(JSON.parse(JSON.stringify(message))));

/** Both sides of the channel of one bot process. */
function connected(browser: FakeBrowser | undefined, own = new FakeBrowser()) {
  const toBot: MessageToBot[] = [];
  const runner = new BotPages(browser, (message) => {
    toBot.push(message);
    passed(message, (copy) => bot.receive(copy as Parameters<RunnerPages['receive']>[0]));
  });
  const bot = new RunnerPages(
    (message) => passed(message, (copy: MessageFromBot) => runner.receive(copy as Parameters<BotPages['receive']>[0])),
    () => own,
  );
  return { bot, runner, own, toBot };
}

/** All messages that are under way have arrived. */
async function arrived(): Promise<void> {
  for (const _ of [1, 2, 3, 4]) await turn();
}

describe("a bot's process", () => {
  test("opens its pages in the runner's browser, and closes them there", async () => {
    const browser = new FakeBrowser();
    const { bot, own, toBot } = connected(browser);
    const [first, second] = await Promise.all([bot.open(URL_OF_PAGE), bot.open(`${URL_OF_PAGE}/2`)]);
    expect(browser.pages.map(({ url }) => url)).toEqual([URL_OF_PAGE, `${URL_OF_PAGE}/2`]);
    first.close();
    first.close();
    await first.gone;
    await arrived();
    expect(browser.pages.map(({ isClosed }) => isClosed)).toEqual([true, false]);
    second.close();
    await arrived();
    expect(browser.pageCount).toBe(0);
    expect(toBot.map(({ type }) => type)).toEqual(['page_opened', 'page_opened']); // it knows what it has closed
    expect(own.pages).toEqual([]);
  });

  test('is told when a page is gone', async () => {
    const browser = new FakeBrowser();
    const { bot, toBot } = connected(browser);
    const [first, second] = await Promise.all([bot.open(URL_OF_PAGE), bot.open(URL_OF_PAGE)]);
    const isGone = jest.fn();
    void second.gone.then(isGone);
    browser.pages[0]?.crash();
    await first.gone;
    first.close(); // too late, and harmless
    await arrived();
    expect(isGone).not.toHaveBeenCalled();
    expect(toBot.filter(({ type }) => type === 'page_gone')).toEqual([{ type: 'page_gone', requestId: 1 }]);
  });

  test('is told why there is no page, with what to do', async () => {
    const browser = new FakeBrowser();
    browser.problem = noBrowser();
    const { message } = browser.problem;
    await expect(connected(browser).bot.open(URL_OF_PAGE)).rejects.toMatchObject({
      code: 'VB_BROWSER_FAILED',
      message,
      hint: 'install one',
    });
    await expect(connected(undefined).bot.open(URL_OF_PAGE)).rejects.toMatchObject({
      code: 'VB_BROWSER_FAILED',
      message: expect.stringContaining('this runner keeps no browser'),
    });
  });

  test('whose runner is gone has lost its pages, and opens others by itself', async () => {
    const browser = new FakeBrowser();
    const { bot, own } = connected(browser);
    const page = await bot.open(URL_OF_PAGE);
    bot.runnerGone();
    await page.gone;
    const other = await bot.open(`${URL_OF_PAGE}/own`);
    expect(own.pages.map(({ url }) => url)).toEqual([`${URL_OF_PAGE}/own`]);
    other.close();
    expect(own.pageCount).toBe(0);
    expect(browser.pages).toHaveLength(1);
  });

  test('closes the browser that it has started, before it ends', async () => {
    const { bot, own } = connected(new FakeBrowser());
    const closed = jest.spyOn(own, 'close');
    await bot.close();
    expect(closed).not.toHaveBeenCalled(); // there is none
    bot.runnerGone();
    await bot.open(URL_OF_PAGE);
    await bot.close();
    expect(closed).toHaveBeenCalledTimes(1);
  });

  test('whose runner dies while it opens a page has it opened by itself', async () => {
    const browser = new FakeBrowser();
    Object.assign(browser, { ready: deferred() });
    const { bot, own } = connected(browser);
    const opening = bot.open(URL_OF_PAGE);
    await arrived();
    bot.runnerGone();
    const page = await opening;
    expect(own.pageCount).toBe(1);
    page.close();
    expect(own.pageCount).toBe(0);
  });
});

test('the pages of a process that is gone may leave their rooms, then are closed, also one that opens too late', async () => {
  const browser = new FakeBrowser();
  const { bot, runner, toBot } = connected(browser);
  await bot.open(URL_OF_PAGE);
  const ready = deferred();
  Object.assign(browser, { ready });
  void bot.open(`${URL_OF_PAGE}/late`);
  await arrived();
  runner.closeAll();
  expect(browser.pageCount).toBe(1);
  ready.resolve();
  await arrived();
  expect(browser.pages).toHaveLength(2);
  await until(() => browser.pageCount === 0, 'both pages are closed');
  expect(toBot).toHaveLength(1); // nobody is there to be told
});

describe('a process of its own', () => {
  let browser: FakeBrowser;
  let started: BotProcess;
  beforeEach(async () => {
    browser = new FakeBrowser();
    started = new BotProcess(await prepareBot(botFile('page-opener.mjs')), {
      environment: { PATH: process.env.PATH ?? '' },
      botEnvironment: { PAGE: URL_OF_PAGE },
      memoryBytes: 0,
      roomsClient: 'browser',
      pages: browser,
    });
  });
  afterEach(() => started.kill());

  test('asks its runner for pages, which are closed when it is killed', async () => {
    await started.load();
    expect(browser.pages.map(({ url }) => url)).toEqual([URL_OF_PAGE]);
    expect(browser.pageCount).toBe(1);
    started.kill();
    await until(() => browser.pageCount === 0, 'its page is closed');
  });

  test('is told of a browser that fails, and loads all the same', async () => {
    browser.problem = noBrowser();
    const said: string[] = [];
    started.on('output', (line) => said.push(line));
    await started.load();
    await until(() => said.includes('VB_BROWSER_FAILED install one'), 'the bot has been told');
  });
});
