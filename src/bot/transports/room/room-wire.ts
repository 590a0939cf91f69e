import type { StartFrame } from '../../pipeline/frames/index.js';
import type { Pace } from '../playout-wire.js';
import type { SpeechWire } from '../speech-wire.js';
import type { RoomPort } from './room-port.js';
import type { RoomTape } from './room-tape.js';

/** What the bot says in a room waits in the jitter buffers on the way to the caller and back at least for so long, in milliseconds. */
export const ROOM_DELAY_MS = 160;

/**
 * What is said in a room is on its way at once and cannot be taken back: little is sent ahead. The jitter buffer at the
 * other end bridges a late frame.
 */
const ROOM_PACE: Pace = {
  leadMs: 20,
  liveLeadMs: 60,
  bridgedMs: 100,
  transitMs: 200,
  heardAfterMs: ROOM_DELAY_MS,
  acknowledges: false,
};

/** Rate of a room's audio for a pipeline, in hertz. */
export const roomSampleRate = ({ audioInSampleRate }: StartFrame): number =>
  audioInSampleRate > 8_000 ? 16_000 : 8_000;

/** The bot's voice in its room. What is said before the bot is there waits for it. */
export class RoomWire implements SpeechWire {
  readonly pace = ROOM_PACE;
  readonly pressesKeys = true;

  /** Of the room's audio, in hertz; the pipeline has not started before it is known. */
  rate = 0;

  constructor(
    private readonly port: RoomPort,
    private readonly tape: Pick<RoomTape, 'said'>,
  ) {}

  sampleRate(start: StartFrame): number {
    this.rate = roomSampleRate(start);
    return this.rate;
  }

  isOpen(): boolean {
    return !this.port.isGone;
  }

  isCongested(): boolean {
    return this.port.isUnheard;
  }

  get breaks(): number {
    return this.port.breaks;
  }

  sendAudio(pcm: Int16Array): void {
    this.port.say(pcm);
    this.tape.said(pcm, this.rate);
  }

  /** A room provider does not acknowledge what was heard. */
  sendMark(): void {}

  /** What has been said is on its way. */
  sendClear(): void {}

  sendDtmf(digits: string): Promise<void> {
    return this.port.press(digits);
  }
}
