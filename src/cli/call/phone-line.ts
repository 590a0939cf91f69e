import { randomBytes } from 'node:crypto';
import { VoicebotError } from '../../base/errors.js';
import { resolveConfig } from '../../config/config.js';
import { type Environment, stateDirectory } from '../../config/environment.js';
import { type CarrierName, DEFAULT_CARRIER } from '../../providers/registry/carrier-names.js';
import { type RunnerChoice, type RunningRunner, RunningRunners } from '../../runners/running-runners.js';
import { newAccountAt } from '../../sandbox/extension-side.js';

import type { CallRequest } from './call-request.js';

/** A telephone network to place one call on. */
export interface PhoneLine {
  readonly url: string;
  readonly token: string;
  /** The bot's number. */
  readonly number: string;
  /** Who answers: a runner's address or the answer URL. */
  readonly server: string;
  /** Address of the runner that can be asked how the call went. */
  readonly runnerUrl?: string;
  /** What that runner wants to be shown. */
  readonly runnerToken?: string | undefined;
  close(): Promise<void>;
}

/**
 * Finds the sandbox of a running runner, or opens one of its own to call `answerUrl`.
 * @throws VoicebotError VB_RUNNER_NOT_FOUND, VB_RUNNER_STOPPING, VB_DEADLINE_EXCEEDED, VB_SANDBOX_FAILED, VB_CONFIG_INVALID
 */
export async function openPhoneLine(
  request: CallRequest,
  environment: Environment,
  directory: string,
  onSeveral?: RunnerChoice['onSeveral'],
): Promise<PhoneLine> {
  if (request.answerUrl !== undefined)
    return await openOwnSandbox(request.answerUrl, request.carrier, environment, directory);
  const choice = { directory, ...request.runner, ...(onSeveral && { onSeveral }) };
  const runner = await findSandbox(choice, environment);
  const { url, phoneToken, number } = runner.sandbox;
  const asked = { server: runner.url, runnerUrl: runner.url, runnerToken: runner.token };
  return { url, token: phoneToken, number, ...asked, close: async () => {} };
}

/**
 * Finds the running runner, and the sandbox it uses.
 * @throws VoicebotError VB_RUNNER_NOT_FOUND
 */
export async function findSandbox(
  choice: RunnerChoice,
  environment: Environment,
): Promise<RunningRunner & Required<Pick<RunningRunner, 'sandbox'>>> {
  const { sandbox, ...runner } = await new RunningRunners(stateDirectory(environment)).find({
    ratherSandbox: true,
    ...choice,
  });
  if (sandbox) return { ...runner, sandbox };
  throw new VoicebotError('VB_RUNNER_NOT_FOUND', `the one at ${runner.url} is on a real carrier, not on the sandbox`, {
    hint: 'Dial its number with a telephone, or start another one: npx voicebot run --sandbox --port 7861',
  });
}

async function openOwnSandbox(
  answerUrl: string,
  asked: CarrierName | undefined,
  environment: Environment,
  directory: string,
): Promise<PhoneLine> {
  const config = await resolveConfig({ flags: {}, environment, directory });
  const { startSandbox } = await import('../../sandbox/sandbox.js');
  const phoneToken = randomBytes(24).toString('base64url');
  const { carrier: set = DEFAULT_CARRIER, accounts } = config.carriers;
  const carrier = asked ?? set;
  const settings = accounts.find((one) => one.carrier === carrier);
  const { authId, authToken, privateKey } = await newAccountAt(carrier);
  const sandbox = await startSandbox({
    carrier,
    authId: settings?.authId ?? authId,
    authToken: settings?.authToken ?? authToken,
    ...(privateKey && { privateKey }),
    phoneToken,
    answerUrl,
  });
  return {
    url: sandbox.url,
    token: phoneToken,
    number: sandbox.number,
    server: answerUrl,
    close: () => sandbox.close(),
  };
}
