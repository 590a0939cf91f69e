import { silentLogger } from '../../base/logger.js';
import { joinRoomFor } from '../../bot/transports/room/join-room.js';
import type { Browser } from '../../providers/daily/client/browser.js';
import type { RoomProvider, RoomsCredentials } from '../../providers/rooms/room-provider.js';
import { alone } from '../../runner/alone.js';
import { RoomKeeper } from '../../runner/calls/rooms/room-keeper.js';
import { type RoomTrial, tryRoom } from '../../runner/calls/rooms/trial-room.js';
import { joinedLine, NO_DIALOUT, transcriptionRefused } from '../run/run-report.js';
import type { Findings } from './findings.js';

/** What a trial room is joined with. */
export interface TriedAccount {
  readonly roomProvider: RoomProvider;
  readonly credentials: RoomsCredentials;
  /** Joins these rooms, where they need one; closed afterwards. */
  readonly browser: Browser | undefined;
  /** The setting `roomsClient`. */
  readonly roomsClient: string | undefined;
  /** Folder for the note of that room, until it is deleted. */
  readonly home: string;
  readonly signal: AbortSignal;
}

/**
 * Whether a bot could join the account's rooms, hear and be heard: in a room of its own, which is deleted.
 * @throws what the signal was aborted with
 */
export async function checkRoom(findings: Findings, account: TriedAccount): Promise<void> {
  await inTrial(findings, 'room', account, async () => {
    const trial = await tryAccount(account);
    findings.ok('room', joinedLine(trial));
    tellDialout(findings, trial);
  });
}

/**
 * Whether the provider's transcription starts, for a bot that has it: in a room of its own, which is deleted.
 * @param use what the bot has it for
 * @throws what the signal was aborted with
 */
export async function checkTranscription(
  findings: Findings,
  use: 'ears' | 'events',
  account: TriedAccount,
): Promise<void> {
  await inTrial(findings, 'transcription', account, async () => {
    const refused = transcriptionRefused(await tryAccount(account, true));
    if (!refused) findings.ok('transcription', "the room provider's transcription starts");
    else if (use === 'ears') findings.fail('transcription', refused);
    else
      findings.warn('transcription', refused.message, `The bot has ears of its own. To have it told: ${refused.hint}`);
  });
}

async function inTrial(
  findings: Findings,
  check: string,
  { browser, signal }: TriedAccount,
  look: () => Promise<void>,
): Promise<void> {
  try {
    await look();
  } catch (error) {
    signal.throwIfAborted();
    findings.fail(check, error);
  } finally {
    await browser?.close();
  }
}

async function tryAccount(
  { roomProvider: provider, credentials, browser, roomsClient, home, signal }: TriedAccount,
  transcribes = false,
): Promise<RoomTrial> {
  const client = await provider.createRestClient(credentials);
  const journalOf = alone.journals(home, silentLogger);
  const keeper = new RoomKeeper({ provider, credentials, client, journalOf, logger: silentLogger });
  try {
    const joinFor = (roomUrl: string) => joinRoomFor(provider, roomUrl, { pages: browser, setting: roomsClient });
    return await tryRoom({ client, keeper, joinFor, transcribes, signal });
  } finally {
    await keeper.stop(new AbortController().signal);
    await client.close();
  }
}

function tellDialout(findings: Findings, { allowsDialout }: RoomTrial): void {
  if (!allowsDialout) findings.warn('dial-out', NO_DIALOUT.message, NO_DIALOUT.fix);
  else {
    findings.warn(
      'dial-out',
      'calls may go out of the rooms; whether to telephone numbers, the provider shows only at the first one',
      "Should it refuse, ask the provider's support to enable dial-out",
    );
  }
}
