import { joinSamples } from '../../../base/audio/join-samples.js';
import { SpeechSoFar } from '../tts/speech-so-far.js';
import { UsualTimes } from '../usual-times.js';

/** A model that writes its words no sooner than so long before their sound writes in step with it, in milliseconds. */
const IN_STEP_MS = 300;

/** How long before its sound the last word of an answer is written, by model, in milliseconds. */
const leads = new UsualTimes();

/** What a model says and writes of one answer, so that it is known what was heard of it where it is cut. */
export class WrittenSpeech {
  readonly #pieces: Int16Array[] = [];
  #ms = 0;
  #text = '';
  /** Where the last word that was written begins: in the text, and how much sound had come then. */
  #last = { from: 0, atMs: 0 };

  /** @param voice which one speaks: two of the same speak alike */
  constructor(
    private readonly voice: string,
    private readonly sampleRate: number,
  ) {}

  get text(): string {
    return this.#text;
  }

  get audio(): Int16Array {
    return joinSamples(this.#pieces);
  }

  write(delta: string): void {
    if (delta.trim() !== '') this.#last = { from: this.#text.length, atMs: this.#ms };
    this.#text += delta;
  }

  hear(pcm: Int16Array): void {
    this.#pieces.push(pcm);
    this.#ms += (pcm.length * 1_000) / this.sampleRate;
  }

  /** Nothing that was written counts. */
  clear(): void {
    this.#text = '';
    this.#last = { from: 0, atMs: this.#ms };
  }

  /** All of it was said: what is learned of the voice. */
  learn(): void {
    const { length } = this.#text;
    if (length === 0 || this.#ms === 0) return;
    leads.took(this.voice, Math.max(0, (this.#last.from / length) * this.#ms - this.#last.atMs));
    this.#soFar(this.#text, this.audio).saidUntil(1);
  }

  /** What of it was said, to the last word that was said to its end. */
  cut(): string {
    const leadMs = leads.of(this.voice);
    const isInStep = leadMs !== undefined && leadMs <= IN_STEP_MS;
    const { from, atMs } = isInStep ? this.#last : { from: 0, atMs: 0 };
    const tail = this.#text.slice(from);
    const samples = Math.round((atMs * this.sampleRate) / 1_000);
    const soFar = this.#soFar(tail, this.audio.subarray(samples));
    const { [soFar.cut().said]: rest = '' } = soFar.texts;
    return this.#text.slice(0, this.#text.length - rest.length).trimEnd();
  }

  #soFar(text: string, pcm: Int16Array): SpeechSoFar {
    const soFar = new SpeechSoFar(this.voice, this.sampleRate);
    soFar.add(text);
    soFar.audio(pcm);
    return soFar;
  }
}
