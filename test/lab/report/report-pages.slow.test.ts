import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, type BrowserContextOptions, chromium } from 'playwright-core';
import type { ReportedScenario } from '../../../src/lab/report/reported-test.js';
import { writeReport } from '../../../src/lab/report/write-report.js';
import { keepCall, madeCall } from '../../call/view/made-call.js';
import { reportedRun, reportedScenario, testOf } from './reports.js';

const CHROMIUM = '/usr/bin/chromium';
const describeWithBrowser = existsSync(CHROMIUM) ? describe : describe.skip;
const HOSTILE = '<img src=x onerror="window.isHacked=true"><script>window.isHacked=true</script>';

describeWithBrowser('the pages of a test, in a browser, from files (needs chromium)', () => {
  let browser: Browser;
  let folder: string;
  beforeAll(async () => {
    const args = ['--no-sandbox', '--disable-gpu', '--mute-audio', '--disable-background-networking'];
    browser = await chromium.launch({ executablePath: CHROMIUM, args });
    folder = mkdtempSync(join(tmpdir(), 'voicebot-report-pages-'));
    const called = keepCall(join(folder, 'home'), madeCall({ question: HOSTILE }));
    const scenario: ReportedScenario = reportedScenario({
      title: HOSTILE,
      outcome: 'failed',
      kind: 'answered_wrongly',
      runs: [reportedRun({ folder: called, failures: [{ expected: HOSTILE, happened: HOSTILE }], lines: [HOSTILE] })],
    });
    const test = testOf(scenario, reportedScenario());
    const options = { folder: join(folder, 'out'), directory: folder, junit: '<testsuites/>' };
    for (let count = 0; count < 3; count += 1) await writeReport(test, options);
  }, 60_000);
  afterAll(async () => {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function open(options: BrowserContextOptions = {}) {
    const page = await browser.newPage(options);
    page.setDefaultTimeout(10_000);
    const problems: string[] = [];
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('request', (request) => !/^(file|blob|data):/.test(request.url()) && problems.push(request.url()));
    await page.goto(pathToFileURL(join(folder, 'out', 'index.html')).href);
    return { page, problems, [Symbol.asyncDispose]: () => page.close() };
  }

  test('lead from a scenario to its call, which plays, and back', async () => {
    await using opened = await open();
    const { page, problems } = opened;
    await page.getByText('1 passed, 1 failed').first().waitFor();
    await page.getByRole('img', { name: 'Scenarios that passed: 50 % now, over 3 tests' }).waitFor();
    await page.getByRole('link', { name: 'Listen to it' }).click();
    await page.getByText('The caller hung up after 46 s.').waitFor();
    await page.getByText(HOSTILE).first().waitFor();
    await page.getByRole('button', { name: 'Sorry, three' }).click();
    await page.getByText('0:19 / 0:46').waitFor();
    await page.getByRole('button', { name: 'Play' }).click();
    await page.locator('[aria-current=true]').filter({ hasText: 'Sorry, three' }).waitFor();
    await page.getByText(/^0:[2-4]\d \/ 0:46$/).waitFor();
    await page.getByRole('link', { name: 'All scenarios' }).click();
    await page.getByRole('heading', { name: 'Scenarios', exact: true }).waitFor();
    expect(await page.evaluate('window.isHacked')).toBeUndefined();
    expect(problems).toEqual([]);
  }, 60_000);

  test.each<[string, BrowserContextOptions]>([
    ['narrow and dark', { viewport: { width: 390, height: 800 }, colorScheme: 'dark' }],
    ['wide', { viewport: { width: 1_400, height: 900 } }],
  ])(
    'fit a window that is %s',
    async (_, options) => {
      await using opened = await open(options);
      const { page, problems } = opened;
      const isTooWide = () =>
        page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');
      expect(await isTooWide()).toBe(false);
      await page.getByRole('link', { name: 'Listen to it' }).click();
      await page.getByRole('slider').waitFor();
      expect(await isTooWide()).toBe(false);
      expect(problems).toEqual([]);
    },
    60_000,
  );

  test('are replaced by the next test, which keeps the results so far', async () => {
    const out = join(folder, 'again');
    const options = { folder: out, directory: folder, junit: '<testsuites/>' };
    const called = keepCall(join(folder, 'home'), madeCall());
    const run = (no: number) => reportedRun({ no, folder: called });
    await writeReport(testOf(reportedScenario({ runs: [run(1), run(2)] })), options);
    expect(readdirSync(join(out, 'calls')).sort()).toEqual(['1-1.html', '1-2.html']);
    await writeReport(testOf(reportedScenario({ runs: [run(1)] })), options);
    expect(readdirSync(join(out, 'calls'))).toEqual(['1-1.html']);
    expect(readFileSync(join(out, 'results.jsonl'), 'utf8').trim().split('\n')).toHaveLength(2);
  });
});
