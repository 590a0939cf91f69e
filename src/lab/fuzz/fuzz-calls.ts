import { botFileOf } from '../../assembly/create-runner.js';
import { severalAtOnce } from '../../base/async/several-at-once.js';
import { createLogger, silentLogger } from '../../base/logger.js';
import type { Config } from '../../config/config.js';
import { stateDirectory } from '../../config/environment.js';
import type { CliContext } from '../../terminal/context.js';
import type { CallStory, Failure, ScenarioRun } from '../scenario/call-story.js';
import type { Wire } from '../scenario/scenario-result.js';
import { CallerVoice } from '../stage/caller-voice.js';
import { KeptLog } from '../stage/kept-log.js';
import { ScriptServer } from '../stage/script-server.js';
import { runScenario } from '../test/run-scenario.js';
import { Stages } from '../test/stages.js';
import { mistakesIn } from './always-holds.js';
import type { FuzzBase } from './fuzz-base.js';
import type { RandomCall } from './random-caller.js';

/** A scenario whose bot is called, and over whose wire. */
export interface FuzzTarget {
  readonly base: FuzzBase;
  readonly wire: Wire;
}

/** One call that is made. */
export interface FuzzCall {
  readonly target: FuzzTarget;
  readonly call: RandomCall;
  readonly name: string;
}

/** What came of it. */
export interface FuzzedCall extends FuzzCall {
  readonly run: ScenarioRun;
  /** The bot's, the first first. */
  readonly mistakes: readonly Failure[];
}

export interface FuzzCallsOptions {
  readonly config: Config;
  readonly context: CliContext;
  readonly atOnce: number;
  readonly isVerbose: boolean;
}

/** Makes calls of random callers, several at once. */
export class FuzzCalls {
  private constructor(
    private readonly options: FuzzCallsOptions,
    private readonly scripts: ScriptServer,
  ) {}

  static async start(options: FuzzCallsOptions): Promise<FuzzCalls> {
    return new FuzzCalls(options, await ScriptServer.start({ knowsAllCalls: true }));
  }

  readonly #voice = new CallerVoice();

  /**
   * Makes calls. Aborted, calls hang up and nothing more is begun.
   * @param onOver told of each that is over
   * @throws what a bot fails to load with
   */
  async make(calls: readonly FuzzCall[], onOver: (one: FuzzedCall) => void, signal: AbortSignal): Promise<void> {
    const { config, context, atOnce, isVerbose } = this.options;
    const { environment, directory } = context;
    const log = new KeptLog(isVerbose ? createLogger({ level: 'debug' }) : silentLogger);
    const botFile = botFileOf(config, directory);
    const stages = new Stages({ config, botFile, scriptUrl: this.scripts.url, atOnce, environment, logger: log });
    const waiting = calls.map((one) => ({ ...one, scenario: one.target.base.placed(one.call, one.name) }));
    for (const { scenario, target } of waiting) stages.announce(scenario, target.wire, 1);
    const means = { scripts: this.scripts, voice: this.#voice, home: stateDirectory(environment), environment, log };
    const work = async ({ scenario, ...one }: (typeof waiting)[number]) => {
      let story: CallStory | undefined;
      const told = { ...means, onStory: (of: CallStory) => (story = of) };
      const run = await stages.use(scenario, one.target.wire, (stage) => runScenario(scenario, stage, 1, told, signal));
      if (!signal.aborted)
        onOver({ ...one, run, mistakes: story ? mistakesIn(run, story, one.target.base.holds) : run.failures });
    };
    try {
      await severalAtOnce(atOnce, () => waiting.shift(), work, signal);
    } finally {
      await stages.close();
    }
  }

  close(): Promise<void> {
    return this.scripts.close();
  }
}
