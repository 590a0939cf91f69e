import { basename } from 'node:path';
import { errorText } from '../../base/error-text.js';
import type { Exception } from '../../base/exception/exception.js';
import type { RunnerStatus } from '../../call/runner-status.js';

import { BotLoadError } from '../bots/bot-load-error.js';

/** What changes of a runner while it runs. */
interface RunnerNow extends Pick<RunnerStatus, 'readyBots' | 'publicUrl' | 'liveCalls' | 'startedAt'> {
  readonly cluster: RunnerStatus['cluster'];
  readonly services: RunnerStatus['services'];
  readonly isStopping: boolean;
  /** The provider reaches it. */
  readonly isUp: boolean;
  /** No bot could be loaded when it was tried last. */
  readonly botFails: boolean;
  /** What the code as it was saved last cannot be used for. */
  readonly notReloaded: Error | undefined;
  readonly hasPhone: boolean;
}

/** What a runner is set to. */
interface RunnerSettings {
  readonly botFile: string;
  readonly botName?: string | undefined;
  readonly provider: { readonly kind: RunnerStatus['transport'] };
  readonly phoneNumber?: string | undefined;
  readonly isSandbox?: boolean | undefined;
  readonly standIns?: boolean | undefined;
}

/** What a bot is called: its file without the folder, where it has no other name. */
export const botNameOf = ({
  botFile,
  botName = basename(botFile),
}: Pick<RunnerSettings, 'botFile' | 'botName'>): string => botName;

/** Of a bot file that does not load, with its place where that is known. */
const exceptionIn = (error: Error): Exception =>
  (error instanceof BotLoadError && error.exception) || { error: errorText(error) };

/** A runner as its operator sees it. */
export function statusOf(
  options: RunnerSettings,
  { isStopping, isUp, readyBots, botFails, notReloaded, cluster, services, ...now }: RunnerNow,
): RunnerStatus {
  const { provider, phoneNumber, isSandbox = false, standIns = false } = options;
  const isWorking = readyBots > 0 ? ('ready' as const) : ('no_bot' as const);
  return {
    version: 1,
    state: isStopping ? 'stopping' : isUp ? isWorking : 'unreachable',
    botFile: botNameOf(options),
    transport: provider.kind,
    isSandbox,
    standIns,
    number: phoneNumber ?? null,
    readyBots,
    ...now,
    ...(botFails && { botFails }),
    ...(notReloaded && { notReloaded: exceptionIn(notReloaded) }),
    ...(services && { services }),
    ...(cluster && { cluster }),
  };
}
