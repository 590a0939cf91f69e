import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { Resampler } from '../../audio/resampler.js';
import { VoicebotError } from '../../errors.js';
import { ProviderError } from '../provider-error.js';
import { SpeechDecoder } from './speech-decoder.js';
import { TtsService, type TtsServiceOptions } from './tts-service.js';
import type { Speech, SpeechListener, Voice, VoiceListener } from './voice.js';

export interface EspeakTTSOptions extends TtsServiceOptions {
  /** Name of a voice, as `espeak-ng --voices` lists them, such as `en-us` or `de+f3`. Default `en`. */
  voice?: string | undefined;
  /** Words a minute, 80 to 450. Default 165. */
  speed?: number | undefined;
  /** 0 to 99. Default 50. */
  pitch?: number | undefined;
  /** Program to run. Default `espeak-ng`. */
  program?: string | undefined;
}

interface EspeakSettings {
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

/**
 * Speaks with the espeak-ng program of this machine: no key, no network, and it sounds like a machine. For trying things out and
 * for tests.
 * @see https://github.com/espeak-ng/espeak-ng
 */
export class EspeakTTS extends TtsService {
  readonly #settings: EspeakSettings;

  /** @throws VoicebotError VB_CONFIG_INVALID naming every option that is malformed or out of range */
  constructor(options: EspeakTTSOptions = {}) {
    super(options);
    const { voice = 'en', speed = 165, pitch = 50, program = 'espeak-ng' } = options;
    const problems: string[] = [];
    if (!/^[a-z][\w+/-]*$/i.test(voice)) problems.push(`voice ${JSON.stringify(voice)} is malformed`);
    if (!(speed >= 80 && speed <= 450)) problems.push(`speed must be 80 to 450, got ${speed}`);
    if (!(pitch >= 0 && pitch <= 99)) problems.push(`pitch must be 0 to 99, got ${pitch}`);
    if (problems.length > 0) throw new VoicebotError('VB_CONFIG_INVALID', problems.join('; '));
    this.#settings = { voice, speed, pitch, program };
  }

  protected override get voiceKey(): string {
    return `espeak ${JSON.stringify(this.#settings)}`;
  }

  protected override createVoice(sampleRate: number, listener: VoiceListener): Voice {
    return new EspeakVoice(this.#settings, sampleRate, listener);
  }
}

class EspeakVoice implements Voice {
  #speech: EspeakSpeech | undefined;

  constructor(
    private readonly settings: EspeakSettings,
    readonly sampleRate: number,
    private readonly listener: VoiceListener,
  ) {}

  warmUp(): void {}

  speak(listener: SpeechListener): Speech {
    this.#speech?.cancel();
    this.#speech = new EspeakSpeech(this.settings, this.sampleRate, {
      ...listener,
      failed: (error) => {
        this.listener.troubled(error);
        listener.failed(error);
      },
    });
    return this.#speech;
  }

  close(): void {
    this.#speech?.cancel();
  }
}

/** One process for each sentence, one after the other. */
class EspeakSpeech implements Speech {
  readonly #texts: string[] = [];
  #process: EspeakProcess | undefined;
  #said = 0;
  #isEnded = false;
  #isOver = false;

  constructor(
    private readonly settings: EspeakSettings,
    private readonly sampleRate: number,
    private readonly listener: SpeechListener,
  ) {}

  say(text: string): void {
    this.#texts.push(text);
    this.#next();
  }

  end(): void {
    this.#isEnded = true;
    this.#next();
  }

  cancel(): void {
    this.#isOver = true;
    this.#process?.kill();
  }

  #next(): void {
    if (this.#isOver || this.#process) return;
    const text = this.#texts[this.#said];
    if (text !== undefined) this.#process = this.#start(text);
    else if (this.#isEnded) {
      this.#isOver = true;
      this.listener.done();
    }
  }

  #start(text: string): EspeakProcess {
    return new EspeakProcess(this.settings, this.sampleRate, text, {
      audio: (pcm) => {
        if (!this.#isOver) this.listener.audio(pcm);
      },
      over: (error) => {
        this.#process = undefined;
        if (this.#isOver) return;
        if (error) {
          this.#isOver = true;
          this.listener.failed(error);
          return;
        }
        this.#said += 1;
        this.listener.said(this.#said);
        this.#next();
      },
    });
  }
}

interface EspeakProcessListener {
  audio(pcm: Int16Array): void;
  /** Once. */
  over(error?: ProviderError): void;
}

/** A process that says one text: the text on its standard input, where nobody else sees it, a WAV file from its output. */
class EspeakProcess {
  readonly #child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #decoder = new SpeechDecoder('L16');
  #header = Buffer.alloc(0);
  #resampler: Resampler | undefined;
  #words = '';
  #failure: ProviderError | undefined;

  constructor(
    { voice, speed, pitch, program }: EspeakSettings,
    private readonly sampleRate: number,
    text: string,
    private readonly listener: EspeakProcessListener,
  ) {
    const options = ['--stdin', '--stdout', '-b', '1', '-v', voice, '-s', String(speed), '-p', String(pitch)];
    this.#child = spawn(program, options, { stdio: ['pipe', 'pipe', 'pipe'] });
    const timer = setTimeout(() => {
      this.#failure = failed(`it took longer than ${LIMIT_MS} ms`);
      this.kill();
    }, LIMIT_MS);
    this.#child.stdin.on('error', () => {}); // its exit tells more
    this.#child.stdin.end(text.trim());
    this.#child.stdout.on('data', (data: Buffer) => this.#read(data));
    this.#child.stderr.on('data', (data: Buffer) => {
      this.#words = `${this.#words}${data}`.slice(0, 300);
    });
    this.#child.on('error', (error: NodeJS.ErrnoException) => {
      this.#failure = error.code === 'ENOENT' ? missing(program) : failed(error.message);
    });
    this.#child.once('close', (code) => {
      clearTimeout(timer);
      if (code !== 0) this.#failure ??= failed(`it ended with ${code ?? 'a signal'}. ${this.#words.trim()}`);
      if (!this.#failure && this.#resampler) this.#tell(this.#resampler.flush());
      this.listener.over(this.#failure);
    });
  }

  kill(): void {
    this.#child.kill('SIGKILL');
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
