import type { StartFrame } from '../../pipeline/frames/index.js';
import type { Pace } from '../playout.js';
import type { SpeechWire } from '../speech-output.js';
import type { RoomPresence } from './room-presence.js';

/**
 * What is said in a room is on its way at once and cannot be taken back: little is sent ahead. The jitter buffer at the
 * other end bridges a late frame.
 */
const ROOM_PACE: Pace = { leadMs: 20, liveLeadMs: 60, bridgedMs: 100, transitMs: 200, acknowledges: false };

/** Rate of a room's audio for a pipeline, in hertz. */
export const roomSampleRate = ({ audioInSampleRate }: StartFrame): number =>
  audioInSampleRate > 8_000 ? 16_000 : 8_000;

export interface RoomWireActions {
  /** A frame of speech goes out. */
  said(): void;
  /** What is said waits, since the caller hears something else. */
  isHeld(): boolean;
  sendDtmf(digits: string): Promise<void>;
}

/** The bot's voice in its room. What is said before the bot is there waits for it. */
export class RoomWire implements SpeechWire {
  readonly pace = ROOM_PACE;

  constructor(
    private readonly room: RoomPresence,
    private readonly actions: RoomWireActions,
  ) {}

  sampleRate(start: StartFrame): number {
    return roomSampleRate(start);
  }

  isOpen(): boolean {
    return !this.room.isGone;
  }

  isCongested(): boolean {
    return this.room.connection === undefined || this.actions.isHeld();
  }

  sendAudio(pcm: Int16Array): void {
    this.room.connection?.say(pcm);
    this.actions.said();
  }

  /** Nobody acknowledges what was heard in a room. */
  sendMark(): void {}

  /** What has been said is on its way. */
  sendClear(): void {}

  sendDtmf(digits: string): Promise<void> {
    return this.actions.sendDtmf(digits);
  }
}
