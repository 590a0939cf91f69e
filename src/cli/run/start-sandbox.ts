import { type SandboxProcess, startSandboxProcess } from '../../assembly/sandbox-process.js';
import type { TransportKind } from '../../assembly/transports.js';
import type { Config } from '../../config/config.js';
import { DEFAULT_CARRIER } from '../../providers/registry/carrier-names.js';
import { requireWebRtc } from '../../providers/rooms/webrtc/webrtc-packages.js';
import type { CliContext } from '../../terminal/context.js';
import type { Output } from '../../terminal/output.js';

export interface SandboxedRun {
  readonly context: Pick<CliContext, 'environment'>;
  readonly config: Pick<Config, 'carriers' | 'roomsProvider'>;
  readonly transport: TransportKind;
  readonly output: Output;
  /** Its log goes to our standard error. */
  readonly isVerbose: boolean;
}

/**
 * The offline phone network of a run, in a process of its own.
 * @throws VoicebotError VB_SANDBOX_FAILED, VB_CONFIG_INVALID where rooms need packages that are not here
 */
export function startSandboxOf({
  context,
  config,
  transport,
  output,
  isVerbose,
}: SandboxedRun): Promise<SandboxProcess> {
  if (transport === 'rooms') requireWebRtc();
  const carrier = config.carriers.carrier ?? DEFAULT_CARRIER;
  return output.step('Starting the sandbox', () =>
    startSandboxProcess(context.environment, {
      carrier,
      isVerbose: isVerbose && !output.logsJson,
      expectsRooms: transport === 'rooms',
      roomsProvider: config.roomsProvider,
    }),
  );
}
