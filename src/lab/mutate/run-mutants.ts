import { availableParallelism } from 'node:os';
import { botFileOf } from '../../assembly/create-runner.js';
import { severalAtOnce } from '../../base/async/several-at-once.js';
import { VoicebotError } from '../../base/errors.js';
import { createLogger, silentLogger } from '../../base/logger.js';
import { hasTakenEffect, MUTATION_VARIABLE } from '../../call/mutation.js';
import type { Config } from '../../config/config.js';
import { stateDirectory } from '../../config/environment.js';
import type { CliContext } from '../../terminal/context.js';
import type { CallStory, Failure } from '../scenario/call-story.js';
import type { PlacedScenario } from '../scenario/placed-scenario.js';
import { CallerVoice } from '../stage/caller-voice.js';
import { KeptLog } from '../stage/kept-log.js';
import { ScriptServer } from '../stage/script-server.js';
import type { Stage } from '../stage/stage.js';
import { runScenario } from '../test/run-scenario.js';
import type { TestMeans } from '../test/scenario-call.js';
import { Stages } from '../test/stages.js';
import type { ScenarioOnWire } from '../test/test-outcome.js';
import type { Mutant, ReachingCall } from './plan-mutants.js';

/** No scenario has failed; the mutation has made no call another one; a call could not be made, or not be judged, and none has failed. */
type NotNoticed =
  | { readonly is: 'unnoticed' | 'not_reached' }
  | {
      readonly is: 'not_tried';
      /** For people. */
      readonly why: string;
    };

type CallVerdict = NotNoticed | { readonly is: 'noticed'; readonly failure: Failure };

/** What has become of a mutant. */
export type MutantOutcome = { readonly mutant: Mutant } & (
  | NotNoticed
  | { readonly is: 'noticed'; readonly by: ScenarioOnWire; readonly failure: Failure }
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
  const voices = { words: new CallerVoice(), tones: new CallerVoice(true) };
  const waiting = [...mutants];
  const work = async (mutant: Mutant) => {
    options.started(mutant);
    const outcome = await new MutantRun(mutant, options, scripts, voices).run(signal);
    if (outcome) options.ended(outcome);
  };
  try {
    await severalAtOnce(mutantsAtOnce(options.atOnce), () => waiting.shift(), work, signal);
  } finally {
    await scripts.close();
  }
}

/** What of a call tells whether a mutant was noticed. */
export interface MutantCall {
  readonly failures: readonly Failure[];
  /** The mutation has made it another one. */
  readonly isReached: boolean;
  /** The network has lost its telephone, as it does on a machine that has too much to do. */
  readonly isCutOff: boolean;
}

/**
 * What one call of a mutant has come to. A failure is the work of the mutation where the bot has come to it, or breaks before it notes that; any other
 * one says nothing of it.
 */
export function judgeCall({ failures, isReached, isCutOff }: MutantCall): CallVerdict {
  const [failure] = failures;
  const hasBroken = failures.some(({ kind }) => kind === 'broke');
  const isNoCall = failures.some(({ kind, field }) => kind === 'never_started' || /(?:^|\.)call$/.test(field));
  if (isCutOff) return { is: 'not_tried', why: 'the network has lost the telephone of the caller' };
  if (!failure) return { is: isReached ? 'unnoticed' : 'not_reached' };
  if (hasBroken || (isReached && !isNoCall)) return { is: 'noticed', failure };
  return { is: 'not_tried', why: `${failure.field}: ${failure.happened}` };
}

/** The calls to one mutant. */
class MutantRun {
  readonly #spoken: Stages;
  readonly #inTones: Stages;
  readonly #means: Omit<TestMeans, 'voice' | 'onStory'>;

  constructor(
    private readonly mutant: Mutant,
    private readonly options: RunMutantsOptions,
    scripts: ScriptServer,
    private readonly voices: { readonly words: CallerVoice; readonly tones: CallerVoice },
  ) {
    const { config, context, isVerbose } = options;
    const { environment, directory } = context;
    const log = new KeptLog(isVerbose ? createLogger({ level: 'debug' }) : silentLogger);
    this.#means = { scripts, log, environment, home: stateDirectory(environment) };
    const botFile = botFileOf(config, directory);
    const staged = { config, botFile, scriptUrl: scripts.url, atOnce: 1, environment, logger: log };
    this.#spoken = new Stages(staged);
    this.#inTones = new Stages({ ...staged, saysTones: true });
  }

  /** @returns undefined when it was aborted */
  async run(signal: AbortSignal): Promise<MutantOutcome | undefined> {
    const { mutant } = this;
    const calls = mutant.calls.map((call) => ({ call, scenario: broken(call, mutant) }));
    for (const { scenario, call } of calls) this.#stagesOf(call).announce(scenario, call.wire, 1);
    const left = [...mutant.calls];
    const others: NotNoticed[] = [];
    try {
      for (const { scenario, call } of calls) {
        const verdict = await this.#verdictOn(scenario, call, signal);
        if (signal.aborted) return undefined;
        left.shift();
        this.options.passed(call.traits.lengthMs);
        if (verdict.is !== 'noticed') others.push(verdict);
        else
          return { mutant, is: 'noticed', by: { scenario: call.scenario, wire: call.wire }, failure: verdict.failure };
      }
      return { mutant, ...together(others) };
    } finally {
      for (const { traits } of left) this.options.passed(traits.lengthMs);
      await Promise.all([this.#spoken.close(), this.#inTones.close()]);
    }
  }

  #stagesOf({ saysTones }: ReachingCall): Stages {
    return saysTones ? this.#inTones : this.#spoken;
  }

  async #verdictOn(scenario: PlacedScenario, of: ReachingCall, signal: AbortSignal): Promise<CallVerdict> {
    const voice = of.saysTones ? this.voices.tones : this.voices.words;
    try {
      return await this.#stagesOf(of).use(scenario, of.wire, async (stage) => {
        for (let no = 1; ; no += 1) {
          const call = await this.#call(scenario, stage, no, voice, signal);
          if (!call.isCutOff || no === MOST_TRIES || signal.aborted) return judgeCall(call);
        }
      });
    } catch (error) {
      return { is: 'not_tried', why: VoicebotError.fieldsOf(error, 'VB_INTERNAL').message };
    }
  }

  async #call(
    scenario: PlacedScenario,
    stage: Stage,
    no: number,
    voice: CallerVoice,
    signal: AbortSignal,
  ): Promise<MutantCall> {
    let [isReached, isCutOff] = [false, false];
    const onStory = ({ events, answeredAt, lengthMs }: CallStory) => {
      isReached ||= hasTakenEffect(events);
      isCutOff = answeredAt !== undefined && lengthMs === 0;
    };
    const { failures } = await runScenario(scenario, stage, no, { ...this.#means, voice, onStory }, signal);
    return { failures, isReached, isCutOff };
  }
}

/** Of several calls of which none has noticed it: one that could not be judged might have. */
function together(verdicts: readonly NotNoticed[]): NotNoticed {
  const of = (is: NotNoticed['is']) => verdicts.find((one) => one.is === is);
  return of('not_tried') ?? of('unnoticed') ?? { is: 'not_reached' };
}

/** The scenario, with a bot that is broken. */
const broken = ({ scenario }: ReachingCall, { mutation }: Mutant): ReachingCall['scenario'] => ({
  ...scenario,
  environment: { ...scenario.environment, [MUTATION_VARIABLE]: JSON.stringify(mutation) },
});
