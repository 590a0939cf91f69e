import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { settlesWithin, withDeadline } from '../base/async/deadline.js';
import { clockLeader } from '../base/clock/clock-leader.js';
import { clockStart, machineTimeout } from '../base/clock/process-clock.js';
import { VoicebotError } from '../base/errors.js';
import { basicEnvironment } from '../base/process/basic-environment.js';
import type { Environment } from '../config/environment.js';
import { type CarrierName, DEFAULT_CARRIER } from '../providers/registry/carrier-names.js';
import { extensionSources } from '../providers/registry/extensions.js';
import { DEFAULT_ROOM_PROVIDER } from '../providers/registry/room-provider-names.js';
import { LastWords } from '../runner/bots/bot-death.js';
import { readOutput } from '../runner/bots/bot-output.js';
import { isPlayed, newAccountAt, newRoomsKeyAt } from '../sandbox/extension-side.js';
import type { NewAccount } from '../sandbox/new-account.js';
import type {
  SandboxClockMessage,
  SandboxClockReport,
  SandboxReplyMessage,
  SandboxStartMessage,
} from '../sandbox/sandbox-child.js';

export interface SandboxCredentials extends Omit<NewAccount, 'privateKey'> {
  /** What a phone shows to place a call. */
  readonly phoneToken: string;
  /** The room provider that is played. Missing: the default one. */
  readonly roomsProvider?: string | undefined;
  /** The key of the room provider. */
  readonly roomsApiKey: string;
}

/** What process it is, and what it plays. */
export interface SandboxWishes {
  readonly carrier: CarrierName;
  /** Its log goes to our standard error. */
  readonly isVerbose: boolean;
  /** Whether calls will go into its rooms. */
  readonly expectsRooms: boolean;
  /** Whose rooms those are. Default: Daily's. */
  readonly roomsProvider?: string | undefined;
  /** File of the process, which serves its parent as `sandbox/main.ts` does. Default: that one. */
  readonly entry?: string;
  /** Default: a new one, which no other program knows. */
  readonly account?: NewAccount;
  /** First answer URL of its number. Default: none. */
  readonly answerUrl?: string | undefined;
}

/** A sandbox in a process of its own. */
export interface SandboxProcess extends SandboxCredentials {
  readonly carrier: CarrierName;
  readonly url: string;
  readonly apiUrl: string;
  readonly roomsApiUrl: string;
  readonly applicationId: string;
  readonly number: string;
  /** Resolves when the process has ended, on request or by itself, with how: `code 1, its last words: …`. */
  readonly ended: Promise<string>;
  stop(): Promise<void>;
}

type SandboxListening = Extract<SandboxReplyMessage, { type: 'listening' }>;

const ENTRY = fileURLToPath(new URL('../sandbox/main.js', import.meta.url));
const START_DEADLINE_MS = 10_000;
const STOP_DEADLINE_MS = 2_000;

/**
 * Starts the offline phone network with credentials that no other program knows. It has its own process group, so that Ctrl+C in
 * the terminal reaches only us and calls can end properly first.
 * @throws VoicebotError VB_SANDBOX_FAILED, VB_CARRIER_UNSUPPORTED, VB_CONFIG_INVALID for a carrier or a room provider that is not played
 */
export async function startSandboxProcess(
  environment: Environment,
  { isVerbose, expectsRooms, entry = ENTRY, account: known, answerUrl, ...wishes }: SandboxWishes,
): Promise<SandboxProcess & { readonly child: ChildProcess }> {
  // The one through which no calls come needs no side of its own for the sandbox.
  const carrier = expectsRooms && !isPlayed(wishes.carrier) ? DEFAULT_CARRIER : wishes.carrier;
  const roomsProvider = (expectsRooms && wishes.roomsProvider) || DEFAULT_ROOM_PROVIDER;
  const { privateKey, ...account } = known ?? (await newAccountAt(carrier));
  const played = { carrier, ...account, ...(privateKey && { privateKey }), ...(answerUrl && { answerUrl }) };
  const credentials: SandboxCredentials = {
    ...account,
    phoneToken: randomBytes(24).toString('base64url'),
    roomsProvider,
    roomsApiKey: await newRoomsKeyAt(roomsProvider),
  };
  const child = fork(entry, [], {
    detached: true,
    env: basicEnvironment(environment),
    execArgv: [],
    stdio: ['ignore', 'ignore', isVerbose ? 'inherit' : 'pipe', 'ipc'],
  });
  const ended = endOf(child);
  const stop = () => stopProcess(child, ended);
  try {
    const { type: _, ...network } = await withDeadline(
      started(
        child,
        ended,
        {
          ...played,
          phoneToken: credentials.phoneToken,
          rooms: { provider: roomsProvider, apiKey: credentials.roomsApiKey },
        },
        expectsRooms,
      ),
      START_DEADLINE_MS,
      () => failure(`it did not listen within ${START_DEADLINE_MS / 1_000} s`),
      machineTimeout,
    );
    shareClock(child);
    return { carrier, ...credentials, ...network, ended, stop, child };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Resolves when a process has ended, or could not be started, with how. */
function endOf(child: ChildProcess): Promise<string> {
  const words = new LastWords();
  const take = { line: (line: string) => words.printed(line), isCut: () => {}, goesOn: () => {} };
  if (child.stderr) readOutput(child.stderr, take);
  return new Promise((resolve) => {
    child.on('error', (error) => child.pid === undefined && resolve(error.message));
    child.once('exit', (code, signal) =>
      words.whenRead(child, signal ? `signal ${signal}` : `code ${code}`, ({ exit, lastLine }) =>
        resolve(lastLine === undefined ? exit : `${exit}, its last words: ${lastLine}`),
      ),
    );
  });
}

function started(
  child: ChildProcess,
  ended: Promise<string>,
  options: SandboxStartMessage['options'],
  expectsRooms: boolean,
): Promise<SandboxListening> {
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(failure('its process could not be started', error)));
    void ended.then((how) => reject(failure(`its process ended early (${how})`)));
    child.once('message', (reply: SandboxReplyMessage) => {
      if (reply.type === 'listening') resolve(reply);
      else reject(failure(`${reply.message} (${reply.code})`));
    });
    const message: SandboxStartMessage = {
      type: 'start',
      options,
      expectsRooms,
      clock: clockStart(),
      extensions: extensionSources(),
    };
    child.send(message, (error) => error && reject(failure('its process took no message', error)));
  });
}

/** Where time goes faster here, it goes as fast there. */
function shareClock(child: ChildProcess): void {
  const membership = clockLeader()?.join((lease) => {
    const message: SandboxClockMessage = { type: 'clock', lease };
    if (child.connected) child.send(message, () => {}); // a process that has ended is told below
  });
  if (!membership) return;
  child.on('message', (reply: SandboxReplyMessage | SandboxClockReport) => {
    if (reply.type === 'clock') membership.reported(reply.report);
  });
  child.once('exit', () => membership.leave());
}

async function stopProcess(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  if (child.pid === undefined) return;
  child.kill('SIGTERM');
  if (await settlesWithin(ended, STOP_DEADLINE_MS, machineTimeout)) return;
  child.kill('SIGKILL');
  await ended;
}

const failure = (detail: string, cause?: Error) => new VoicebotError('VB_SANDBOX_FAILED', detail, { cause });

/** What other commands are told of it. */
export function sandboxAnnouncement(sandbox: SandboxProcess) {
  const { url, phoneToken, number, carrier, authId, authToken, publicKey, apiUrl } = sandbox;
  const { roomsProvider, roomsApiKey, roomsApiUrl } = sandbox;
  const account = { carrier, authId, authToken, publicKey, apiUrl, roomsProvider, roomsApiKey, roomsApiUrl };
  return { url, phoneToken, number, account };
}

/** The process of the sandbox has ended by itself. @param how as {@link SandboxProcess.ended} tells it */
export const sandboxLost = (how: string): VoicebotError =>
  new VoicebotError('VB_SANDBOX_FAILED', `its process ended while calls could still come (${how})`, {
    hint: 'Start the runner again; with --verbose it says more.',
  });
