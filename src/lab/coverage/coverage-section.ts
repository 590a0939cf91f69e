import { type Html, html } from '../report/html.js';
import type { TestCoverage } from './coverage.js';
import { kindsOf, maskedWords, unreadWords, untouchedOf } from './coverage-lines.js';

/** What of the bots no scenario touches, for the page of a test. */
export function coverageSection({ bots, percent }: TestCoverage, shown: (file: string) => string): Html {
  return html`<section class="panel coverage" aria-labelledby="coverage"><h2 id="coverage">Coverage: ${percent} %</h2>
${bots.map((bot) => {
  const untouched = untouchedOf(bot, shown);
  const notes = [maskedWords(bot), unreadWords(bot, shown)].filter(Boolean);
  return html`<div class="run"><h3><code>${shown(bot.bot)}</code> ${bot.percent} %</h3>
<p class="sums">${kindsOf(bot).map((one) => html`<span class="chip ${one.touched === one.of ? 'good' : 'warn'}">${one.touched} of ${one.of} ${one.name}</span>`)}</p>
${untouched.length === 0 ? '' : html`<div class="scroll"><table class="plain"><thead><tr><th scope="col">No scenario touches</th><th scope="col">Where it is</th></tr></thead><tbody>${untouched.map(({ what, place }) => html`<tr><td>${what}</td><td><code>${place}</code></td></tr>`)}</tbody></table></div>`}
${notes.map((words) => html`<p class="quiet">${words}</p>`)}</div>`;
})}</section>`;
}
