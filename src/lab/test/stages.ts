import type { Logger } from '../../base/logger.js';
import type { Config } from '../../config/config.js';
import type { Environment } from '../../config/environment.js';
import type { PlacedScenario } from '../scenario/placed-scenario.js';
import type { Wire } from '../scenario/scenario-result.js';
import { speechUrlOf } from '../stage/script-server.js';
import { Stage } from '../stage/stage.js';
import { preparedCalls } from './prepared-calls.js';

export interface StagesOptions {
  readonly config: Config;
  /** Of scenarios that name none; absolute path. */
  readonly botFile: string;
  readonly scriptUrl: string;
  /** Calls at the same time: so many bots may be needed at once. */
  readonly atOnce: number;
  /** Time goes faster. Default false. */
  readonly isAtSpeed?: boolean;
  /** Bots say tones in place of words where flite is their voice. Default false. */
  readonly saysTones?: boolean;
  readonly environment: Environment;
  readonly logger: Logger;
}

interface Opening {
  /** Undefined until its first call comes. */
  stage: Promise<Stage> | undefined;
  uses: number;
}

/** Bot processes that wait for calls, at most: each takes memory. */
const MAX_WARM = 4;

/** The stages of a test: calls to the same bot over the same wire share one, and a call in which something of it breaks has its own. */
export class Stages {
  readonly #open = new Map<string, Opening>();
  readonly #closing = new Set<Promise<void>>();
  #alone = 0;

  constructor(private readonly options: StagesOptions) {}

  /** Says how many calls a scenario will make: its stage is closed after the last one. */
  announce(scenario: PlacedScenario, wire: Wire, runs: number): void {
    if (this.#isAlone(scenario)) return;
    const key = this.#keyOf(scenario, wire);
    const opening = this.#open.get(key);
    if (opening) opening.uses += runs;
    else this.#open.set(key, { stage: undefined, uses: runs });
  }

  /**
   * Waits until it is the scenario's turn, and then lets a call use its stage.
   * @param signal aborted meanwhile, no stage is opened
   * @throws what {@link Stage.open} throws, the same for every call of a stage; the reason of the signal
   */
  use<T>(scenario: PlacedScenario, wire: Wire, call: (stage: Stage) => Promise<T>, signal?: AbortSignal): Promise<T> {
    return preparedCalls.take(scenario, async () => {
      signal?.throwIfAborted();
      return this.#use(scenario, wire, call);
    });
  }

  async #use<T>(scenario: PlacedScenario, wire: Wire, call: (stage: Stage) => Promise<T>): Promise<T> {
    this.#alone += 1;
    const key = this.#isAlone(scenario) ? `alone ${this.#alone}` : this.#keyOf(scenario, wire);
    const opening = this.#open.get(key) ?? { stage: undefined, uses: 1 };
    this.#open.set(key, opening);
    opening.stage ??= this.#create(scenario, wire, opening.uses);
    try {
      return await call(await opening.stage);
    } finally {
      opening.uses -= 1;
      if (opening.uses === 0) this.#close(key, opening);
    }
  }

  async close(): Promise<void> {
    for (const [key, opening] of this.#open) this.#close(key, opening);
    await Promise.all(this.#closing);
  }

  #close(key: string, { stage }: Opening): void {
    this.#open.delete(key);
    const closing = Promise.resolve(stage).then(
      (one) => one?.close(),
      () => {},
    );
    this.#closing.add(closing);
    void closing.finally(() => this.#closing.delete(closing));
  }

  /** A process that is killed takes all calls with it that share it. */
  #isAlone(scenario: PlacedScenario): boolean {
    const isShared = (this.options.config.callsPerProcess ?? 1) > 1;
    return breaks(scenario) || (isShared && faultsOf(scenario).length > 0);
  }

  /** @param calls that will be made there */
  #create(scenario: PlacedScenario, wire: Wire, calls: number): Promise<Stage> {
    const { config, botFile, scriptUrl, atOnce, isAtSpeed, saysTones, environment, logger } = this.options;
    return Stage.open({
      config,
      botFile: scenario.bot ?? botFile,
      wire,
      services: scenario.services ?? 'scripted',
      scriptUrl,
      botEnvironment: scenario.environment,
      // At speed calls wait for bots, and time for calls.
      warm: breaks(scenario) || isAtSpeed ? 1 : Math.min(calls, atOnce, MAX_WARM),
      isBreakable: breaks(scenario),
      followsTalk: true, // also what a bot keeps nowhere
      speech: { saidAt: isAtSpeed ? speechUrlOf(scriptUrl) : undefined, saysTones },
      environment,
      logger,
    });
  }

  #keyOf({ bot, services, environment }: PlacedScenario, wire: Wire): string {
    return JSON.stringify([bot, services, wire, environment]);
  }
}

const faultsOf = ({ faults, then }: PlacedScenario) => [...faults, ...then.flatMap((call) => call.faults)];

const breaks = (scenario: PlacedScenario) => faultsOf(scenario).some(({ kind }) => kind !== 'kill_bot');
