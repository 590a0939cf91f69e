import { EventEmitter } from 'node:events';
import type { DtmfDigit } from '../audio/dtmf-digit.js';
import { levelDb } from '../audio/level.js';
import { decodeMulaw, MULAW_SILENCE } from '../audio/mulaw.js';
import type { CallRequest } from './call-request.js';

export interface CallAudioEvents {
  /** Time to press this key. */
  key: [digit: DtmfDigit];
  bot_speaking: [];
  bot_silent: [];
  /** Time to hang up. Emitted once. */
  done: [why: 'limit' | 'quiet'];
}

const FRAME_MS = 20;
/** Speech and tones on a telephone line lie well above this, its noise well below. Decibels below full scale. */
const SPEAKING_DB = -45;
/** Shorter sounds are clicks. */
const SPEAKING_AFTER_MS = 60;
/** Shorter gaps belong to the sentence. */
const SILENT_AFTER_MS = 500;
/** How long nobody may have said anything before the caller thinks the conversation is over. */
const QUIET_MS = 5_000;

/**
 * The caller's ear, mouth and fingers. It has no clock but the line itself: each {@link exchange} is 20 ms, so the same
 * call does the same things at the same moments however busy the machine is.
 */
export class CallAudio extends EventEmitter<CallAudioEvents> {
  /** Both sides of the call frame by frame, when it is recorded. */
  readonly recording: Array<{ readonly said: Uint8Array; readonly heard: Uint8Array }> = [];
  #isAnswered = false;
  #isHeld = false;
  #frames = 0;
  #keysPressed = 0;
  #loudMs = 0;
  #lastLoudMs = Number.NEGATIVE_INFINITY;
  #botSpeaks = false;
  #isDone = false;

  constructor(
    private readonly request: Pick<CallRequest, 'speech' | 'keys' | 'limitMs' | 'leavesWhenDone' | 'recordPath'>,
  ) {
    super();
  }

  /** Milliseconds since the answer; undefined before it. */
  get elapsedMs(): number | undefined {
    return this.#isAnswered ? this.#nowMs : undefined;
  }

  /** The far end has answered: from the next frame on time counts. */
  answered(): void {
    this.#isAnswered = true;
  }

  /** Whether what is heard now is the music of somebody who holds the call, and not the bot. */
  hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
    this.#loudMs = 0;
  }

  /**
   * Lives through the next 20 ms.
   * @param heard mu-law, 8000 Hz, 160 bytes: what the caller hears
   * @returns what the caller says meanwhile, just as long
   */
  exchange(heard: Uint8Array): Uint8Array {
    if (!this.#isAnswered) return silence(heard.length); // ringback
    const { keys, recordPath } = this.request;
    for (let key = keys[this.#keysPressed]; key && key.atMs <= this.#nowMs; key = keys[this.#keysPressed]) {
      this.#keysPressed += 1;
      this.emit('key', key.digit);
    }
    this.#listen(heard);
    const said = this.#speak(heard.length);
    if (recordPath !== undefined) this.recording.push({ said, heard: heard.slice() });
    this.#frames += 1;
    this.#leaveWhenDone();
    return said;
  }

  get #nowMs(): number {
    return this.#frames * FRAME_MS;
  }

  #speak(length: number): Uint8Array {
    const said = silence(length);
    const start = this.#frames * length;
    said.set(this.request.speech.subarray(start, start + length));
    return said;
  }

  #listen(heard: Uint8Array): void {
    const isLoud = levelDb(decodeMulaw(heard)) > SPEAKING_DB;
    if (isLoud) this.#lastLoudMs = this.#nowMs;
    if (this.#isHeld) return;
    this.#loudMs = isLoud ? this.#loudMs + FRAME_MS : 0;
    const isSpeaking = this.#botSpeaks
      ? this.#nowMs - this.#lastLoudMs < SILENT_AFTER_MS
      : this.#loudMs >= SPEAKING_AFTER_MS;
    if (isSpeaking === this.#botSpeaks) return;
    this.#botSpeaks = isSpeaking;
    this.emit(isSpeaking ? 'bot_speaking' : 'bot_silent');
  }

  #leaveWhenDone(): void {
    const { speech, keys, limitMs, leavesWhenDone } = this.request;
    if (this.#isDone) return;
    const speechEndMs = speech.length / 8;
    const quietSinceMs = Math.max(speechEndMs, keys.at(-1)?.atMs ?? 0, this.#lastLoudMs);
    const isQuiet = leavesWhenDone && this.#nowMs - quietSinceMs >= QUIET_MS;
    if (!isQuiet && this.#nowMs < limitMs) return;
    this.#isDone = true;
    this.emit('done', isQuiet ? 'quiet' : 'limit');
  }
}

const silence = (length: number) => new Uint8Array(length).fill(MULAW_SILENCE);
