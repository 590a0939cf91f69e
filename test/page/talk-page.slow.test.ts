import { keepCall, rudeCall } from '../call/view/made-call.js';
import { describeWithBrowser, sharedBrowser } from './in-browser.js';
import { PageServer } from './page-server.js';

describeWithBrowser('the page of a call, in a browser (needs chromium)', () => {
  const browser = sharedBrowser();

  test('tells how the two sides got on, and goes there in the recording', async () => {
    await using server = await PageServer.start();
    const page = await browser().newPage();
    page.setDefaultTimeout(10_000);
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(error.message));
    const call = rudeCall();
    keepCall(server.stateDirectory, call);
    await page.goto(`${server.url}/#/calls/${call.record.id}`);
    const figures = page.locator('.timing .fact');
    await page.getByText('Measured by the sound of the recording.').waitFor();
    expect(await figures.allTextContents()).toEqual([
      'cut offonce',
      'talked overonce (0.70 s)',
      'false stopsonce',
      'resumesnever',
      'longest hole2.50 s',
    ]);
    await page.getByText('the bot answered "What would you like?" for 0.70 s before the caller had finished').waitFor();
    await page.getByRole('button', { name: 'Go to 0:08' }).first().click();
    await page.locator('[role=slider][aria-valuetext="0:08 of 0:20"]').waitFor();
    expect(problems).toEqual([]);
    await page.close();
  });

  test('says in which language each line is', async () => {
    await using server = await PageServer.start();
    const page = await browser().newPage();
    page.setDefaultTimeout(10_000);
    const call = rudeCall();
    const at = call.record.startedAt;
    const changed = { at, source: 'bot', bot: 1, type: 'language_changed', language: 'de-AT' } as const;
    keepCall(server.stateDirectory, { ...call, events: [changed, ...call.events] });
    await page.goto(`${server.url}/#/calls/${call.record.id}`);
    const words = page.locator('.transcript .said .words');
    await words.first().waitFor();
    const languages = await words.evaluateAll((all) => all.map((one) => one.getAttribute('lang')));
    expect(new Set(languages)).toEqual(new Set(['de-AT']));
    await page.close();
  });
});
