import { inWords } from '../../call/view/events.js';
import type { Output } from '../../terminal/output.js';
import { expectedText, happenedText } from '../test/failure-text.js';
import { shownPath } from '../test/shown-path.js';
import { type FunctionsCalled, functionWordsOf } from './called-by-random.js';
import type { FoundMistake } from './found-mistakes.js';
import type { FuzzedCall } from './fuzz-calls.js';

/** Off a terminal, calls between two lines of progress. */
const LINE_EVERY = 20;

/** Tells people and programs how random callers fare. */
export class FuzzReport {
  #calls = 0;
  #over = 0;
  #wrong = 0;
  #callsMs = 0;
  #leave: (() => void) | undefined;
  readonly #beganAt = performance.now();

  constructor(
    private readonly output: Output,
    private readonly directory: string,
  ) {}

  async begin(calls: number, targets: number, seed: number): Promise<void> {
    this.#calls = calls;
    this.output.event('fuzz_began', { calls, scenarios: targets, seed });
    const of = targets === 1 ? 'the bot of one scenario' : `the bots of ${targets} scenarios`;
    this.output.line(`${calls} random callers call ${of}; the same ones again: --seed ${seed}`);
    this.#leave = await this.output.live(() => [this.#progress()]);
  }

  over({ name, run, mistakes }: FuzzedCall): void {
    this.#over += 1;
    this.#callsMs += run.lengthMs;
    if (mistakes.length > 0) this.#wrong += 1;
    const { callId, folder, lengthMs } = run;
    this.output.event('fuzz_call', { name, callId, folder, lengthMs, mistakes });
    if (!this.#leave && this.#over % LINE_EVERY === 0) this.output.line(this.#progress());
  }

  shrinking({ mistake }: FoundMistake): void {
    this.close();
    this.output.line(`Looking for a shorter call: ${expectedText(mistake)}`);
  }

  found({ mistake, shown, calls }: FoundMistake, file: string): void {
    this.close();
    const { output } = this;
    const { folder, lines, callId } = shown.run;
    output.event('fuzz_found', { ...mistake, calls, file, folder, callId, lines });
    const often = calls === 1 ? 'in one call' : `in ${calls} calls`;
    const shownFile = shownPath(file, this.directory);
    output.line(`${output.paint.red('✖')} ${expectedText(mistake)}  ${often}`);
    output.line(`      happened  ${output.paint.red(happenedText(mistake))}`);
    for (const [at, text] of lines.entries()) output.line(`      ${at === 0 ? 'call      ' : '          '}${text}`);
    if (folder !== undefined) output.line(`      folder    ${folder}`);
    output.line(`      scenario  ${shownFile}, again: npx voicebot test ${shownFile}`);
  }

  /** @param calls that were made */
  end(calls: number, found: number, functions: readonly FunctionsCalled[], isStopped: boolean): void {
    this.close();
    const wallMs = performance.now() - this.#beganAt;
    this.output.event('fuzz_ended', {
      calls,
      wrong: this.#wrong,
      found,
      functions,
      callsMs: this.#callsMs,
      wallMs,
      stopped: isStopped,
    });
    const { paint } = this.output;
    for (const one of functions) {
      const words = functionWordsOf(one);
      if (words !== '')
        this.output.line(functions.length === 1 ? words : `${shownPath(one.bot, this.directory)}  ${words}`);
    }
    const words = found === 0 ? paint.green('no mistake') : paint.red(found === 1 ? '1 mistake' : `${found} mistakes`);
    this.output.line(
      `${isStopped ? 'Stopped: ' : ''}${words} in ${calls} calls of ${inWords(this.#callsMs)} together, in ${inWords(wallMs)}`,
    );
  }

  close(): void {
    this.#leave?.();
    this.#leave = undefined;
  }

  #progress(): string {
    const wrong = this.#wrong === 0 ? '' : `, ${this.#wrong} with a mistake`;
    const passedMs = performance.now() - this.#beganAt;
    const left = this.#over === 0 ? '' : `, ${inWords((passedMs / this.#over) * (this.#calls - this.#over))} left`;
    return `${this.#over} of ${this.#calls} calls${wrong}${left}`;
  }
}
