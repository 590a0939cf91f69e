import type { StartFrame } from '../pipeline/frames/index.js';
import type { Pace, PlayoutWire } from './playout-wire.js';

/** Where a bot's speech goes. */
export interface SpeechWire extends PlayoutWire {
  readonly pace: Pace;
  /** Rate of the audio that is sent, in hertz; asked once, when there is something to send. */
  sampleRate(start: StartFrame): number;
  /** False when the caller can hear what is said neither now nor later: it is dropped. */
  isOpen(): boolean;
  /** {@link sendDtmf} presses keys; otherwise their tones are played into the audio. */
  readonly pressesKeys: boolean;
  /**
   * Sends digits behind the audio that is already on its way.
   * @throws VoicebotError
   */
  sendDtmf(digits: string): void | Promise<void>;
}
