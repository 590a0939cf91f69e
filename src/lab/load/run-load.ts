import type { CliContext } from '../../terminal/context.js';
import { EXIT, ReportedError } from '../../terminal/exit-codes.js';
import type { Output } from '../../terminal/output.js';
import { StoppedBySignal, watchSignals } from '../../terminal/signals.js';
import { figuresOf } from './load-figures.js';
import { judge } from './load-limits.js';
import { LoadReport } from './load-report.js';
import type { LoadRequest } from './load-request.js';
import { LoadSteps } from './load-steps.js';
import { type LoadTarget, openTarget } from './load-target.js';
import { MachineWatch, UsageWatch } from './load-usage.js';
import { SearchedNumber, searchNumbers } from './search-numbers.js';

/**
 * Makes many calls at once, and tells what the callers notice.
 * @throws ReportedError when a limit is broken, or a search finds nothing; StoppedBySignal; VoicebotError VB_USAGE for a search with a bot
 *   that ends its calls; what {@link openTarget} throws
 */
export async function runLoad(request: LoadRequest, context: CliContext, output: Output): Promise<void> {
  const signals = watchSignals();
  const stop = new AbortController();
  void signals.first.then((signal) => stop.abort(new StoppedBySignal(signal)));
  const target = await output
    .step('Starting', () => openTarget(request, context))
    .catch((error: unknown) => {
      signals.close();
      throw error;
    });
  const { warm, callsPerProcess } = request.config;
  const report = new LoadReport(output, context.stderr, { warm, callsPerProcess, loads: target.loads });
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
  readonly #machine = new MachineWatch();

  constructor(
    private readonly request: LoadRequest,
    private readonly target: LoadTarget,
    private readonly report: LoadReport,
    private readonly signal: AbortSignal,
  ) {
    this.#usage = new UsageWatch(() => target.usage());
    target.callers.on('second', (second) => {
      const usedPercent = this.#usage.look();
      this.#machine.see(second.cpuPercent, usedPercent);
      report.second({ ...second, usedPercent });
    });
    signal.addEventListener('abort', () => target.callers.hangUp(), { once: true });
  }

  async run(): Promise<void> {
    this.signal.throwIfAborted();
    await this.report.begin(this.request);
    if (this.request.isSearch) await this.#find();
    else await this.#once();
    this.signal.throwIfAborted();
  }

  async #once(): Promise<void> {
    const { calls, rampMs = 0, lengthMs, scenario, words } = this.request;
    this.#usage.restart();
    const everyMs = calls > 1 ? rampMs / (calls - 1) : 0;
    const hasRunner = this.target.runnerUrl !== undefined;
    const order = { calls, everyMs, lengthMs, scenarioFile: scenario?.file, words, hasRunner };
    const figures = figuresOf(await this.target.callers.begin(order).over);
    const limits = judge(figures, this.request.limits);
    const isStopped = this.signal.aborted;
    this.report.end({ figures, limits, used: this.#usage.used, machine: this.#machine.use, isStopped });
    if (!isStopped && limits.some(({ isMet }) => !isMet))
      throw new ReportedError(EXIT.scenarioFailed, 'a limit is broken');
  }

  async #find(): Promise<void> {
    const { request, target, signal, report } = this;
    const steps = new LoadSteps(request, target, this.#usage, this.#machine, signal);
    const numbers = { steady: new SearchedNumber('steady'), burst: new SearchedNumber('burst') };
    try {
      await searchNumbers(request.calls, numbers, async (kind, calls) => {
        signal.throwIfAborted();
        report.trying(kind, calls);
        const outcome = await steps.try(kind, calls);
        signal.throwIfAborted();
        report.step(kind, calls, outcome);
        return outcome;
      });
    } catch (error) {
      if (signal.aborted) report.found(numbers, true);
      throw error;
    }
    report.found(numbers, false);
    if (numbers.steady.calls === 0 || numbers.burst.calls === 0)
      throw new ReportedError(EXIT.scenarioFailed, 'not even one call meets the limits');
  }
}
