import { availableParallelism } from 'node:os';
import { botFileOf } from '../../assembly/create-runner.js';
import { severalAtOnce } from '../../base/async/several-at-once.js';
import { VoicebotError } from '../../base/errors.js';
import { createLogger, silentLogger } from '../../base/logger.js';
import { hasTakenEffect, MUTATION_VARIABLE } from '../../call/mutation.js';
import type { Config } from '../../config/config.js';
import { stateDirectory } from '../../config/environment.js';
import type { CliContext } from '../../terminal/context.js';
import { type Failure, kindOf } from '../scenario/call-story.js';
import { CallerVoice } from '../stage/caller-voice.js';
import { KeptLog } from '../stage/kept-log.js';
import { ScriptServer } from '../stage/script-server.js';
import { runScenario } from '../test/run-scenario.js';
import type { TestMeans } from '../test/scenario-call.js';
import { Stages } from '../test/stages.js';
import type { ScenarioOnWire } from '../test/test-outcome.js';
import type { Mutant, ReachingCall } from './plan-mutants.js';

/** What has become of a mutant: a scenario has failed; none has; the mutation has made no call another one. */
export type MutantOutcome = { readonly mutant: Mutant } & (
  | { readonly is: 'noticed'; readonly by: ScenarioOnWire; readonly failure: Failure }
  | { readonly is: 'unnoticed' | 'not_reached' }
);

export interface RunMutantsOptions {
  readonly config: Config;
  readonly context: CliContext;
  /** Most calls at the same time; see {@link mutantsAtOnce}. */
  readonly atOnce: number;
  readonly isVerbose: boolean;
  started(mutant: Mutant): void;
  /** A call of a mutant is over, or need not be made any more. @param lengthMs of the call of the bot that is not broken */
  passed(lengthMs: number): void;
  ended(outcome: MutantOutcome): void;
}

/** How often a call is made whose telephone the network loses. */
const MOST_TRIES = 3;

/** Each mutant has a runner, a network and a bot process of its own: more than two for each core would make calls fail that are fine. */
export const mutantsAtOnce = (wished: number): number => Math.min(wished, 2 * availableParallelism());

/** Makes calls to each mutant until one of them fails, several mutants at once. Aborted, calls hang up and nothing more is begun. */
export async function runMutants(
  mutants: readonly Mutant[],
  options: RunMutantsOptions,
  signal: AbortSignal,
): Promise<void> {
  const scripts = await ScriptServer.start({ knowsAllCalls: true });
  const voice = new CallerVoice();
  const waiting = [...mutants];
  const work = async (mutant: Mutant) => {
    options.started(mutant);
    const outcome = await new MutantRun(mutant, options, scripts, voice).run(signal);
    if (outcome) options.ended(outcome);
  };
  try {
    await severalAtOnce(mutantsAtOnce(options.atOnce), () => waiting.shift(), work, signal);
  } finally {
    await scripts.close();
  }
}

/** The calls to one mutant. */
class MutantRun {
  readonly #stages: Stages;
  readonly #means: TestMeans;
  #isReached = false;
  /** The network has lost the telephone of the last call, as it does on a machine that has too much to do. */
  #isCutOff = false;

  constructor(
    private readonly mutant: Mutant,
    private readonly options: RunMutantsOptions,
    scripts: ScriptServer,
    voice: CallerVoice,
  ) {
    const { config, context, isVerbose } = options;
    const { environment, directory } = context;
    const log = new KeptLog(isVerbose ? createLogger({ level: 'debug' }) : silentLogger);
    this.#means = {
      ...{ scripts, voice, log, environment, home: stateDirectory(environment) },
      onStory: ({ events, answeredAt, lengthMs }) => {
        this.#isReached ||= hasTakenEffect(events);
        this.#isCutOff = answeredAt !== undefined && lengthMs === 0;
      },
    };
    const botFile = botFileOf(config, directory);
    this.#stages = new Stages({ config, botFile, scriptUrl: scripts.url, atOnce: 1, environment, logger: log });
  }

  /** @returns undefined when it was aborted */
  async run(signal: AbortSignal): Promise<MutantOutcome | undefined> {
    const { mutant } = this;
    const calls = mutant.calls.map((call) => ({ ...call, scenario: broken(call, mutant) }));
    for (const { scenario, wire } of calls) this.#stages.announce(scenario, wire, 1);
    const left = [...mutant.calls];
    try {
      for (const call of calls) {
        const failure = await this.#failureOf(call, signal);
        if (signal.aborted) return undefined;
        const of = left.shift();
        this.options.passed(call.traits.lengthMs);
        if (of && failure) return { mutant, is: 'noticed', by: { scenario: of.scenario, wire: of.wire }, failure };
      }
      return { mutant, is: this.#isReached ? 'unnoticed' : 'not_reached' };
    } finally {
      for (const { traits } of left) this.options.passed(traits.lengthMs);
      await this.#stages.close();
    }
  }

  /** Why the call has failed, where that is the work of the mutation: a bot that breaks need not come to note it. */
  async #failureOf({ scenario, wire }: ScenarioOnWire, signal: AbortSignal): Promise<Failure | undefined> {
    try {
      const failures = await this.#stages.use(scenario, wire, async (stage) => {
        for (let no = 1; ; no += 1) {
          const run = await runScenario(scenario, stage, no, this.#means, signal);
          if (!this.#isCutOff || no === MOST_TRIES || signal.aborted) return run.failures;
        }
      });
      return this.#isReached || kindOf(failures) === 'broke' ? failures[0] : undefined;
    } catch (error) {
      const { code, message } = VoicebotError.fieldsOf(error, 'VB_INTERNAL');
      if (code !== 'VB_BOT_LOAD_FAILED') return undefined; // the machine's failure, not the bot's
      return { kind: 'never_started', field: 'bot', expected: 'a bot that loads', happened: message };
    }
  }
}

/** The scenario, with a bot that is broken. */
const broken = ({ scenario }: ReachingCall, { mutation }: Mutant): ReachingCall['scenario'] => ({
  ...scenario,
  environment: { ...scenario.environment, [MUTATION_VARIABLE]: JSON.stringify(mutation) },
});
