import { EventEmitter } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { DtmfDigit } from '../../base/audio/dtmf-digit.js';
import { decodeMulaw, MULAW_SILENCE } from '../../base/audio/mulaw.js';
import { encodeWav } from '../../base/audio/wav.js';
import { LineEar, QUIET_MS } from '../../lab/scenario/line-ear.js';
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

/**
 * The caller's ear, mouth and fingers. It has no clock but the line itself: each {@link exchange} is 20 ms, so the same
 * call does the same things at the same moments however busy the machine is.
 */
export class CallAudio extends EventEmitter<CallAudioEvents> {
  /** Both sides of the call frame by frame, when it is recorded. */
  readonly recording: Array<{ readonly said: Uint8Array; readonly heard: Uint8Array }> = [];
  #isAnswered = false;
  readonly #ear = new LineEar();
  readonly #script: CallScript;
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

  /** Whether what is heard now is the music of a room provider that holds the call, and not the bot. */
  hold(isHeld: boolean): void {
    this.#ear.hold(isHeld);
  }

  /**
   * Lives through the next 20 ms.
   * @param heard mu-law, 8000 Hz, 160 bytes: what the caller hears
   * @returns what the caller says meanwhile, just as long
   */
  exchange(heard: Uint8Array): Uint8Array {
    if (!this.#isAnswered) return silence(heard.length); // ringback
    const change = this.#ear.hear(heard);
    if (change) this.emit(change === 'begins' ? 'bot_speaking' : 'bot_silent');
    const said = this.#act(heard.length);
    if (this.request.recordPath !== undefined) this.recording.push({ said, heard: heard.slice() });
    this.#ear.tick();
    this.#leaveWhenDone();
    return said;
  }

  get #nowMs(): number {
    return this.#ear.nowMs;
  }

  #act(length: number): Uint8Array {
    const said = silence(length);
    const speech = this.#script.step(
      {
        nowMs: this.#nowMs,
        isMyTurn: (sinceMs) => this.#ear.isMyTurn(sinceMs),
        press: (digit) => this.emit('key', digit),
        begins: (words) => this.emit('speaking', words),
        said: (text) => this.emit('said', text),
      },
      length,
    );
    if (speech) said.set(speech);
    return said;
  }

  #leaveWhenDone(): void {
    const { limitMs, leavesWhenDone } = this.request;
    if (this.#isDone) return;
    const { doneAtMs } = this.#script;
    const isQuiet =
      leavesWhenDone && doneAtMs !== undefined && this.#nowMs - Math.max(doneAtMs, this.#ear.lastLoudMs) >= QUIET_MS;
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
