import { type OptionNames, refuseProblems, textProblems, unknownOptions } from '../../../base/names/option-names.js';
import { subtag } from '../../pipeline/language.js';
import { telephoneFormat } from '../telephone-format.js';
import { ACCOUNT_OPTIONS, type AccountOptions, resolveAccount, VENDORS, type VendorAccount } from '../vendor.js';
import { textOf, vendorFields } from '../vendor-fields.js';
import { SOCKET_VOICE_OPTIONS, SocketVoice, type SocketVoiceOptions, socketVoiceProblems } from './socket-voice.js';
import type { TtsCodec, TtsDialect, TtsEvent } from './tts-dialect.js';
import { TtsService } from './tts-service.js';
import { TTS_OPTIONS, type TtsServiceOptions } from './tts-service-options.js';
import type { Voice, VoiceListener } from './voice.js';

/** Which voice of Deepgram speaks. */
export interface DeepgramTTSOptions extends AccountOptions, TtsServiceOptions, SocketVoiceOptions {
  /** Model and voice in one name, with its language. Default: a voice of the conversation's language, where there is one, else `aura-2-thalia-en`. */
  voice?: string | undefined;
}

/** The voice for each language, where none was chosen. */
const VOICES: Readonly<Record<string, string>> = {
  en: 'aura-2-thalia-en',
  de: 'aura-2-viktoria-de',
  es: 'aura-2-celeste-es',
  fr: 'aura-2-agathe-fr',
  it: 'aura-2-livia-it',
};
const SPEAK_PATH = '/v1/speak';
/** Deepgram takes 20 flushes in 60 s on a connection; the last are kept for the ends of answers. */
const FLUSH_WINDOW_MS = 60_000;
const MAX_SENTENCE_FLUSHES = 14;

const OPTIONS: OptionNames<DeepgramTTSOptions> = {
  ...ACCOUNT_OPTIONS,
  ...TTS_OPTIONS,
  ...SOCKET_VOICE_OPTIONS,
  voice: true,
};

/**
 * Speaks with Deepgram's Aura voices over one WebSocket. They give no times of words: what the caller has heard of a sentence
 * is reckoned by its length.
 * @see https://developers.deepgram.com/reference/text-to-speech/speak-streaming
 */
export class DeepgramTTS extends TtsService {
  readonly #account: VendorAccount;
  readonly #voice: string;
  readonly #options: DeepgramTTSOptions;

  /** @throws VoicebotError VB_CREDENTIALS_MISSING when there is no key, VB_CONFIG_INVALID for an option out of range or not known */
  constructor(options: DeepgramTTSOptions = {}) {
    super(options);
    const problems = [
      ...unknownOptions(options, OPTIONS),
      ...textProblems({ voice: options.voice }),
      ...socketVoiceProblems(options),
    ];
    refuseProblems(problems);
    this.#account = resolveAccount(VENDORS.deepgram, options);
    this.#voice = options.voice ?? (VOICES.en as string);
    this.#options = options;
  }

  protected override get voiceKey(): string {
    return `deepgram ${this.#voice}`;
  }

  protected override get model(): string {
    return this.#voice;
  }

  protected override get language(): string {
    return /-([a-z]{2})$/.exec(this.#voice)?.[1] ?? 'en';
  }

  override inLanguage(language: string): DeepgramTTS {
    const voice = VOICES[subtag(language)];
    const isOwn = this.#options.voice !== undefined || voice === undefined || voice === this.#voice;
    return isOwn ? this : new DeepgramTTS({ ...this.#options, voice });
  }

  protected override createVoice(sampleRate: number, listener: VoiceListener): Voice {
    return new SocketVoice(deepgramDialect(this.#account, this.#voice, sampleRate), listener, this.#options);
  }
}

/** Every rate of a pipeline is one of Deepgram's; at 8000 Hz mu-law, as the telephone has it: half the bytes. */
export function deepgramDialect(account: VendorAccount, voice: string, sampleRate: number): TtsDialect {
  const format = telephoneFormat(sampleRate);
  const query = new URLSearchParams({
    model: voice,
    encoding: format.encoding === 'PCMU' ? 'mulaw' : 'linear16',
    sample_rate: String(sampleRate),
    container: 'none',
  });
  return {
    account,
    format,
    path: `${SPEAK_PATH}?${query}`,
    headers: { Authorization: `Token ${account.apiKey}` },
    endsWithTexts: true,
    codec: () => new DeepgramSpeakCodec(),
  };
}

/**
 * `Speak` adds text, `Flush` has it all spoken and is answered by `Flushed` behind the audio; `Clear` drops text and audio and is
 * answered by `Cleared`. Relied on: answers come in the order of the orders, and no audio from before a `Clear` follows
 * its `Cleared`. Audio is binary, without a name: there is one stream.
 */
export class DeepgramSpeakCodec implements TtsCodec {
  /** Texts that no flush stands behind yet, and how many stand before each flush that was not answered. */
  #unflushed = 0;
  #flushes: number[] = [];
  #flushedAt: number[] = [];
  /** Clears that were not answered: all until then is of what is not wanted. */
  #clears = 0;

  constructor(private readonly now: () => number = () => performance.now()) {}

  say(_stream: string, text: string): string[] {
    this.#unflushed += 1;
    const speak = JSON.stringify({ type: 'Speak', text });
    return this.#recentFlushes() < MAX_SENTENCE_FLUSHES ? [speak, this.#flush()] : [speak];
  }

  end(): string[] {
    return this.#unflushed > 0 ? [this.#flush()] : [];
  }

  cancel(): string[] {
    this.#unflushed = 0;
    this.#flushes = [];
    this.#clears += 1;
    return [JSON.stringify({ type: 'Clear' })];
  }

  bye(): string[] {
    return [JSON.stringify({ type: 'Close' })];
  }

  parse(data: Buffer, isBinary: boolean): readonly TtsEvent[] {
    if (isBinary) return this.#clears > 0 ? [] : [{ type: 'audio', bytes: data }];
    const { type, description, err_msg: message } = vendorFields(data);
    if (type === 'Cleared') this.#clears = Math.max(0, this.#clears - 1);
    else if (type === 'Flushed' && this.#clears === 0) return [{ type: 'said', texts: this.#flushes.shift() ?? 0 }];
    else if (type === 'Error')
      return [{ type: 'error', message: textOf(description) || textOf(message) || 'an error without words' }];
    return [];
  }

  #flush(): string {
    this.#flushes.push(this.#unflushed);
    this.#unflushed = 0;
    this.#flushedAt.push(this.now());
    return JSON.stringify({ type: 'Flush' });
  }

  #recentFlushes(): number {
    const since = this.now() - FLUSH_WINDOW_MS;
    this.#flushedAt = this.#flushedAt.filter((at) => at > since);
    return this.#flushedAt.length;
  }
}
