import { basename } from 'node:path';
import type { RunnerStatus } from '../../call/runner-status.js';

/** What changes of a runner while it runs. */
interface RunnerNow extends Pick<RunnerStatus, 'readyBots' | 'publicUrl' | 'liveCalls' | 'startedAt'> {
  readonly cluster: RunnerStatus['cluster'];
  readonly isStopping: boolean;
  /** The provider reaches it. */
  readonly isUp: boolean;
  /** No bot could be loaded when it was tried last. */
  readonly botFails: boolean;
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

/** A runner as its operator sees it. */
export function statusOf(
  options: RunnerSettings,
  { isStopping, isUp, readyBots, botFails, cluster, ...now }: RunnerNow,
): RunnerStatus {
  const { botFile, botName = basename(botFile), provider, phoneNumber, isSandbox = false, standIns = false } = options;
  const isWorking = readyBots > 0 ? ('ready' as const) : ('no_bot' as const);
  return {
    version: 1,
    state: isStopping ? 'stopping' : isUp ? isWorking : 'unreachable',
    botFile: botName,
    transport: provider.kind,
    isSandbox,
    standIns,
    number: phoneNumber ?? null,
    readyBots,
    ...now,
    ...(botFails && { botFails }),
    ...(cluster && { cluster }),
  };
}
