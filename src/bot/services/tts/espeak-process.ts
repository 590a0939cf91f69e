import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { Resampler } from '../../../base/audio/resampler.js';
import { ProviderError } from '../../../base/provider-error.js';
import type { PieceListener } from './piecewise-voice.js';
import { SpeechDecoder } from './speech-decoder.js';

export interface EspeakSettings {
  readonly voice: string;
  readonly speed: number;
  readonly pitch: number;
  readonly program: string;
}

const NAME = 'espeak-ng';
const INSTALL_HINT = 'install it: `sudo apt install espeak-ng`, or `brew install espeak-ng`';
/** What it writes before the samples. */
const WAV_HEADER_BYTES = 44;
const SAMPLE_RATE_AT = 24;
/** Longest it may take for one sentence, in milliseconds. */
const LIMIT_MS = 10_000;

/** A process that says one text: the text on its standard input, where nobody else sees it, a WAV file from its output. */
export class EspeakProcess {
  #child: ChildProcessByStdio<Writable, Readable, Readable> | undefined;
  readonly #decoder = new SpeechDecoder('L16');
  #header = Buffer.alloc(0);
  #resampler: Resampler | undefined;
  #words = '';
  #failure: ProviderError | undefined;

  constructor(
    { voice, speed, pitch, program }: EspeakSettings,
    private readonly sampleRate: number,
    text: string,
    private readonly listener: PieceListener,
  ) {
    const options = ['--stdin', '--stdout', '-b', '1', '-v', voice, '-s', String(speed), '-p', String(pitch)];
    let child: ChildProcessByStdio<Writable, Readable, Readable>;
    try {
      child = spawn(program, options, { stdio: ['pipe', 'pipe', 'pipe'] });
    } catch (error) {
      this.#failure = failed((error as Error).message);
      queueMicrotask(() => this.listener.over(this.#failure));
      return;
    }
    child.on('error', (error: NodeJS.ErrnoException) => {
      this.#failure = error.code === 'ENOENT' ? missing(program) : failed(error.message);
    });
    if (child.stdin as Writable | undefined) this.#run(child, text);
    // too many files are open: there are no pipes, no `close` follows, and to kill it would kill us, for it has no pid
    else child.once('error', () => this.listener.over(this.#failure));
  }

  #run(child: ChildProcessByStdio<Writable, Readable, Readable>, text: string): void {
    this.#child = child;
    const timer = setTimeout(() => {
      this.#failure = failed(`it took longer than ${LIMIT_MS} ms`);
      this.kill();
    }, LIMIT_MS);
    child.stdin.on('error', () => {}); // its exit tells more
    child.stdin.end(text.trim());
    child.stdout.on('data', (data: Buffer) => this.#read(data));
    child.stderr.on('data', (data: Buffer) => {
      this.#words = `${this.#words}${data}`.slice(0, 300);
    });
    child.once('close', (code) => {
      clearTimeout(timer);
      if (code !== 0) this.#failure ??= failed(`it ended with ${code ?? 'a signal'}. ${this.#words.trim()}`);
      if (!this.#failure && this.#resampler) this.#tell(this.#resampler.flush());
      this.listener.over(this.#failure);
    });
  }

  kill(): void {
    this.#child?.kill('SIGKILL');
  }

  #read(data: Buffer): void {
    if (this.#failure) return;
    let samples = data;
    if (!this.#resampler) {
      this.#header = Buffer.concat([this.#header, data]);
      if (this.#header.length < WAV_HEADER_BYTES) return;
      const rate = this.#header.readUInt32LE(SAMPLE_RATE_AT);
      try {
        this.#resampler = new Resampler(rate, this.sampleRate);
      } catch {
        this.#failure = failed(`the voice speaks at ${rate} Hz`);
        this.kill();
        return;
      }
      samples = this.#header.subarray(WAV_HEADER_BYTES);
    }
    this.#tell(this.#resampler.process(this.#decoder.decode(samples)));
  }

  #tell(pcm: Int16Array): void {
    if (pcm.length > 0) this.listener.audio(pcm);
  }
}

const failed = (detail: string) => new ProviderError(NAME, 'VB_PROVIDER_FAILED', detail.trim(), { isFinal: true });

const missing = (program: string) =>
  new ProviderError(NAME, 'VB_PROVIDER_FAILED', `${program} is not installed`, { hint: INSTALL_HINT, isFinal: true });
