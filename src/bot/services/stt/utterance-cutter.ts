import { EnergyDetector } from '../../../base/audio/energy-detector.js';

/** Sound before the first that is heard as speech, which is part of it, in milliseconds. */
const BEFORE_MS = 400;

/** What an {@link UtteranceCutter} tells, in order. */
export interface UtteranceListener {
  /** The next sound of the present utterance, or of one that begins. */
  audio(bytes: Uint8Array): void;
  /** The caller has been silent for long enough. @param atMs where in all the audio, in milliseconds */
  ended(atMs: number): void;
}

/** Cuts a caller's audio into utterances by the voice in it, for a vendor that wants each by itself. What is between them is left out. */
export class UtteranceCutter {
  readonly #detector: EnergyDetector;
  /** The latest sound while nobody speaks. */
  readonly #before: Uint8Array[] = [];
  #beforeMs = 0;
  #isSpeaking = false;
  #silentMs = 0;
  #atMs = 0;

  /** @param sampleRate of 16-bit audio, in hertz @param silenceMs that ends an utterance */
  constructor(
    private readonly sampleRate: number,
    private readonly silenceMs: number,
    private readonly listener: UtteranceListener,
  ) {
    this.#detector = new EnergyDetector(sampleRate, { hangoverMs: 40 });
  }

  /** Takes the next audio, whole samples of any length. */
  take(bytes: Uint8Array): void {
    const pcm = samplesOf(bytes);
    const ms = (pcm.length * 1_000) / this.sampleRate;
    const isSpeech = this.#detector.isSpeech(pcm);
    this.#atMs += ms;
    this.#silentMs = isSpeech ? 0 : this.#silentMs + ms;
    if (!this.#isSpeaking && !isSpeech) {
      this.#keep(bytes, ms);
      return;
    }
    if (!this.#isSpeaking) this.#begin();
    this.listener.audio(bytes);
    if (this.#silentMs < this.silenceMs) return;
    this.#isSpeaking = false;
    this.listener.ended(this.#atMs);
  }

  #begin(): void {
    this.#isSpeaking = true;
    for (const earlier of this.#before.splice(0)) this.listener.audio(earlier);
    this.#beforeMs = 0;
  }

  #keep(bytes: Uint8Array, ms: number): void {
    this.#before.push(bytes);
    this.#beforeMs += ms;
    while (this.#beforeMs - ms > BEFORE_MS && this.#before.length > 1) {
      this.#beforeMs -= ((this.#before.shift()?.length ?? 0) * 500) / this.sampleRate;
    }
  }
}

/** A view of the bytes where they stand even, else a copy. */
function samplesOf(bytes: Uint8Array): Int16Array {
  const aligned = bytes.byteOffset % 2 === 0 ? bytes : bytes.slice();
  return new Int16Array(aligned.buffer, aligned.byteOffset, aligned.byteLength >> 1);
}
