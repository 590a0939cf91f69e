import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { hashOf } from '../../base/http/inline-hash.js';
import { inSeconds, inWords } from '../../call/view/events.js';
import { type FailureKind, KIND_WORDS } from '../scenario/call-story.js';
import { Html, html } from './html.js';
import { GENERATOR } from './report-folder.js';
import {
  countOf,
  passedRuns,
  type ReportedFailure,
  type ReportedRun,
  type ReportedScenario,
  type ReportedTest,
  type ScenarioOutcome,
} from './reported-test.js';
import type { ResultLine } from './results-file.js';
import { trends } from './trends.js';

const STYLE = fileURLToPath(new URL('../../../assets/report.css', import.meta.url));

export interface IndexPageOptions {
  readonly test: ReportedTest;
  /** The tests so far, the oldest first; the last is this one. */
  readonly history: readonly ResultLine[];
  /** The page of a call, from this page; undefined where it has none. */
  readonly pageOf: (scenario: ReportedScenario, run: ReportedRun) => string | undefined;
  /** Below the scenarios. */
  readonly more?: Html;
}

/** The page over all scenarios of a test. It needs no script, loads nothing, and is read in a browser from a file. */
export function indexPage({ test, history, pageOf, more }: IndexPageOptions): string {
  const style = readFileSync(STYLE, 'utf8').trim();
  const tag = html`<style>${new Html(style)}</style>`;
  const policy = `default-src 'none'; style-src ${hashOf(tag.text, 'style')}; img-src data:; base-uri 'none'; form-action 'none'`;
  const { commit } = history.at(-1) ?? {};
  const failed = countOf(test, 'failed') + countOf(test, 'not_run');
  const tone = failed > 0 ? 'bad' : countOf(test, 'passed') > 0 ? 'good' : 'neutral';
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
${new Html(GENERATOR)}
<title>${headline(test)}</title>
<link rel="icon" href="data:,">
${tag}
</head>
<body>
<main>
<header class="page-head">
<h1>Scenarios</h1>
<section class="outcome ${tone}" aria-label="Result"><h2><span aria-hidden="true">${tone === 'good' ? '✓' : '✖'}</span> ${headline(test)}</h2>
<p class="quiet">${moment(test.at)}${commit === undefined ? '' : html` · commit <code>${commit.slice(0, 12)}</code>`} · ${callsOf(test)}</p>
${kinds(test)}</section>
</header>
${trends(history)}
<section class="scenarios" aria-label="Scenarios">${test.scenarios.map((one) => scenarioOf(one, history, pageOf))}</section>
${more}
<footer class="quiet"><p>Made by <code>voicebot test --output</code>. Beside this page: <a href="junit.xml">junit.xml</a>, <a href="results.jsonl">results.jsonl</a>.</p></footer>
</main>
</body>
</html>
`.text;
}

const MARKS: Readonly<Record<ScenarioOutcome, string>> = { passed: '✓', failed: '✖', not_run: '–', skipped: '↷' };
const OUTCOMES: Readonly<Record<ScenarioOutcome, string>> = {
  passed: 'passed',
  failed: 'failed',
  not_run: 'not run',
  skipped: 'skipped',
};

function headline(test: ReportedTest): string {
  const sums = (['passed', 'failed', 'not_run', 'skipped'] as const).flatMap((outcome) => {
    const count = countOf(test, outcome);
    return count === 0 ? [] : [`${count} ${OUTCOMES[outcome]}`];
  });
  return sums.join(', ') || 'No scenario';
}

function callsOf({ scenarios }: ReportedTest): string {
  const runs = scenarios.flatMap((one) => one.runs);
  const together = inWords(runs.reduce((sum, { lengthMs }) => sum + lengthMs, 0));
  return `${runs.length === 1 ? '1 call' : `${runs.length} calls`} of ${together} together`;
}

function kinds({ scenarios }: ReportedTest): Html {
  const chips = (Object.keys(KIND_WORDS) as FailureKind[]).flatMap((kind) => {
    const count = scenarios.filter((one) => one.kind === kind).length;
    return count === 0
      ? []
      : [
          html`<span class="chip ${kind === 'answered_wrongly' ? 'warn' : 'bad'}">${count} × ${KIND_WORDS[kind]}</span>`,
        ];
  });
  return chips.length === 0 ? html`` : html`<p class="sums">${chips}</p>`;
}

function scenarioOf(one: ReportedScenario, history: readonly ResultLine[], pageOf: IndexPageOptions['pageOf']): Html {
  const { outcome, kind, title, answers, runs } = one;
  const length = runs.reduce((sum, { lengthMs }) => sum + lengthMs, 0);
  const figures = [
    ...(runs.length > 1 ? [`${passedRuns(one)} of ${runs.length} passed`] : []),
    ...(runs.length > 0 ? [inWords(length)] : []),
    ...(answers ? [`answers in ${inSeconds(answers.medianMs)}, worst ${inSeconds(answers.worstMs)}`] : []),
  ];
  return html`<details class="panel scenario ${outcome}"${new Html(outcome === 'passed' || outcome === 'skipped' ? '' : ' open')}>
<summary><span class="mark" aria-hidden="true">${MARKS[outcome]}</span><span class="unseen">${OUTCOMES[outcome]}: </span><span class="name">${title}</span>
${kind ? html`<span class="chip ${kind === 'answered_wrongly' ? 'warn' : 'bad'}">${KIND_WORDS[kind]}</span>` : ''}
<span class="figures quiet">${figures.map((text) => html`<span>${text}</span>`)}</span></summary>
<div class="inside">
<p class="quiet"><code>${one.place}</code> · ${one.wire}${pastOf(one, history)}</p>
${one.why === undefined ? '' : html`<p class="problem">${one.why}</p>`}
${one.failures.map(failureOf)}
${runs.map((run) => runOf(one, run, pageOf(one, run)))}
</div>
</details>
`;
}

/** What the scenario has come to in the last tests, the oldest first. */
function pastOf({ name, file, wire }: ReportedScenario, history: readonly ResultLine[]): Html | string {
  const outcomes = history.flatMap(
    ({ scenarios }) =>
      scenarios.find(
        (one) => one.name === name && one.file === file && one.wire === wire && one.outcome !== 'skipped',
      ) ?? [],
  );
  if (outcomes.length < 2) return '';
  const passed = outcomes.filter(({ outcome }) => outcome === 'passed').length;
  return ` · passed in ${passed} of the last ${outcomes.length} tests`;
}

function runOf({ runs }: ReportedScenario, run: ReportedRun, page: string | undefined): Html {
  const { no, failures, lines, lengthMs, firstWordMs, callId } = run;
  const words = [
    runs.length > 1 ? `Run ${no}: ${failures.length === 0 ? 'passed' : 'failed'}` : 'The call',
    inWords(lengthMs),
    ...(firstWordMs === undefined ? [] : [`first word after ${inSeconds(firstWordMs)}`]),
  ];
  return html`<div class="run">
<p><span class="quiet">${words.join(' · ')}</span>${page === undefined ? '' : html` <a href="${page}">Listen to it</a>`}</p>
${failures.map(failureOf)}
${failures.length > 0 && lines.length > 0 ? html`<pre class="lines">${lines.join('\n')}</pre>` : ''}
${failures.length > 0 && callId !== undefined ? html`<p class="quiet">Where the test ran: <code>npx voicebot calls ${callId} --open</code></p>` : ''}
</div>`;
}

const failureOf = ({ expected, happened }: ReportedFailure): Html =>
  html`<dl class="failure">${expected === undefined ? '' : html`<dt>expected</dt><dd>${expected}</dd>`}<dt>${expected === undefined ? 'broke' : 'happened'}</dt><dd>${happened}</dd></dl>`;

/** The same wherever the page is opened. */
function moment(at: number): Html {
  const iso = new Date(at).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')} UTC</time>`;
}
