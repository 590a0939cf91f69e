import { setTimeout as delay } from 'node:timers/promises';
import type { CliContext } from '../../terminal/context.js';
import { EXIT, ReportedError } from '../../terminal/exit-codes.js';
import type { Output } from '../../terminal/output.js';
import { StoppedBySignal, watchSignals } from '../../terminal/signals.js';
import { findLargest } from './find-largest.js';
import { figuresOf, type LoadFigures } from './load-figures.js';
import { judge } from './load-limits.js';
import { type LoadOutcomeReport, LoadReport } from './load-report.js';
import type { LoadRequest } from './load-request.js';
import { type LoadTarget, openTarget } from './load-target.js';
import { UsageWatch } from './load-usage.js';

/** Of a search: between two callers, where a runner says when a bot waits, and where no runner does. */
const EVERY_MS = { asked: 10, unasked: 50 };
/** Of a search: from the last caller's call to the window, in milliseconds. */
const SETTLE_MS = 3_000;
/** The first number of calls that a search tries. */
const FIRST = 50;

/**
 * Makes many calls at once, and tells what the callers notice.
 * @throws ReportedError when a limit that was typed is broken, or a search finds nothing; StoppedBySignal; what {@link openTarget} throws
 */
export async function runLoad(request: LoadRequest, context: CliContext, output: Output): Promise<void> {
  const signals = watchSignals();
  const stop = new AbortController();
  void signals.first.then((signal) => stop.abort(new StoppedBySignal(signal)));
  const report = new LoadReport(output, context.stderr);
  const target = await output
    .step('Starting', () => openTarget(request, context))
    .catch((error: unknown) => {
      signals.close();
      throw error;
    });
  try {
    await new Load(request, target, report, stop.signal).run();
  } finally {
    report.close();
    signals.close(); // the next Ctrl+C ends the process at once
    await target.close();
  }
}

class Load {
  readonly #usage: UsageWatch;

  constructor(
    private readonly request: LoadRequest,
    private readonly target: LoadTarget,
    private readonly report: LoadReport,
    private readonly signal: AbortSignal,
  ) {
    this.#usage = new UsageWatch(() => target.usage());
    target.callers.on('second', (second) => report.second({ ...second, usedPercent: this.#usage.look() }));
    signal.addEventListener('abort', () => target.callers.hangUp(), { once: true });
  }

  async run(): Promise<void> {
    await this.report.begin(this.request);
    if (this.request.isSearch) await this.#find();
    else await this.#once();
    this.signal.throwIfAborted();
  }

  async #once(): Promise<void> {
    const { calls, rampMs = 0, lengthMs, scenario, words, isJudged } = this.request;
    this.#usage.restart();
    const everyMs = calls > 1 ? rampMs / (calls - 1) : 0;
    const begun = this.target.callers.begin({ calls, everyMs, lengthMs, scenarioFile: scenario?.file, words });
    const outcome = this.#outcome(figuresOf(await begun.over));
    this.report.end(outcome);
    if (isJudged && !this.signal.aborted && outcome.limits.some(({ isMet }) => !isMet))
      throw new ReportedError(EXIT.scenarioFailed, 'a limit is broken');
  }

  async #find(): Promise<void> {
    const { calls: most } = this.request;
    let best: { readonly calls: number; readonly figures: LoadFigures } | undefined;
    const isFine = async (calls: number) => {
      this.signal.throwIfAborted();
      const outcome = await this.#step(calls);
      this.signal.throwIfAborted();
      const isMet = outcome.limits.every((one) => one.isMet);
      this.report.step(calls, isMet, outcome);
      if (isMet) best = { calls, figures: outcome.figures };
      return isMet;
    };
    try {
      const found = await findLargest({ first: FIRST, most }, isFine);
      this.report.found(found.calls, found.tooMany === undefined, false, best?.figures);
      if (found.calls === 0) throw new ReportedError(EXIT.scenarioFailed, 'not even one call meets the limits');
    } catch (error) {
      if (this.signal.aborted) this.report.found(best?.calls ?? 0, false, true, best?.figures);
      throw error;
    }
  }

  /** So many calls at once: when all have dialled and have settled, a window in which gaps count. */
  async #step(calls: number): Promise<LoadOutcomeReport> {
    const { rampMs, lengthMs = 0, words } = this.request;
    const { callers, runnerUrl } = this.target;
    const everyMs =
      rampMs === undefined ? EVERY_MS[runnerUrl === undefined ? 'unasked' : 'asked'] : rampMs / Math.max(1, calls - 1);
    const begun = callers.begin({ calls, everyMs, lengthMs: undefined, words, ...(runnerUrl && { runnerUrl }) });
    await begun.dialled;
    await this.#pass(SETTLE_MS);
    callers.countAfresh();
    this.#usage.restart();
    await this.#pass(lengthMs);
    const outcomeUsed = this.#usage.used;
    callers.hangUp();
    const outcome = this.#outcome(figuresOf(await begun.over));
    return { ...outcome, used: outcomeUsed };
  }

  #outcome(figures: LoadFigures): LoadOutcomeReport {
    const limits = judge(figures, this.request.limits);
    return { figures, limits, used: this.#usage.used, isStopped: this.signal.aborted };
  }

  /** Until a signal comes. */
  async #pass(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.signal }).catch(() => {});
  }
}
