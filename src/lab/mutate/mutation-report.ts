import { inWords } from '../../call/view/events.js';
import type { Output } from '../../terminal/output.js';
import { happenedText } from '../test/failure-text.js';
import { shownPlace } from '../test/shown-path.js';
import type { Mutant, ReachingCall } from './plan-mutants.js';
import type { MutantOutcome } from './run-mutants.js';

/** A beginning that is not over is no measure of how long the rest takes, in milliseconds of calls. */
const TELLING_MS = 10_000;

export interface MutationReportOptions {
  readonly output: Output;
  /** The working directory, from which people are shown the files. */
  readonly directory: string;
  /** Mutants at the same time. */
  readonly atOnce: number;
  /** Milliseconds of any clock. Default: that of the process. */
  readonly now?: () => number;
}

/** What all mutants have come to. */
export interface MutationScore {
  readonly mutants: number;
  readonly noticed: number;
  readonly unnoticed: number;
  readonly notReached: number;
  /** They could not be tried: they count as mutants that are not noticed. */
  readonly notTried: number;
  /** Of those that are known, whole per cent, rounded down; 0 where there are none: nothing is known then. */
  readonly percent: number;
}

/** Tells people and programs what becomes of mutants. */
export class MutationReport {
  readonly #outcomes: MutantOutcome[] = [];
  readonly #running = new Set<Mutant>();
  readonly #now: () => number;
  readonly #beganAt: number;
  #totalMs = 0;
  #passedMs = 0;
  #count = 0;
  #leave: (() => void) | undefined;

  constructor(private readonly options: MutationReportOptions) {
    this.#now = options.now ?? (() => performance.now());
    this.#beganAt = this.#now();
  }

  async begin(mutants: readonly Mutant[], tested: readonly ReachingCall[]): Promise<void> {
    const { output, atOnce } = this.options;
    const calls = mutants.flatMap((one) => one.calls);
    this.#count = mutants.length;
    this.#totalMs = calls.reduce((sum, { traits }) => sum + traits.lengthMs, 0);
    const masked = tested.filter(({ traits }) => traits.hasMaskedKeys).length;
    output.event('mutation_began', {
      mutants: mutants.length,
      calls: calls.length,
      callsMs: Math.round(this.#totalMs),
      scenarios: tested.map(({ scenario: { name, file, line }, wire, traits: { hasMaskedKeys } }) => ({
        ...{ name, file, line, wire },
        ...(hasMaskedKeys && { hasMaskedKeys }),
      })),
    });
    output.line();
    if (masked > 0)
      output.line(
        `Keys in ${masked === 1 ? 'one scenario' : `${masked} scenarios`} are masked and not known: which of them is ignored, no mutant tries`,
      );
    if (mutants.length === 0) {
      output.line(
        'The bot says no sentence, takes no key, calls no function and ends no call here: there is nothing to break',
      );
      return;
    }
    const most = `at most ${calls.length} calls of ${inWords(this.#totalMs)} together, ${atOnce} at once`;
    output.line(`Breaking the bot in ${mutants.length} ways: ${most}, some ${inWords(this.#totalMs / atOnce)}`);
    this.#leave = await output.live(() => this.#live());
  }

  started(mutant: Mutant): void {
    this.#running.add(mutant);
  }

  /** A call need not be waited for any longer. @param lengthMs of it, where the bot is not broken */
  passed(lengthMs: number): void {
    this.#passedMs += lengthMs;
  }

  ended(outcome: MutantOutcome): void {
    const { mutant, is } = outcome;
    this.#running.delete(mutant);
    this.#outcomes.push(outcome);
    const { output } = this.options;
    const { mutation, title, advice } = mutant;
    const noticed = 'by' in outcome && {
      by: { ...placeOf(outcome.by.scenario), wire: outcome.by.wire },
      failure: outcome.failure,
    };
    const expects = (is === 'unnoticed' || is === 'not_reached') && { expect: advice };
    output.event('mutant', {
      mutation,
      title,
      is,
      ...noticed,
      ...expects,
      ...('why' in outcome && { why: outcome.why }),
    });
    output.line(this.#lineOf(outcome));
  }

  /** The last word; also where it was stopped, of what is known then. */
  end(): MutationScore {
    this.stop();
    const { output } = this.options;
    const score = scoreOf(this.#outcomes);
    const wallMs = this.#now() - this.#beganAt;
    output.event('mutation_ended', { ...score, planned: this.#count, wallMs });
    if (this.#count === 0) return score;
    this.#list('unnoticed', 'No scenario notices:');
    this.#list('not_reached', 'No scenario goes there:');
    this.#list('not_tried', 'Could not be tried:');
    output.line();
    const known = score.mutants === this.#count ? '' : ` (${this.#count - score.mutants} more were not begun)`;
    const figure = `noticed ${score.noticed} of ${score.mutants} (${score.percent} %)`;
    const { green, yellow } = output.paint;
    const paint = score.noticed === score.mutants ? green : yellow;
    output.line(`${paint(figure)}${known}, in ${inWords(wallMs)}`);
    return score;
  }

  /** Takes what is written again and again away. More than once does no harm. */
  stop(): void {
    this.#leave?.();
    this.#leave = undefined;
  }

  #list(is: MutantOutcome['is'], title: string): void {
    const { output } = this.options;
    const those = this.#outcomes.filter((one) => one.is === is);
    if (those.length === 0) return;
    output.line();
    output.line(title);
    for (const one of those) {
      output.line(`  ${one.mutant.title}`);
      output.line(output.paint.dim('why' in one ? `    why     ${one.why}` : `    expect  ${one.mutant.advice}`));
    }
  }

  #lineOf(outcome: MutantOutcome): string {
    const { output, directory } = this.options;
    const { green, red, yellow, dim } = output.paint;
    const { title } = outcome.mutant;
    if ('why' in outcome) return `${yellow('-')} ${title}  could not be tried: ${outcome.why}`;
    if (!('by' in outcome))
      return outcome.is === 'unnoticed'
        ? `${red('✖')} ${title}  no scenario notices`
        : `${yellow('-')} ${title}  no scenario goes there`;
    const { by, failure } = outcome;
    const place = shownPlace(by.scenario, directory);
    return `${green('✓')} ${title}  ${dim(`${by.scenario.name} (${place})  ${failure.field}: ${happenedText(failure)}`)}`;
  }

  #live(): string[] {
    const running = [...this.#running].map(({ title }) => `  ${this.options.output.paint.yellow('▸')} ${title}`);
    return [...running, '', `${this.#outcomes.length} of ${this.#count} mutants${this.#timeLeft()}`];
  }

  /** By how long the calls have taken so far. */
  #timeLeft(): string {
    if (this.#passedMs < TELLING_MS) return '';
    const each = (this.#now() - this.#beganAt) / this.#passedMs;
    return `, about ${inWords(Math.max(0, this.#totalMs - this.#passedMs) * each)} left`;
  }
}

function scoreOf(outcomes: readonly MutantOutcome[]): MutationScore {
  const count = (is: MutantOutcome['is']) => outcomes.filter((one) => one.is === is).length;
  const [mutants, noticed] = [outcomes.length, count('noticed')];
  const percent = mutants === 0 ? 0 : Math.floor((100 * noticed) / mutants);
  const [unnoticed, notReached, notTried] = [count('unnoticed'), count('not_reached'), count('not_tried')];
  return { mutants, noticed, unnoticed, notReached, notTried, percent };
}

const placeOf = ({ name, file, line }: ReachingCall['scenario']) => ({ name, file, line });
