import { botFileOf } from '../../assembly/create-runner.js';
import { silentLogger } from '../../base/logger.js';
import type { Config } from '../../config/config.js';
import { DEFAULT_CARRIER } from '../../providers/registry/carrier-names.js';
import type { CliContext } from '../../terminal/context.js';
import { asStandInReply, RuleModel } from '../scenario/rule-model.js';
import type { CheckedRule } from '../scenario/scenario-schema.js';
import { ScriptServer } from '../stage/script-server.js';
import { Stage } from '../stage/stage.js';

export interface LabStageOptions {
  readonly config: Config;
  readonly context: CliContext;
  /** Whether the bot has its own services. */
  readonly usesReal: boolean;
}

/** The stage of the lab's calls, and what answers for their models. */
export class LabStage {
  #reloadFailure: Error | undefined;

  private constructor(
    readonly stage: Stage,
    private readonly scripts: ScriptServer,
  ) {
    stage.runner.on('reloaded', () => {
      this.#reloadFailure = undefined;
    });
    stage.runner.on('reload_failed', (error) => {
      this.#reloadFailure = error;
    });
  }

  /** @throws VoicebotError VB_BOT_LOAD_FAILED and what else the bot file throws; VB_SANDBOX_FAILED */
  static async open({ config, context, usesReal }: LabStageOptions): Promise<LabStage> {
    const scripts = await ScriptServer.start();
    try {
      const stage = await Stage.open({
        config,
        botFile: botFileOf(config, context.directory),
        wire: config.transport === 'rooms' ? 'rooms' : (config.carriers.carrier ?? DEFAULT_CARRIER),
        services: usesReal ? 'real' : 'scripted',
        scriptUrl: scripts.url,
        environment: context.environment,
        logger: silentLogger,
      });
      return new LabStage(stage, scripts);
    } catch (error) {
      await scripts.close();
      throw error;
    }
  }

  /**
   * The next call is served by the bot as it is saved now: the runner, which watches its files, notices a moment later.
   * @throws what it cannot be loaded for
   */
  async reload(): Promise<void> {
    await this.stage.runner.reload();
    if (this.#reloadFailure) throw this.#reloadFailure;
  }

  /** Answers for the model of a call; what no rule answers, the stand-in does. */
  script(callId: string, rules: readonly CheckedRule[]): void {
    const model = new RuleModel(rules);
    this.scripts.serve(callId, (question) => {
      const reply = model.answer(question);
      return reply && asStandInReply(reply);
    });
  }

  async close(): Promise<void> {
    await this.stage.close();
    await this.scripts.close();
  }
}
