import { allowClock, type ClockLease, type ClockReport, reportClockTo } from '../base/clock/clock-member.js';
import { followClock } from '../base/clock/process-clock.js';
import type { ClockStart } from '../base/clock/shared-clock.js';
import { errorText } from '../base/error-text.js';
import { VoicebotError } from '../base/errors.js';
import { createLogger } from '../base/logger.js';
import { type ExtensionSource, loadExtensions } from '../providers/registry/extensions.js';
import { preloadWebRtc } from '../providers/rooms/webrtc/peer-audio.js';
import { type SandboxOptions, type StartedNetwork, startPhoneNetwork } from './sandbox.js';

/** What the parent process sends over IPC, once. Secrets come this way, never in arguments or the environment. */
export interface SandboxStartMessage {
  readonly type: 'start';
  readonly options: Omit<SandboxOptions, 'logger'>;
  /** Whether rooms will be used: their packages are then loaded as soon as the sandbox listens. */
  readonly expectsRooms: boolean;
  /** What time goes by. Default: the machine's. */
  readonly clock?: ClockStart | undefined;
  /** Those that the parent uses. Default: none. */
  readonly extensions?: readonly ExtensionSource[];
}

/** How far time may go in this process, which answers `clock`. */
export interface SandboxClockMessage {
  readonly type: 'clock';
  readonly lease: ClockLease;
}

/** What this process answers. */
export type SandboxReplyMessage =
  | {
      type: 'listening';
      url: string;
      apiUrl: string;
      roomsApiUrl: string;
      applicationId: string;
      number: string;
    }
  | { type: 'failed'; message: string; code: string };

/** How far it has come. */
export interface SandboxClockReport {
  readonly type: 'clock';
  readonly report: ClockReport;
}

const LIVE_CALLS_CHECK_MS = 500;

const reply = (message: SandboxReplyMessage | SandboxClockReport): Promise<void> =>
  new Promise((resolve) => process.send?.(message, undefined, undefined, () => resolve()));

async function start(
  { options, extensions = [] }: Pick<SandboxStartMessage, 'options' | 'extensions'>,
  onStarted: (network: StartedNetwork) => void,
): Promise<StartedNetwork | undefined> {
  try {
    await loadExtensions(extensions);
    const started = await startPhoneNetwork({ ...options, logger: createLogger({ level: 'error' }) });
    const { sandbox } = started;
    onStarted(started);
    const { url, apiUrl, roomsApiUrl, applicationId, number } = sandbox;
    await reply({ type: 'listening', url, apiUrl, roomsApiUrl, applicationId, number });
    return started;
  } catch (error) {
    const code = error instanceof VoicebotError ? error.code : 'VB_SANDBOX_FAILED';
    process.exitCode = 1;
    await reply({ type: 'failed', message: errorText(error), code });
    process.disconnect();
    return undefined;
  }
}

/**
 * Starts a sandbox as the parent process says, and ends it with the parent.
 * @param onStarted for what else lives in this process; called before the parent knows that it listens
 */
export function serveParent(onStarted: (network: StartedNetwork) => void = () => {}): void {
  let starting: Promise<StartedNetwork | undefined> = Promise.resolve(undefined);

  process.once('message', ({ options, expectsRooms, clock, extensions }: SandboxStartMessage) => {
    if (clock) {
      followClock(clock);
      reportClockTo((report) => void reply({ type: 'clock', report }));
      process.on('message', ({ lease }: SandboxClockMessage) => allowClock(lease));
    }
    starting = start({ options, ...(extensions && { extensions }) }, onStarted);
    if (expectsRooms) void starting.then((started) => started && preloadWebRtc()).catch(() => {}); // told when it is needed
  });

  process.once('SIGTERM', async () => {
    await (await starting)?.sandbox.close();
    process.exit(0);
  });

  // The parent decides when calls end, also where a Ctrl+C reaches us both.
  process.on('SIGINT', () => {});

  process.stderr.on('error', () => {}); // the parent, which reads it, is gone

  // The parent is gone: calls in progress go on, then this process ends.
  process.once('disconnect', async () => {
    const { sandbox } = (await starting) ?? {};
    const exitWhenQuiet = async (): Promise<void> => {
      if (sandbox && sandbox.liveCalls > 0) return;
      clearInterval(timer);
      await sandbox?.close();
      process.exit();
    };
    const timer = setInterval(exitWhenQuiet, LIVE_CALLS_CHECK_MS);
    await exitWhenQuiet();
  });
}
