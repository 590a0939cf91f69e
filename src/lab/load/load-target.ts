import { type Closer, closeAll } from '../../assembly/close-all.js';
import { botFileOf } from '../../assembly/create-runner.js';
import { VoicebotError } from '../../base/errors.js';
import { createLogger, silentLogger } from '../../base/logger.js';
import { type ProcessUsage, processUsage } from '../../base/process/process-usage.js';
import type { StandInReply } from '../../bot/services/llm/stand-in-request.js';
import { type CarrierName, DEFAULT_CARRIER } from '../../providers/registry/carrier-names.js';
import { newAccount } from '../../sandbox/new-account.js';
import type { CliContext } from '../../terminal/context.js';
import type { PlacedScenario } from '../scenario/placed-scenario.js';
import { PlayedFunctions } from '../scenario/played-functions.js';
import { asStandInReply, RuleModel } from '../scenario/rule-model.js';
import { replySchema } from '../scenario/scenario-schema.js';
import { type CallModel, ScriptServer } from '../stage/script-server.js';
import { Stage } from '../stage/stage.js';
import { CallersProcess } from './callers-process.js';
import type { LoadRequest } from './load-request.js';

/** How long the last work of a call may take before what the runner told of it is forgotten, in milliseconds. */
const END_LIMIT_MS = 10_000;

/** What the calls of a load go to, with the callers. */
export interface LoadTarget {
  readonly callers: CallersProcess;
  /** Asked whether a bot waits; undefined for a server that is not ours. */
  readonly runnerUrl: string | undefined;
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
    sandbox: callers.sandbox,
    environment,
    logger: request.isVerbose ? createLogger({ level: 'debug' }) : silentLogger,
  });
  opened.push(() => stage.close());
  join({ stage, callers, scripts, scenario, isScripted });
  return {
    callers,
    runnerUrl: stage.runner.url,
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

/** Tells callers and bots what they cannot know from the line: words that are heard by scripted ears, what bots say, and what functions give. */
function join({ stage, callers, scripts, scenario, isScripted }: LoadParts): void {
  callers.on('said', (callId, text) => {
    if (isScripted) void stage.client.type(callId, text).catch(() => {}); // a bot with ears of its own
  });
  callers.on('call_over', (callId) => {
    scripts?.forget(callId);
    void stage.calls.over(callId, END_LIMIT_MS);
  });
  if (!scenario) return;
  callers.on('ringing', (callId) => {
    const script = scriptOf(scenario);
    if (script) scripts?.serve(callId, script);
    const functions = new PlayedFunctions(scenario.tools);
    scripts?.play(callId, ({ name }) => functions.answer(name));
    stage.calls.follow(callId, (event) => {
      if (event.type === 'saying' || event.type === 'said') callers.noted(callId, event);
    });
  });
}

/** Answers for the model of one call; undefined: the stand-in does. */
function scriptOf({ model }: PlacedScenario): CallModel | undefined {
  if (!model) return undefined;
  const rules = Array.isArray(model) ? new RuleModel(model) : undefined;
  return async (question): Promise<StandInReply> => {
    const reply = typeof model === 'function' ? replySchema.parse(await model(question)) : rules?.answer(question);
    if (!reply) throw new Error('no rule answers');
    return asStandInReply(reply);
  };
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
  const made = newAccount(carrier);
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
    usage: () => (pid === undefined ? undefined : processUsage(pid)),
    close: () => closeAll(opened),
  };
}

const carrierOf = ({ carrier, scenario, config }: LoadRequest): CarrierName => {
  const named = scenario?.carrier === 'all' ? undefined : scenario?.carrier;
  return carrier ?? named ?? config.carriers.carrier ?? DEFAULT_CARRIER;
};
