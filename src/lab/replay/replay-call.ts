import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { botFileOf } from '../../assembly/create-runner.js';
import type { TransportKind } from '../../assembly/transports.js';
import { VoicebotError } from '../../base/errors.js';
import { createLogger, silentLogger } from '../../base/logger.js';
import { type CallFolder, readCallFolder } from '../../call/folder/read-call-folder.js';
import { allOf } from '../../call/view/events.js';
import { type Config, resolveConfig } from '../../config/config.js';
import { stateDirectory } from '../../config/environment.js';
import { type CarrierName, DEFAULT_CARRIER } from '../../providers/registry/carrier-names.js';
import type { CliContext } from '../../terminal/context.js';
import { EXIT, ReportedError } from '../../terminal/exit-codes.js';
import type { Output } from '../../terminal/output.js';
import { StoppedBySignal, watchSignals } from '../../terminal/signals.js';
import type { Failure, ScenarioRun } from '../scenario/call-story.js';
import type { ModelQuestion, ModelReply } from '../scenario/model-script.js';
import { type PlacedScenario, placeScenario } from '../scenario/placed-scenario.js';
import { askedIn, RuleModel } from '../scenario/rule-model.js';
import type { Wire } from '../scenario/scenario-result.js';
import { CallerVoice } from '../stage/caller-voice.js';
import { ScriptServer } from '../stage/script-server.js';
import { Stage } from '../stage/stage.js';
import { UnansweredQuestions } from '../stage/unanswered-questions.js';
import { runScenario } from '../test/run-scenario.js';
import { type CallDifference, changesOf, differenceOf } from './call-difference.js';
import { comparedCall } from './compared-call.js';
import { showDifference } from './difference-report.js';
import { findRecordedCall } from './find-recorded-call.js';
import { recordedModel } from './recorded-model.js';
import { saveScenario, writeClips } from './save-scenario.js';
import { type RecordedScenario, scenarioOfCall } from './scenario-of-call.js';

/** What `voicebot replay` was asked for. */
export interface ReplayRequest {
  readonly call: string;
  readonly bot: string | undefined;
  readonly transport: TransportKind | undefined;
  readonly carrier: CarrierName | undefined;
  /** Default: the bot's own where it has their keys, else recorded. */
  readonly services: 'real' | 'recorded' | undefined;
  /** The scenario is written there, and no call is made. */
  readonly save: string | undefined;
  /** Whether a scenario that is written has zeros for its digits. */
  readonly masksDigits: boolean;
  readonly isVerbose: boolean;
}

/** Services of the bot in the replayed call. */
type Services = 'real' | 'recorded';

/**
 * Makes a recorded call again, and shows what is different.
 * @throws VoicebotError VB_REQUEST_INVALID; what the bot fails to load with; VB_CALL_FAILED when there is no call to compare;
 * ReportedError when something is different; StoppedBySignal
 */
export async function replayCall(request: ReplayRequest, context: CliContext, output: Output): Promise<void> {
  const { environment, directory } = context;
  const config = await resolveConfig({ flags: { ...(request.bot && { bot: request.bot }) }, environment, directory });
  const folder = await findRecordedCall(request.call, directory, stateDirectory(environment));
  if (request.save !== undefined) {
    const { bot, masksDigits } = request;
    return saveScenario(folder, { file: resolve(directory, request.save), bot, masksDigits }, directory, output);
  }
  const sounds = mkdtempSync(join(tmpdir(), 'voicebot-replay-'));
  const signals = watchSignals();
  const stop = new AbortController();
  void signals.first.then((signal) => stop.abort(new StoppedBySignal(signal)));
  try {
    const recorded = scenarioOfCall(folder, `call ${folder.record.id}`, '');
    writeClips(recorded.clips, sounds, '');
    const replay = new Replay(folder, recorded, join(sounds, 'replay.yaml'), request, config, context, output);
    const { difference, changes, path } = await replay.run(stop.signal);
    stop.signal.throwIfAborted();
    showDifference(difference, changes, path, output);
    if (difference.differs) throw new ReportedError(EXIT.scenarioFailed, 'The call is different now');
  } finally {
    signals.close();
    rmSync(sounds, { recursive: true, force: true });
  }
}

/** One recorded call, replayed. */
class Replay {
  /** What the model was asked now and not in the recorded call. */
  readonly #unanswered = new UnansweredQuestions();

  constructor(
    private readonly folder: CallFolder,
    private readonly recorded: RecordedScenario,
    /** Of a scenario beside its sounds; nothing is there. */
    private readonly file: string,
    private readonly request: ReplayRequest,
    private readonly config: Config,
    private readonly context: CliContext,
    private readonly output: Output,
  ) {}

  /** @returns `changes`: what the recorded answers do not depend on, and is another one now; `path`: the folder of the new call */
  async run(signal: AbortSignal): Promise<{ difference: CallDifference; changes: string[]; path: string }> {
    const { folder, context } = this;
    const home = stateDirectory(context.environment);
    const scripts = await ScriptServer.start({ knowsAllCalls: true });
    let run: ScenarioRun;
    try {
      const { stage, services } = await this.#open(scripts.url);
      try {
        this.#announce(services);
        const means = { scripts, voice: new CallerVoice(), home, environment: context.environment };
        run = await this.output.step('Replaying the call', () =>
          runScenario(this.#scenario(services), stage, 1, means, signal),
        );
      } finally {
        await stage.close();
      }
    } finally {
      await scripts.close();
    }
    signal.throwIfAborted();
    const problems = this.#problemsOf(run);
    if (run.folder === undefined)
      throw new VoicebotError('VB_CALL_FAILED', problems[0]?.happened ?? 'the call has left no folder');
    const [recorded, now] = [comparedCall(folder), comparedCall(await readCallFolder(run.folder))];
    const difference = differenceOf(recorded, now, [
      ...this.#unanswered.all.map((text) => ({ field: 'model' as const, text })),
      ...problems.map(({ happened }) => ({ field: 'call' as const, text: happened })),
    ]);
    return { difference, changes: changesOf(recorded, now), path: run.folder };
  }

  /** What went wrong, but for what is compared by itself, and for a bot that has broken in the recorded call as well. */
  #problemsOf({ failures }: ScenarioRun): Failure[] {
    const hadBroken = allOf(this.folder.events, 'bot_done').some(({ outcome }) => outcome !== 'returned');
    return failures.filter(
      ({ field, kind }) => !['end', 'tools', 'expect'].includes(field) && !(kind === 'broke' && hadBroken),
    );
  }

  /** Where the request does not say which services: the bot's own, or else recorded ones when their keys are missing. */
  async #open(scriptUrl: string): Promise<{ stage: Stage; services: Services }> {
    const { services } = this.request;
    if (services !== 'recorded') {
      try {
        return { stage: await this.#openWith('real', scriptUrl), services: 'real' };
      } catch (error) {
        const lacksKeys = error instanceof VoicebotError && error.code === 'VB_CREDENTIALS_MISSING';
        if (services === 'real' || !lacksKeys) throw error;
      }
    }
    return { stage: await this.#openWith('recorded', scriptUrl), services: 'recorded' };
  }

  #openWith(services: Services, scriptUrl: string): Promise<Stage> {
    const { request, config, context, recorded } = this;
    return Stage.open({
      config,
      botFile: botFileOf(config, context.directory),
      wire: this.#wire,
      services: services === 'recorded' ? 'scripted' : 'real',
      scriptUrl,
      warm: 1,
      isBreakable: (recorded.options.faults ?? []).some((fault) => !('killBot' in fault)),
      environment: context.environment,
      logger: request.isVerbose ? createLogger({ level: 'debug' }) : silentLogger,
    });
  }

  get #wire(): Wire {
    const { transport, carrier } = this.request;
    const wanted = carrier ? 'carrier' : (transport ?? this.recorded.options.transport ?? 'carrier');
    return wanted === 'rooms' ? 'rooms' : (carrier ?? this.config.carriers.carrier ?? DEFAULT_CARRIER);
  }

  #announce(services: Services): void {
    const { folder, recorded, output } = this;
    const { notes } = recorded;
    output.event('replay_began', { callId: folder.record.id, folder: folder.path, services, wire: this.#wire, notes });
    const words = services === 'real' ? "the bot's own services" : 'the answers of the recorded model, and no keys';
    output.line(`The call ${folder.record.id} again, with ${words}`);
    for (const note of notes) output.line(`${output.paint.yellow('!')} ${note}`);
  }

  #scenario(services: Services): PlacedScenario {
    const { options } = this.recorded;
    const rules = recordedModel(this.folder.events);
    const given =
      services === 'recorded' ? { ...options, services: 'scripted', model: rules } : { ...options, services };
    const placed = placeScenario(given, this.file, () => undefined);
    if (Array.isArray(placed)) {
      const problems = placed.map(({ field, message }) => `${field} ${message}`).join('; ');
      throw new VoicebotError('VB_REQUEST_INVALID', `the call cannot be replayed: ${problems}`);
    }
    if (!Array.isArray(placed.model)) return placed;
    const model = new RuleModel(placed.model);
    return { ...placed, model: (question) => this.#answer(question, model) };
  }

  /** The stand-in answers what the recording has no answer to. */
  #answer(question: ModelQuestion, model: RuleModel): ModelReply | undefined {
    this.#unanswered.ask(question);
    const { say, call } = model.answer(question) ?? {};
    if (say !== undefined || call !== undefined) return { ...(say !== undefined && { say }), ...(call && { call }) };
    this.#unanswered.add(`the recording has no answer to ${askedIn(question)}: the stand-in answered`);
    return undefined;
  }
}
