import { execFile } from 'node:child_process';
import { encodeMulaw } from '../../base/audio/mulaw.js';
import { speakWithFlite } from '../../bot/services/tts/flite-thread.js';
import { wavToMulaw } from './prompt-audio.js';

const SAMPLE_RATE = 8_000;
const LIMIT_MS = 5_000;
const MAX_SPOKEN_CHARACTERS = 1_000;
/** Many calls hear the same few texts. */
const MAX_REMEMBERED_TEXTS = 20;
const MAX_WAV_BYTES = 10 * 1024 * 1024;

/** A speaker for the sandbox's phones and for the texts of documents. */
export interface TextSpeaker {
  /**
   * @param language such as `en-US`
   * @param signal nothing is waited for any longer once it aborts
   * @returns 8000 Hz mu-law; undefined when there is none, or when the signal has aborted. Never rejects
   */
  speak(text: string, language: string, signal: AbortSignal): Promise<Uint8Array | undefined>;
}

/**
 * Speaks with the espeak-ng program, one text at a time; where that is missing or fails with flite, which speaks English only.
 * @see https://github.com/espeak-ng/espeak-ng
 */
export class SandboxSpeech implements TextSpeaker {
  #previous: Promise<unknown> = Promise.resolve();
  readonly #remembered = new Map<string, Uint8Array>();

  /**
   * @param program the program to run; it reads the text on standard input and writes a WAV file on standard output
   * @param speakEnglish speaks when there is no such program, or it does not work
   */
  constructor(
    private readonly program: string = 'espeak-ng',
    private readonly speakEnglish: typeof speakWithFlite = speakWithFlite,
  ) {}

  /**
   * @param language such as `en-US`; what is not of that form is spoken as English
   * @param signal nothing is waited for any longer once it aborts
   * @returns 8000 Hz mu-law, or undefined when it aborted, or when the program (within 5 s) and flite fail or are missing
   */
  speak(text: string, language: string, signal: AbortSignal): Promise<Uint8Array | undefined> {
    const spoken = this.#previous.then(() => (signal.aborted ? undefined : this.#recall(text, language, signal)));
    this.#previous = spoken;
    // flite cannot be interrupted: it speaks to the end, and the call goes on.
    return new Promise((resolve, reject) => {
      const leave = () => resolve(undefined);
      signal.addEventListener('abort', leave, { once: true });
      spoken.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
    });
  }

  async #recall(text: string, language: string, signal: AbortSignal): Promise<Uint8Array | undefined> {
    const key = `${language} ${text}`;
    const audio = this.#remembered.get(key) ?? (await this.#run(text, language, signal));
    if (audio) this.#remembered.set(key, audio);
    const [oldest] = this.#remembered.keys();
    if (oldest !== undefined && this.#remembered.size > MAX_REMEMBERED_TEXTS) this.#remembered.delete(oldest);
    return audio;
  }

  async #run(text: string, language: string, signal: AbortSignal): Promise<Uint8Array | undefined> {
    const voice = /^[a-z]{2}(-[a-z]{2})?$/i.test(language) ? language.toLowerCase() : 'en';
    const spoken = text.slice(0, MAX_SPOKEN_CHARACTERS);
    try {
      const wav = await new Promise<Buffer>((resolve, reject) => {
        const child = execFile(
          this.program,
          ['--stdout', '--stdin', '-v', voice],
          { encoding: 'buffer', timeout: LIMIT_MS, maxBuffer: MAX_WAV_BYTES, signal },
          (error, output) => (error ? reject(error) : resolve(output)),
        );
        child.stdin?.on('error', () => {}); // the callback above reports the failure
        child.stdin?.end(spoken);
      });
      return await wavToMulaw(wav);
    } catch {
      if (signal.aborted || !voice.startsWith('en')) return undefined;
      return await this.speakEnglish(spoken, SAMPLE_RATE).then(encodeMulaw, () => undefined);
    }
  }
}
