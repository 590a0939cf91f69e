import { thisProcess } from '../base/process/process-identity.js';
import type { Runner } from '../runner/runner.js';
import type { RunningRunner } from '../runners/running-runners.js';
import { type SandboxProcess, sandboxAnnouncement } from './sandbox-process.js';
import type { TransportKind } from './transports.js';

export interface AnnouncedRun extends Required<Pick<RunningRunner, 'startedAt' | 'token' | 'bot' | 'directory'>> {
  readonly runner: Pick<Runner, 'port' | 'url' | 'addresses'>;
  readonly sandbox: SandboxProcess | undefined;
  readonly transport: TransportKind;
  /** Signs the room provider's webhooks, base64. */
  readonly secret: string;
}

/** What lets other commands of this user find the runner, and say which one it is. */
export function announcementOf({ runner, sandbox, transport, secret, ...run }: AnnouncedRun): RunningRunner {
  const { publicUrl } = runner.addresses;
  return {
    version: 1,
    ...thisProcess(),
    port: runner.port,
    url: runner.url,
    ...run,
    webhooks: { transport, publicUrl, ...(transport === 'rooms' && { secret }) },
    ...(sandbox && { sandbox: sandboxAnnouncement(sandbox) }),
  };
}
