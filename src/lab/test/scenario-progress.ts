import { inSeconds, inWords } from '../../call/view/events.js';
import type { ScenarioRun } from '../scenario/call-story.js';
import type { ScenarioResult } from '../scenario/scenario-result.js';
import type { PlannedScenario } from './test-outcome.js';

/** How far it is. */
export type ScenarioState = 'waiting' | 'running' | 'passed' | 'failed' | 'not_run' | 'skipped';

/** What has become of a scenario, over one wire, so far. */
export class ScenarioProgress {
  readonly #begun = new Map<number, number>();
  readonly #ran: ScenarioRun[] = [];
  #result: ScenarioResult | undefined;
  #isNotRun = false;
  #skipped: string | undefined;

  /** @param now milliseconds of any clock */
  constructor(
    readonly planned: PlannedScenario,
    private readonly now: () => number,
  ) {}

  /** @param no of the run, from 1 */
  started(no: number): void {
    this.#begun.set(no, this.now());
  }

  ran(run: ScenarioRun): void {
    this.#begun.delete(run.no);
    this.#ran.push(run);
  }

  finished(result: ScenarioResult): void {
    this.#result = result;
  }

  notRun(): void {
    this.#isNotRun = true;
  }

  /** @param why empty where nothing is known */
  skipped(why: string): void {
    this.#skipped = why;
  }

  get state(): ScenarioState {
    if (this.#skipped !== undefined) return 'skipped';
    if (this.#isNotRun) return 'not_run';
    if (this.#result) return this.#result.passed ? 'passed' : 'failed';
    return this.#begun.size > 0 || this.#ran.length > 0 ? 'running' : 'waiting';
  }

  get isOver(): boolean {
    return this.#isNotRun || this.#result !== undefined || this.#skipped !== undefined;
  }

  /** Of all its calls, milliseconds. */
  get lengthMs(): number {
    return this.#ran.reduce((sum, { lengthMs }) => sum + lengthMs, 0);
  }

  /** Of the calls that are over. */
  get runs(): readonly ScenarioRun[] {
    return this.#ran;
  }

  /** How many calls it has made. */
  get calls(): number {
    return this.#ran.reduce((sum, { calls = 1 }) => sum + calls, 0);
  }

  /** For people: how many runs there are, how long they took, how soon the bot answered. Empty where there is nothing to say. */
  get figures(): [runs: string, length: string, answers: string] {
    const { state } = this;
    if (state === 'waiting') return ['', '', ''];
    if (state === 'not_run') return ['', 'not run', ''];
    if (state === 'skipped') return ['', 'skipped', this.#skipped ?? ''];
    return [this.#runs(), this.#length(state), answersWords(this.#result)];
  }

  #runs(): string {
    const { runs } = this.planned;
    if (runs === 1) return '';
    const passing = this.#ran.filter(({ failures }) => failures.length === 0).length;
    if (this.isOver) return `${passing} of ${runs} passed`;
    const failing = this.#ran.length - passing;
    return `${this.#ran.length}/${runs}${failing > 0 ? `, ${failing} failed` : ''}`;
  }

  /** Of one that is running, since the oldest of its calls has begun. */
  #length(state: ScenarioState): string {
    if (state !== 'running') return inWords(this.lengthMs);
    return this.#begun.size === 0 ? '' : inWords(this.now() - Math.min(...this.#begun.values()));
  }
}

function answersWords(result: ScenarioResult | undefined): string {
  if (!result?.answers) return '';
  const { medianMs, worstMs } = result.answers;
  return `answers in ${inSeconds(medianMs)}${worstMs === medianMs ? '' : `, worst ${inSeconds(worstMs)}`}`;
}
