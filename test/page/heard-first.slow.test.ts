import { keepCall, madeCall } from '../call/view/made-call.js';
import { describeWithBrowser, sharedBrowser } from './in-browser.js';
import { PageServer } from './page-server.js';

describeWithBrowser('what was heard first, on the page of a call (needs chromium)', () => {
  const browser = sharedBrowser();

  test('says when, how long and how that is known; and that the recording was removed', async () => {
    await using server = await PageServer.start();
    const startedAt = Date.UTC(2026, 5, 3, 9, 30, 5);
    const disclosure = {
      text: 'You are talking to a machine.',
      from: startedAt + 1_000,
      to: startedAt + 3_400,
      evidence: 'acknowledged',
      heardBy: '+12025550142',
    } as const;
    keepCall(server.stateDirectory, madeCall({ id: 'carrier', startedAt, record: { disclosure } }));
    const sent = { ...disclosure, evidence: 'sent' } as const;
    const removed = { disclosure: sent, recordingRemovedAt: startedAt + 9_000 };
    keepCall(server.stateDirectory, madeCall({ id: 'room', startedAt, record: removed }));
    keepCall(server.stateDirectory, madeCall({ id: 'without', startedAt }));
    const page = await browser().newPage();
    page.setDefaultTimeout(10_000);
    await page.goto(`${server.url}/#/calls/carrier`);
    await page.getByText('Told that a machine speaks').waitFor();
    await page.getByText(/, 2\.4 s, acknowledged as played$/).waitFor();
    await page.goto(`${server.url}/#/calls/room`);
    await page.getByText(/, 2\.4 s, sent$/).waitFor();
    await page.getByText(/^removed, as a party wished, /).waitFor();
    await page.goto(`${server.url}/#/calls/without`);
    await page.getByText('The caller hung up after 46 s.').waitFor();
    expect(await page.getByText('Told that a machine speaks').count()).toBe(0);
    await page.close();
  });
});
