import { medianOf } from '../../base/percentile.js';
import { inSeconds } from '../../call/view/events.js';
import { type Html, html } from './html.js';
import type { ResultLine } from './results-file.js';
import { trendChart } from './trend-chart.js';

/** How the pass rate and the answers have changed over the last tests; nothing where there is only one. */
export function trends(history: readonly ResultLine[]): Html {
  if (history.length < 2) return html``;
  const charts = [passRates(history), ...answers(history), ...coverages(history)];
  return html`<section class="trends" aria-label="The last ${history.length} tests">${charts}</section>`;
}

function passRates(history: readonly ResultLine[]): Html {
  const rates = history.map(({ passed, failed, notRun }) => share(passed, passed + failed + notRun));
  const points = history.map((line, at) => ({
    label: `${labelOf(line)}: ${line.passed} passed, ${line.failed + line.notRun} not`,
    value: rates[at],
  }));
  return chart('Scenarios that passed', [{ points }], 100, history, percent(rates.at(-1)), '100 %');
}

function answers(history: readonly ResultLine[]): Html[] {
  const figures = history.map(({ scenarios }) => scenarios.flatMap((one) => one.answers ?? []));
  const medians = figures.map((each) => medianOf(each.map(({ medianMs }) => medianMs)));
  const worsts = figures.map((each) =>
    each.length === 0 ? undefined : Math.max(...each.map(({ worstMs }) => worstMs)),
  );
  const known = worsts.filter((value) => value !== undefined);
  if (known.length < 2) return [];
  const top = Math.max(...known);
  const points = (values: readonly (number | undefined)[]) =>
    history.map((line, at) => ({ label: `${labelOf(line)}: ${words(values[at])}`, value: values[at] }));
  const lines = [{ points: points(worsts), isFaint: true }, { points: points(medians) }];
  const now = worsts.at(-1) === undefined ? 'not measured' : `${words(medians.at(-1))}, worst ${words(worsts.at(-1))}`;
  return [chart('Until the bot answers: median, and the worst', lines, top, history, now, inSeconds(top))];
}

function coverages(history: readonly ResultLine[]): Html[] {
  const values = history.map(({ coverage }) => coverage);
  if (values.filter((value) => value !== undefined).length < 2) return [];
  const points = history.map((line, at) => ({ label: `${labelOf(line)}: ${percent(values[at])}`, value: values[at] }));
  return [chart('What scenarios touch of the bot', [{ points }], 100, history, percent(values.at(-1)), '100 %')];
}

function chart(
  title: string,
  lines: Parameters<typeof trendChart>[0],
  top: number,
  history: readonly ResultLine[],
  now: string,
  topWords: string,
): Html {
  const description = `${title}: ${now} now, over ${history.length} tests`;
  return html`<figure class="panel trend"><figcaption><h2>${title}</h2> <span class="quiet">${now}</span></figcaption>
${trendChart(lines, top, description)}
<p class="ends"><span>${dayOf(history[0])}</span><span>top: ${topWords}</span><span>${dayOf(history.at(-1))}</span></p></figure>`;
}

const dayOf = (line: ResultLine | undefined): string => (line?.at ?? '').slice(0, 10);

const labelOf = ({ at, commit }: ResultLine): string =>
  `${at.slice(0, 16).replace('T', ' ')} UTC${commit === undefined ? '' : `, ${commit.slice(0, 12)}`}`;

const words = (ms: number | undefined): string => (ms === undefined ? 'none' : inSeconds(ms));
const percent = (value: number | undefined): string => (value === undefined ? 'not measured' : `${value} %`);
const share = (part: number, whole: number): number | undefined =>
  whole === 0 ? undefined : Math.round((100 * part) / whole);
