import type { WireParticipant } from '../../providers/rooms/client-messages.js';
import type { PcmFrame } from '../network/frame.js';
import type { ParticipantPermissions } from './permissions.js';

/** Samples per second: of telephones and PCMU, and of Opus. */
export type AudioRate = 8_000 | 16_000;

/** A bot, a browser page or a phone leg in a room. */
export interface Participant {
  readonly sessionId: string;
  readonly userName: string;
  readonly userId: string | undefined;
  readonly joinedAt: Date;
  readonly wire: WireParticipant;
  /** What it may do; changes while it is in the room. */
  readonly permissions: ParticipantPermissions;
  /** Sample rate of its audio, in both directions, in hertz. */
  readonly rate: AudioRate;
  /** The next 20 ms of its audio. To be called once per tick. */
  say(): PcmFrame;
  /** Takes 20 ms of the other participants' audio. To be called once per tick. */
  hear(sound: PcmFrame): void;
}

/** True when every sample is 0. */
export const isSilent = (pcm: Int16Array): boolean => pcm.every((sample) => sample === 0);
