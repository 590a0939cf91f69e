import { EventEmitter } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { DtmfDigit } from '../../audio/dtmf-digit.js';
import { FRAME_MS } from '../../audio/frame.js';
import { levelDb } from '../../audio/level.js';
import { decodeMulaw, MULAW_SILENCE } from '../../audio/mulaw.js';
import { encodeWav } from '../../audio/wav.js';
import type { CallRequest } from './call-request.js';
import { CallScript } from './call-script.js';

export interface CallAudioEvents {
  /** Time to press this key. */
  key: [digit: DtmfDigit];
  /** The caller begins to say this. */
  speaking: [words: string];
  /** The caller has said this text to its end. */
  said: [text: string];
  bot_speaking: [];
  bot_silent: [];
  /** Time to hang up. Emitted once. */
  done: [why: 'limit' | 'quiet'];
}

/** Speech and tones on a telephone line lie well above this, its noise well below. Decibels below full scale. */
const SPEAKING_DB = -45;
/** Shorter sounds are clicks. */
const SPEAKING_AFTER_MS = 60;
/** Shorter gaps belong to the sentence. */
const SILENT_AFTER_MS = 500;
/** How long nobody may have said anything before the caller thinks the conversation is over, or that the bot waits for them. */
const QUIET_MS = 5_000;
/** A bot that has spoken and is silent for so long has finished: pauses between its sentences are shorter. */
const TURN_AFTER_MS = 1_000;

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
  readonly #script: CallScript;
  #loudMs = 0;
  #lastLoudMs = Number.NEGATIVE_INFINITY;
  #botSpeaks = false;
  /** When the bot was last heard speaking; not the music of somebody who holds the call. */
  #botSpokeAtMs = Number.NEGATIVE_INFINITY;
  #isDone = false;

  constructor(
    private readonly request: Pick<CallRequest, 'acts' | 'talksOver' | 'limitMs' | 'leavesWhenDone' | 'recordPath'>,
  ) {
    super();
    this.#script = new CallScript(request.acts, request.talksOver);
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
    this.#listen(heard);
    const said = this.#act(heard.length);
    if (this.request.recordPath !== undefined) this.recording.push({ said, heard: heard.slice() });
    this.#frames += 1;
    this.#leaveWhenDone();
    return said;
  }

  get #nowMs(): number {
    return this.#frames * FRAME_MS;
  }

  #act(length: number): Uint8Array {
    const said = silence(length);
    const speech = this.#script.step(
      {
        nowMs: this.#nowMs,
        isMyTurn: (sinceMs) => this.#isMyTurn(sinceMs),
        press: (digit) => this.emit('key', digit),
        begins: (words) => this.emit('speaking', words),
        said: (text) => this.emit('said', text),
      },
      length,
    );
    if (speech) said.set(speech);
    return said;
  }

  #isMyTurn(sinceMs: number): boolean {
    const quietMs = this.#nowMs - Math.max(sinceMs, this.#lastLoudMs);
    return quietMs >= (this.#botSpokeAtMs > sinceMs ? TURN_AFTER_MS : QUIET_MS);
  }

  #listen(heard: Uint8Array): void {
    const isLoud = levelDb(decodeMulaw(heard)) > SPEAKING_DB;
    if (isLoud) this.#lastLoudMs = this.#nowMs;
    if (this.#isHeld) return;
    this.#loudMs = isLoud ? this.#loudMs + FRAME_MS : 0;
    const isSpeaking = this.#botSpeaks
      ? this.#nowMs - this.#lastLoudMs < SILENT_AFTER_MS
      : this.#loudMs >= SPEAKING_AFTER_MS;
    if (isSpeaking && isLoud) this.#botSpokeAtMs = this.#nowMs;
    if (isSpeaking === this.#botSpeaks) return;
    this.#botSpeaks = isSpeaking;
    this.emit(isSpeaking ? 'bot_speaking' : 'bot_silent');
  }

  #leaveWhenDone(): void {
    const { limitMs, leavesWhenDone } = this.request;
    if (this.#isDone) return;
    const { doneAtMs } = this.#script;
    const isQuiet =
      leavesWhenDone && doneAtMs !== undefined && this.#nowMs - Math.max(doneAtMs, this.#lastLoudMs) >= QUIET_MS;
    if (!isQuiet && this.#nowMs < limitMs) return;
    this.#isDone = true;
    this.emit('done', isQuiet ? 'quiet' : 'limit');
  }
}

const silence = (length: number) => new Uint8Array(length).fill(MULAW_SILENCE);

/**
 * Writes a call as a stereo WAV file, 16 bits, 8000 Hz: left the caller, right the bot. The two are aligned, because
 * each frame was said and heard in the same 20 ms.
 * @param path absolute; its folder exists
 */
export function writeRecording(path: string, frames: ReadonlyArray<{ said: Uint8Array; heard: Uint8Array }>): void {
  const said = decodeMulaw(Buffer.concat(frames.map((frame) => frame.said)));
  const heard = decodeMulaw(Buffer.concat(frames.map((frame) => frame.heard)));
  writeFileSync(path, encodeWav({ sampleRate: 8_000, channels: [said, heard], encoding: 'L16' }));
}
