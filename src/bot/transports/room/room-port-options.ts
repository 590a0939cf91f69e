import type { DtmfDigit } from '../../../base/audio/dtmf-digit.js';
import type { RoomRunnerLink } from '../../../call/runner-link.js';
import type { DialoutAnsweredData } from '../../../call/transfer-outcome.js';
import type { ForwardingClient } from './held-caller.js';
import type { JoinThisRoom } from './room-presence.js';
import type { Announce } from './rooms-event-data.js';

export interface RoomPortEvents {
  announce: Announce;
  /** 20 ms of what is said in the room, at the rate it was joined with. */
  heard(pcm: Int16Array): void;
  pressed(digit: DtmfDigit): void;
  /** Who the bot serves is there and hears it. */
  connected(): void;
  /** The destination of a transfer talks to the caller. */
  answered(data: DialoutAnsweredData): void;
  /** The bot has no call any more. */
  ended(): void;
  /** The bot cannot go on with the call; another one may. */
  failed(error: Error): void;
}

export interface RoomPortOptions {
  readonly join: JoinThisRoom;
  /** Undefined when no runner has started the bot. */
  readonly link: RoomRunnerLink | undefined;
  readonly roomName: string;
  /** For fetching a held caller. */
  createClient(): Promise<ForwardingClient>;
}
