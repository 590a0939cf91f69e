import { html, jsonInHtml } from '../../../src/lab/report/html.js';
import { indexPage } from '../../../src/lab/report/index-page.js';
import type { ReportedTest } from '../../../src/lab/report/reported-test.js';
import { type ResultLine, resultLine } from '../../../src/lab/report/results-file.js';
import { reportedRun, reportedScenario, testOf } from './reports.js';

const HOSTILE = `</script><script>alert(1)</script><img src=x onerror="alert('1')"> &amp;`;
const SHOWN =
  '&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt; &amp;amp;';

const pageOf = (test: ReportedTest, history: readonly ResultLine[] = [resultLine(test)]) =>
  indexPage({ test, history, pageOf: (_, run) => (run.no === 1 ? 'calls/1-1.html' : undefined) });

/** What stands in the body, without tags. */
const textOf = (page: string) =>
  page
    .replace(/^[\s\S]*<body>/, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ');

test('shows every text from outside as text', () => {
  const page = pageOf(
    testOf(
      reportedScenario({
        title: HOSTILE,
        place: HOSTILE,
        outcome: 'failed',
        kind: 'answered_wrongly',
        why: HOSTILE,
        failures: [{ expected: HOSTILE, happened: HOSTILE }],
        runs: [
          reportedRun({ callId: HOSTILE, failures: [{ expected: undefined, happened: HOSTILE }], lines: [HOSTILE] }),
        ],
      }),
    ),
  );
  expect(page.split(SHOWN)).toHaveLength(9);
  expect(page).not.toMatch(/<script|<img/);
});

test('text between quotes ends no attribute, and data ends no script', () => {
  expect(html`<a title="${'" onclick="x'}">`.text).toBe('<a title="&quot; onclick=&quot;x">');
  const data = jsonInHtml({ words: '</script><!--' }).text;
  expect(data).not.toContain('<');
  expect(JSON.parse(data)).toEqual({ words: '</script><!--' });
});

test('tells outcomes, kinds, failures, the last lines and figures, and leads to the page of each call', () => {
  const failed = reportedScenario({
    name: 'tells the balance',
    title: 'tells the balance',
    outcome: 'failed',
    kind: 'broke',
    runs: [
      reportedRun({
        failures: [{ expected: undefined, happened: 'at 1.96 s: audit log lost' }],
        lines: ['0.7 s  bot: Hi'],
      }),
      reportedRun({ no: 2, lengthMs: 61_000 }),
    ],
  });
  const page = pageOf(
    testOf(
      reportedScenario(),
      failed,
      reportedScenario({
        title: 'never',
        outcome: 'not_run',
        kind: 'never_started',
        why: 'no bot',
        runs: [],
        answers: undefined,
      }),
    ),
  );
  const text = textOf(page);
  for (const words of [
    '1 passed, 1 failed, 1 not run',
    '1 × the bot broke',
    '1 × the bot never started',
    '1 of 2 passed 1 min 9 s answers in 0.40 s, worst 0.90 s',
    'broke at 1.96 s: audit log lost',
    '0.7 s bot: Hi',
    'no bot',
    'first word after 0.30 s',
  ])
    expect(text).toContain(words);
  expect(page.match(/<a href="calls\/1-1.html">/g)).toHaveLength(2);
  expect(page.match(/<details class="panel scenario \w+" open>/g)).toHaveLength(2);
});

test('loads nothing, runs nothing, and may do neither', () => {
  const page = pageOf(testOf(reportedScenario()));
  expect(page).toMatch(/Content-Security-Policy" content="default-src &#39;none&#39;; style-src &#39;sha256-/);
  expect([...page.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address]) => address)).toEqual([
    'data:,',
    'calls/1-1.html',
    'junit.xml',
    'results.jsonl',
  ]);
  expect(page).not.toMatch(/@import|url\(/);
});

test('shows no trend of one test, and of several how many passed and how soon the bot answered, with gaps where it did not', () => {
  const now = testOf(reportedScenario());
  expect(pageOf(now)).not.toContain('<svg');
  const lines = [
    resultLine(testOf(reportedScenario(), reportedScenario({ name: 'other', outcome: 'failed' }))),
    resultLine(testOf(reportedScenario({ answers: undefined, outcome: 'failed' }))),
    resultLine(now, { commit: '0123456789abcdef' }),
  ];
  const page = pageOf(now, lines);
  expect(page).toContain('aria-label="Scenarios that passed: 100 % now, over 3 tests"');
  expect(page).toContain('class="line " d="M0 40L150 80L300 0"');
  expect(page).toContain('class="line worst" d="M0 0M300 0"');
  expect(textOf(page)).toContain('passed in 2 of the last 3 tests');
  expect(textOf(page)).toContain('commit 0123456789ab');
  expect(page).not.toContain('What scenarios touch');
});

test('a trend says of what the last test did not measure that it was not measured, and draws a gap', () => {
  const unanswered = testOf(reportedScenario({ answers: undefined }));
  const lines = [
    resultLine(testOf(reportedScenario()), { coverage: 60 }),
    resultLine(testOf(reportedScenario()), { coverage: 80 }),
    resultLine(unanswered),
    { ...resultLine(unanswered), passed: 0 },
  ];
  const page = pageOf(unanswered, lines);
  expect(page).toContain('aria-label="What scenarios touch of the bot: not measured now, over 4 tests"');
  expect(page).toContain('aria-label="Scenarios that passed: not measured now, over 4 tests"');
  expect(page).toContain('aria-label="Until the bot answers: median, and the worst: not measured now, over 4 tests"');
  expect(page).toContain('class="line " d="M0 32L100 16"');
});
