import type { Output, OutputStream } from '../../terminal/output.js';
import { type LoadFigures, type Spread, spreadOf } from './load-figures.js';
import type { JudgedLimit, LoadLimits } from './load-limits.js';
import { type LoadSecond, plotOf } from './load-plot.js';
import { limitWords, tableOf } from './load-table.js';
import type { UsedByLoad } from './load-usage.js';

/** A process that used so much of a core had no time left, in per cent. */
const EXHAUSTED_PERCENT = 90;
/** Off a terminal, between two lines of progress, in seconds. */
const LINE_EVERY_S = 5;

/** What a number of calls has come to. */
export interface LoadOutcomeReport {
  readonly figures: LoadFigures;
  readonly limits: readonly JudgedLimit[];
  readonly used: UsedByLoad | undefined;
  readonly isStopped: boolean;
}

/** Tells people and programs how a load goes, and what it has come to. */
export class LoadReport {
  #seconds: LoadSecond[] = [];
  #endLive: (() => void) | undefined;

  constructor(
    private readonly output: Output,
    private readonly terminal: OutputStream,
  ) {}

  async begin(about: {
    calls: number;
    rampMs: number | undefined;
    lengthMs: number | undefined;
    isSearch: boolean;
    limits: LoadLimits;
  }): Promise<void> {
    const { calls, rampMs, lengthMs, isSearch, limits } = about;
    this.output.event('load_began', { calls, rampMs, lengthMs, find: isSearch, limits });
    if (isSearch) this.output.line(`Finding the largest number of calls, up to ${calls}`);
    else this.output.line(`${calls} calls within ${(rampMs ?? 0) / 1_000} s`);
    this.#endLive = await this.output.live(({ columns }) => this.#liveLines(columns));
  }

  second(second: LoadSecond): void {
    this.#seconds.push(second);
    const { firstWordsMs, ...rest } = second;
    const firstWordMs = spreadOf(firstWordsMs);
    this.output.event('load_progress', { ...rest, type: undefined, firstWordMs });
    if (!this.#endLive && this.#seconds.length % LINE_EVERY_S === 0) this.output.line(progressWords(second));
  }

  /** A number of calls was tried. */
  step(calls: number, isMet: boolean, { figures, limits, used }: LoadOutcomeReport): void {
    const { paint } = this.output;
    const callersCpu = this.#callersCpu;
    this.output.event('load_step', { calls, met: isMet, limits, figures, used, callersCpu });
    const broken = limits.filter((one) => !one.isMet).map(limitWords);
    const exhausted = this.#isExhausted ? ' – the callers had no processor time left' : '';
    const words = isMet ? this.#stepWords(figures, used) : broken.join('; ');
    this.output.line(`${isMet ? paint.green('✔') : paint.red('✖')} ${calls} calls: ${words}${exhausted}`);
    this.#seconds = [];
  }

  end(outcome: LoadOutcomeReport): void {
    this.close();
    const { figures, limits, used, isStopped } = outcome;
    this.output.event('load_ended', { stopped: isStopped, figures, limits, used, callersCpu: this.#callersCpu });
    const { line, paint } = { line: (text?: string) => this.output.line(text), paint: this.output.paint };
    line();
    for (const text of plotOf(this.#seconds, this.terminal.columns ?? 80)) line(text);
    line();
    for (const text of tableOf(figures, used, this.#callersCpu)) line(text);
    line();
    for (const limit of limits) line(`${limit.isMet ? paint.green('✔') : paint.red('✖')} ${limitWords(limit)}`);
    if (this.#isExhausted)
      this.output.warn(
        'the callers had no processor time left: figures are worse than the bots are; use fewer calls, or a machine with more cores',
      );
    if (isStopped) line('Stopped: these are the figures so far');
  }

  /** @param calls 0: not even one @param isAll the most that was to be tried */
  found(calls: number, isAll: boolean, isStopped: boolean, figures: LoadFigures | undefined): void {
    this.close();
    this.output.event('load_ended', { stopped: isStopped, found: calls, all: isAll, figures });
    if (isStopped) this.output.line(`Stopped: ${calls} calls were fine so far`);
    else if (calls === 0) this.output.line('Not even one call meets the limits');
    else
      this.output.line(
        `${this.output.paint.bold(`${calls} calls`)} ${isAll ? 'meet the limits; more were not tried' : 'are the largest number that meets the limits'}`,
      );
  }

  close(): void {
    this.#endLive?.();
    this.#endLive = undefined;
  }

  #liveLines(columns: number): string[] {
    const last = this.#seconds.at(-1);
    return last ? [...plotOf(this.#seconds, columns), `${progressWords(last)} `] : ['starting '];
  }

  #stepWords({ firstWordMs, gapMs, missingPercent }: LoadFigures, used: UsedByLoad | undefined): string {
    return [
      firstWordMs && `first word ${firstWordMs.p95.toFixed(0)} ms`,
      gapMs && `longest gap ${gapMs.p95.toFixed(0)} ms`,
      missingPercent !== undefined && `${missingPercent.toFixed(2)} % missing`,
      used && `CPU ${used.cpuPercent.p50.toFixed(0)} %`,
      this.#callersCpu && `callers’ CPU ${this.#callersCpu.p50.toFixed(0)} %`,
    ]
      .filter(Boolean)
      .join(', ');
  }

  get #callersCpu(): Spread | undefined {
    return spreadOf(this.#seconds.map(({ cpuPercent }) => cpuPercent));
  }

  get #isExhausted(): boolean {
    return (this.#callersCpu?.p95 ?? 0) >= EXHAUSTED_PERCENT;
  }
}

function progressWords({ dialled, live, over, wrong }: LoadSecond): string {
  return `${dialled} dialled, ${live} live, ${over} over${wrong > 0 ? `, ${wrong} went wrong` : ''}`;
}
