import { execFile } from 'node:child_process';
import { wavToMulaw } from './prompt-audio.js';

const LIMIT_MS = 5_000;
const MAX_SPOKEN_CHARACTERS = 1_000;
/** Many calls hear the same few texts. */
const MAX_REMEMBERED_TEXTS = 20;
const MAX_WAV_BYTES = 10 * 1024 * 1024;

/**
 * Speaks with the espeak-ng program, one text at a time.
 * @see https://github.com/espeak-ng/espeak-ng
 */
export class SandboxSpeech {
  #previous: Promise<unknown> = Promise.resolve();
  readonly #remembered = new Map<string, Uint8Array>();

  /** @param program the program to run; it reads the text on standard input and writes a WAV file on standard output */
  constructor(private readonly program: string = 'espeak-ng') {}

  /**
   * @param language such as `en-US`; what is not of that form is spoken as English
   * @returns 8000 Hz mu-law, or undefined when the program is missing, fails or takes longer than 5 s
   */
  speak(text: string, language: string, signal: AbortSignal): Promise<Uint8Array | undefined> {
    const spoken = this.#previous.then(() => (signal.aborted ? undefined : this.#recall(text, language, signal)));
    this.#previous = spoken;
    return spoken;
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
    try {
      const wav = await new Promise<Buffer>((resolve, reject) => {
        const child = execFile(
          this.program,
          ['--stdout', '--stdin', '-v', voice],
          { encoding: 'buffer', timeout: LIMIT_MS, maxBuffer: MAX_WAV_BYTES, signal },
          (error, output) => (error ? reject(error) : resolve(output)),
        );
        child.stdin?.on('error', () => {}); // the callback above reports the failure
        child.stdin?.end(text.slice(0, MAX_SPOKEN_CHARACTERS));
      });
      return await wavToMulaw(wav);
    } catch {
      return undefined;
    }
  }
}
