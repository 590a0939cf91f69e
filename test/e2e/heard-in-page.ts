import type { Page } from 'playwright-core';

/** A word of the page and when it was shown as heard; milliseconds of the page's clock. */
export interface ShownWord {
  readonly text: string;
  readonly at: number;
}

/**
 * Notes in a page when words turn from pale to heard, and how loud what the page plays is. The microphone is not among it.
 * To be evaluated before the page is loaded.
 */
export const WATCH_WORDS = `
const watch = window.watch = { words: [], levels: [], typed: [], submitted: [] };
addEventListener('submit', () => watch.submitted.push(performance.now()), true);
const { connect } = AudioNode.prototype;
AudioNode.prototype.connect = function (to, ...more) {
  if (to instanceof AudioDestinationNode) {
    const ear = new AnalyserNode(this.context, { fftSize: 256 });
    connect.call(this, ear);
    const samples = new Float32Array(256);
    setInterval(() => {
      ear.getFloatTimeDomainData(samples);
      watch.levels.push([performance.now(), Math.sqrt(samples.reduce((sum, one) => sum + one * one, 0) / 256)]);
    }, 4);
  }
  return connect.call(this, to, ...more);
};
const known = new WeakSet();
new MutationObserver(() => {
  const at = performance.now();
  for (const word of document.querySelectorAll('.is-live.bot .heard')) {
    if (known.has(word)) continue;
    known.add(word);
    watch.words.push({ text: word.textContent.trim(), at });
  }
  for (const one of document.querySelectorAll('.typed-one')) {
    if (known.has(one)) continue;
    known.add(one);
    watch.typed.push(at);
  }
}).observe(document, { subtree: true, childList: true, attributes: true });
`;

/** What the page has shown and played since a time of its clock. */
export async function watchedSince(page: Page, since: number): Promise<{ words: ShownWord[]; onsets: number[] }> {
  const { words, levels } = (await page.evaluate('watch')) as { words: ShownWord[]; levels: [number, number][] };
  const isLater = (at: number) => at >= since;
  return { words: words.filter(({ at }) => isLater(at)), onsets: onsetsIn(levels.filter(([at]) => isLater(at))) };
}

const QUIET = 0.003;
/** Silence before an onset, in milliseconds. */
const PAUSE_MS = 110;

/** When sound begins after a pause. */
function onsetsIn(levels: ReadonlyArray<readonly [at: number, level: number]>): number[] {
  const onsets: number[] = [];
  let quietSince = Number.NEGATIVE_INFINITY;
  let isQuiet = true;
  for (const [at, level] of levels) {
    if (level < QUIET) {
      if (!isQuiet) quietSince = at;
      isQuiet = true;
    } else {
      if (isQuiet && at - quietSince >= PAUSE_MS) onsets.push(at);
      isQuiet = false;
    }
  }
  return onsets;
}
