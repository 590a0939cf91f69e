import { type Closer, closeAll } from '../../assembly/close-all.js';
import { botFileOf } from '../../assembly/create-runner.js';
import { errorText } from '../../base/error-text.js';
import { VoicebotError } from '../../base/errors.js';
import { createLogger, silentLogger } from '../../base/logger.js';
import { type ProcessUsage, processUsage } from '../../base/process/process-usage.js';
import type { TimelineEvent } from '../../call/timeline.js';
import { type CarrierName, DEFAULT_CARRIER } from '../../providers/registry/carrier-names.js';
import { newAccountAt } from '../../sandbox/extension-side.js';

import type { CliContext } from '../../terminal/context.js';
import type { PlacedScenario } from '../scenario/placed-scenario.js';
import { PlayedFunctions } from '../scenario/played-functions.js';
import { type CallModel, ScriptServer } from '../stage/script-server.js';
import { modelOf } from '../stage/scripted-model.js';
import { Stage } from '../stage/stage.js';
import { UnansweredQuestions } from '../stage/unanswered-questions.js';
import { CallersProcess } from './callers-process.js';
import { CallEnds } from './load-ends.js';
import type { LoadRequest } from './load-request.js';

/** What the calls of a load go to, with the callers. */
export interface LoadTarget {
  readonly callers: CallersProcess;
  /** Asked whether a bot waits; undefined for a server that is not ours. */
  readonly runnerUrl: string | undefined;
  /** What the bot processes took to load so far, in milliseconds; empty for a server that is not ours. */
  readonly loads: readonly number[];
  /** Of the runner and its bots, or of the server; undefined where it cannot be seen. */
  usage(): ProcessUsage | undefined;
  close(): Promise<void>;
}

/** @throws VoicebotError as a runner does that cannot start; VB_SANDBOX_FAILED */
export async function openTarget(request: LoadRequest, context: CliContext): Promise<LoadTarget> {
  const opened: Closer[] = [];
  try {
    return request.answerUrl === undefined
      ? await ownRunner(request, context, opened)
      : await server(request, request.answerUrl, context, opened);
  } catch (error) {
    await closeAll(opened);
    throw error;
  }
}

async function ownRunner(request: LoadRequest, context: CliContext, opened: Closer[]): Promise<LoadTarget> {
  const { config, scenario } = request;
  const { environment, directory } = context;
  const carrier = carrierOf(request);
  const callers = await CallersProcess.start(environment, { carrier });
  opened.push(() => callers.stop());
  const services = scenario?.services ?? request.services;
  const isScripted = services === 'scripted';
  const scripts =
    isScripted || scenario ? await ScriptServer.start({ knowsAllCalls: scenario !== undefined }) : undefined;
  if (scripts) opened.push(() => scripts.close());
  const stage = await Stage.open({
    config,
    botFile: scenario?.bot ?? botFileOf(config, directory),
    wire: carrier,
    services,
    scriptUrl: scripts?.url,
    botEnvironment: scenario?.environment ?? {},
    record: config.record ?? 'off',
    followsTalk: scenario !== undefined,
    sandbox: callers.sandbox,
    environment,
    logger: request.isVerbose ? createLogger({ level: 'debug' }) : silentLogger,
  });
  opened.push(() => stage.close());
  join({ stage, callers, scripts, scenario, isScripted });
  return {
    callers,
    runnerUrl: stage.runner.url,
    loads: stage.loads,
    usage: () => processUsage(process.pid, callers.pid),
    close: () => closeAll(opened),
  };
}

interface LoadParts {
  readonly stage: Stage;
  readonly callers: CallersProcess;
  readonly scripts: ScriptServer | undefined;
  readonly scenario: PlacedScenario | undefined;
  /** Whether the bot's services are. */
  readonly isScripted: boolean;
}

/** Tells callers and bots what they cannot know from the line: words that are heard by scripted ears, what bots say, what functions give, and how calls end. */
function join({ stage, callers, scripts, scenario, isScripted }: LoadParts): void {
  const ends = new CallEnds(stage.runner, stage.calls);
  /** Of each call. */
  const unanswered = new Map<string, UnansweredQuestions>();
  callers.on('said', (callId, text) => {
    if (isScripted) void stage.client.type(callId, text).catch(() => {}); // a bot with ears of its own
  });
  callers.on('call_over', async (callId) => {
    scripts?.forget(callId);
    const end = await ends.of(callId);
    callers.told(callId, { ...end, unanswered: unanswered.get(callId)?.all[0] });
    unanswered.delete(callId);
  });
  if (!scenario) return;
  callers.on('ringing', (callId) => {
    const questions = new UnansweredQuestions();
    unanswered.set(callId, questions);
    const script = scriptOf(scenario, questions);
    if (script) scripts?.serve(callId, script);
    const functions = new PlayedFunctions(scenario.tools);
    scripts?.play(callId, ({ name }) => functions.answer(name));
    stage.calls.follow(callId, (event) => {
      if (FOR_CALLERS.has(event.type)) callers.noted(callId, event);
    });
  });
}

/** What callers act upon. */
const FOR_CALLERS: ReadonlySet<TimelineEvent['type']> = new Set([
  'saying',
  'said',
  'speech_held',
  'line_played',
  'tool_called',
  'tool_returned',
  'bot_done',
  'transfer_asked',
  'transfer_over',
]);

/** Answers for the model of one call; undefined: the stand-in does. @param unanswered is told what has no answer */
function scriptOf({ model }: PlacedScenario, unanswered: UnansweredQuestions): CallModel | undefined {
  const answer = modelOf(model);
  return (
    answer &&
    (async (question) => {
      unanswered.ask(question);
      try {
        return await answer(question);
      } catch (error) {
        unanswered.add(errorText(error));
        throw error;
      }
    })
  );
}

async function server(
  request: LoadRequest,
  answerUrl: string,
  { environment }: CliContext,
  opened: Closer[],
): Promise<LoadTarget> {
  const { carriers } = request.config;
  const carrier = carrierOf(request);
  const known = carriers.accounts.find((one) => one.carrier === carrier);
  const made = await newAccountAt(carrier);
  const account = {
    ...made,
    ...(known?.authId && { authId: known.authId }),
    ...(known?.authToken && { authToken: known.authToken }),
  };
  const callers = await CallersProcess.start(environment, { carrier, account, answerUrl });
  opened.push(() => callers.stop());
  const { pid } = request;
  if (pid !== undefined && !processUsage(pid))
    throw new VoicebotError('VB_CONFIG_INVALID', `--pid ${pid}: the system shows no such process`);
  return {
    callers,
    runnerUrl: undefined,
    loads: [],
    usage: () => (pid === undefined ? undefined : processUsage(pid)),
    close: () => closeAll(opened),
  };
}

const carrierOf = ({ carrier, scenario, config }: LoadRequest): CarrierName => {
  const named = scenario?.carrier === 'all' ? undefined : scenario?.carrier;
  return carrier ?? named ?? config.carriers.carrier ?? DEFAULT_CARRIER;
};
