import type { Output, OutputStream } from '../../terminal/output.js';
import { type LoadFigures, type Spread, spreadOf } from './load-figures.js';
import { type Serving, turnedAwayHint } from './load-hints.js';
import type { LoadLimits } from './load-limits.js';
import type { LoadOutcomeReport } from './load-outcome.js';
import { type LoadSecond, plotOf } from './load-plot.js';
import { limitWords, tableOf } from './load-table.js';
import type { UsedByLoad } from './load-usage.js';
import type { SearchedNumber, SearchedNumbers, SearchKind } from './search-numbers.js';
import { callsWords, firstBroken, numberWords, searchLines, tooManyWords } from './search-words.js';

/** A process that used so much of a core had no time left, in per cent. */
const EXHAUSTED_PERCENT = 90;
/** Off a terminal, between two lines of progress, in seconds. */
const LINE_EVERY_S = 5;

/** Tells people and programs how a load goes, and what it has come to. */
export class LoadReport {
  #seconds: LoadSecond[] = [];
  #endLive: (() => void) | undefined;
  /** What is tried, of a search. */
  #trying: string | undefined;

  constructor(
    private readonly output: Output,
    private readonly terminal: OutputStream,
    private readonly serving: Serving,
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
    if (isSearch)
      this.output.line(`Finding how many calls may go on, and how many may come within a second, up to ${calls}`);
    else this.output.line(`${callsWords(calls)} within ${(rampMs ?? 0) / 1_000} s`);
    this.#endLive = await this.output.live(({ columns }) => this.#liveLines(columns));
  }

  second(second: LoadSecond): void {
    this.#seconds.push(second);
    const { firstWordsMs, ...rest } = second;
    const firstWordMs = spreadOf(firstWordsMs);
    this.output.event('load_progress', { ...rest, type: undefined, firstWordMs });
    if (this.#endLive || this.#seconds.length % LINE_EVERY_S !== 0) return;
    this.output.line(`${this.#trying === undefined ? '' : `  ${this.#trying}: `}${progressWords(second)}`);
  }

  /** A number of calls is tried from now on. */
  trying(kind: SearchKind, calls: number): void {
    this.#seconds = [];
    this.#trying = numberWords(kind, calls);
  }

  /** A number of calls was tried. One that is too many is no failure of the search. */
  step(kind: SearchKind, calls: number, { figures, limits, used, machine }: LoadOutcomeReport): void {
    const { paint } = this.output;
    const callersCpu = this.#callersCpu;
    const isMet = limits.every((one) => one.isMet);
    this.output.event('load_step', { kind, calls, met: isMet, limits, figures, used, machine, callersCpu });
    const exhausted = this.#isExhausted ? ' – the callers had no processor time left' : '';
    const broken = firstBroken(limits);
    const words = broken ? limitWords(broken) : this.#stepWords(figures, used);
    const mark = isMet ? paint.green('✔') : paint.dim('–');
    const number = isMet ? numberWords(kind, calls) : tooManyWords(kind, calls);
    this.output.line(`${mark} ${number}: ${words}${exhausted}`);
    this.#trying = undefined;
  }

  end(outcome: LoadOutcomeReport): void {
    this.close();
    const { figures, limits, used, isStopped } = outcome;
    const hint = turnedAwayHint(outcome, this.serving);
    const { machine } = outcome;
    const callersCpu = this.#callersCpu;
    this.output.event('load_ended', { stopped: isStopped, figures, limits, used, machine, callersCpu, hint });
    const { line, paint } = { line: (text?: string) => this.output.line(text), paint: this.output.paint };
    line();
    for (const text of plotOf(this.#seconds, this.terminal.columns ?? 80)) line(text);
    line();
    for (const text of tableOf(figures, used, this.#callersCpu)) line(text);
    line();
    for (const limit of limits) line(`${limit.isMet ? paint.green('✔') : paint.red('✖')} ${limitWords(limit)}`);
    if (hint) line(`${paint.yellow('!')} ${hint}`);
    if (this.#isExhausted)
      this.output.warn(
        'the callers had no processor time left: figures are worse than the bots are; use fewer calls, or a machine with more cores',
      );
    if (isStopped) line('Stopped: these are the figures so far');
  }

  /** A search is over. */
  found({ steady, burst }: SearchedNumbers, isStopped: boolean): void {
    this.close();
    this.output.event('load_ended', {
      stopped: isStopped,
      found: steady.calls,
      all: steady.isAll,
      figures: steady.fine?.outcome.figures,
      steady: this.#searched(steady),
      burst: this.#searched(burst),
    });
    this.output.line();
    if (isStopped) this.output.line('Stopped: this is known so far');
    for (const number of [steady, burst]) {
      const [first, ...why] = searchLines(number, this.serving);
      this.output.line(this.output.paint.bold(first));
      for (const line of why) this.output.line(`  ${line}`);
    }
  }

  #searched(number: SearchedNumber): object {
    const { calls, isAll: all, isFound: complete, tooMany } = number;
    const { limits, figures, machine } = tooMany?.outcome ?? {};
    const broken = limits?.filter(({ isMet }) => !isMet);
    return {
      calls,
      all,
      complete,
      tooMany: tooMany && { calls: tooMany.calls, broken, reasons: figures?.reasons, machine },
      why: searchLines(number, this.serving).slice(1),
    };
  }

  close(): void {
    this.#endLive?.();
    this.#endLive = undefined;
  }

  #liveLines(columns: number): string[] {
    const last = this.#seconds.at(-1);
    const what = this.#trying === undefined ? '' : `${this.#trying}: `;
    return last ? [...plotOf(this.#seconds, columns), `${what}${progressWords(last)} `] : [`${what}starting `];
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
