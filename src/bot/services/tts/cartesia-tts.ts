import { type OptionNames, refuseProblems, textProblems, unknownOptions } from '../../../base/names/option-names.js';
import { rangeProblems } from '../../../base/names/option-ranges.js';
import type { TimedWord } from '../../pipeline/frames/index.js';
import { subtag } from '../../pipeline/language.js';
import { telephoneFormat } from '../telephone-format.js';
import {
  ACCOUNT_OPTIONS,
  type AccountOptions,
  CARTESIA_VERSION,
  resolveAccount,
  VENDORS,
  type VendorAccount,
} from '../vendor.js';
import { listOf, numberOf, textOf, vendorFields } from '../vendor-fields.js';
import { SOCKET_VOICE_OPTIONS, SocketVoice, type SocketVoiceOptions, socketVoiceProblems } from './socket-voice.js';
import type { SpeechFormat, TtsCodec, TtsDialect, TtsEvent } from './tts-dialect.js';
import { TtsService } from './tts-service.js';
import { TTS_OPTIONS, type TtsServiceOptions } from './tts-service-options.js';
import type { Voice, VoiceListener } from './voice.js';

/** Which voice of Cartesia speaks, and how. */
export interface CartesiaTTSOptions extends AccountOptions, TtsServiceOptions, SocketVoiceOptions {
  /** Identifier of the voice. Default: Katie, an English voice made for conversations. */
  voice?: string | undefined;
  /** Default `sonic-3.5`. */
  model?: string | undefined;
  /** Of the text, such as `en` or `de`. Default: the conversation's language, else `en`. */
  language?: string | undefined;
  /** How fast, 0.6 to 1.5. Default: the voice's own. */
  speed?: number | undefined;
  /** How loud, 0.5 to 2. Default: the voice's own. */
  volume?: number | undefined;
}

interface CartesiaSettings {
  readonly voice: string;
  readonly model: string;
  readonly language: string;
  readonly speed?: number | undefined;
  readonly volume?: number | undefined;
}

const SOCKET_PATH = '/tts/websocket';
const KATIE = 'f786b574-daa5-4673-aa0c-cbe3e8534c02';

const OPTIONS: OptionNames<CartesiaTTSOptions> = {
  ...ACCOUNT_OPTIONS,
  ...TTS_OPTIONS,
  ...SOCKET_VOICE_OPTIONS,
  voice: true,
  model: true,
  language: true,
  speed: true,
  volume: true,
};

/**
 * Speaks with Cartesia's Sonic voices over one WebSocket, with the times of the words.
 * @see https://docs.cartesia.ai/api-reference/tts/websocket
 */
export class CartesiaTTS extends TtsService {
  readonly #account: VendorAccount;
  readonly #settings: CartesiaSettings;
  readonly #options: CartesiaTTSOptions;

  /** @throws VoicebotError VB_CREDENTIALS_MISSING when there is no key, VB_CONFIG_INVALID naming every option out of range or not known */
  constructor(options: CartesiaTTSOptions = {}) {
    super(options);
    const { voice, model = 'sonic-3.5', language = 'en', speed, volume } = options;
    const problems = [
      ...unknownOptions(options, OPTIONS),
      ...textProblems({ voice: voice || undefined, model, language }),
      ...socketVoiceProblems(options),
      ...rangeProblems({ speed: [speed, 0.6, 1.5], volume: [volume, 0.5, 2] }),
    ];
    refuseProblems(problems);
    this.#account = resolveAccount(VENDORS.cartesia, options);
    this.#settings = { voice: voice || KATIE, model, language, speed, volume };
    this.#options = options;
  }

  protected override get voiceKey(): string {
    return `cartesia ${JSON.stringify(this.#settings)}`;
  }

  protected override get model(): string {
    return this.#settings.model;
  }

  protected override get language(): string {
    return this.#settings.language;
  }

  override inLanguage(language: string): CartesiaTTS {
    const isOwn = this.#options.language !== undefined || subtag(language) === this.language;
    return isOwn ? this : new CartesiaTTS({ ...this.#options, language: subtag(language) });
  }

  protected override createVoice(sampleRate: number, listener: VoiceListener): Voice {
    return new SocketVoice(cartesiaDialect(this.#account, this.#settings, sampleRate), listener, this.#options);
  }
}

/** At 8000 Hz mu-law, as the telephone has it: half the bytes, and encoding it again for the carrier loses nothing. */
export function cartesiaDialect(account: VendorAccount, settings: CartesiaSettings, sampleRate: number): TtsDialect {
  const format = telephoneFormat(sampleRate);
  return {
    account,
    format,
    path: `${SOCKET_PATH}?cartesia_version=${CARTESIA_VERSION}`,
    headers: { 'X-API-Key': account.apiKey, 'Cartesia-Version': CARTESIA_VERSION },
    streamIdleMs: 800, // a context ends a second after its last audio
    codec: () => new CartesiaCodec(settings, format),
  };
}

/**
 * A context for each stream; every message of a context repeats its settings. `max_buffer_delay_ms: 0` has each text spoken at
 * once, because texts are whole sentences here. Relied on: `flush_done` follows the audio of each text then, `done` all of
 * a context; times are seconds since the context's first sample, words as they are written.
 */
export class CartesiaCodec implements TtsCodec {
  readonly #fields: Readonly<Record<string, unknown>>;

  constructor({ voice, model, language, speed, volume }: CartesiaSettings, { encoding, sampleRate }: SpeechFormat) {
    const tuning = { ...(speed !== undefined && { speed }), ...(volume !== undefined && { volume }) };
    this.#fields = {
      model_id: model,
      voice: { mode: 'id', id: voice },
      language,
      output_format: {
        container: 'raw',
        encoding: encoding === 'PCMU' ? 'pcm_mulaw' : 'pcm_s16le',
        sample_rate: sampleRate,
      },
      add_timestamps: true,
      use_normalized_timestamps: false,
      max_buffer_delay_ms: 0,
      ...(Object.keys(tuning).length > 0 && { generation_config: tuning }),
    };
  }

  say(stream: string, text: string): string[] {
    return [this.#request(stream, text, true)];
  }

  end(stream: string): string[] {
    return [this.#request(stream, '', false)];
  }

  cancel(stream: string): string[] {
    return [JSON.stringify({ context_id: stream, cancel: true })];
  }

  bye(): string[] {
    return [];
  }

  parse(data: Buffer): readonly TtsEvent[] {
    const fields = vendorFields(data);
    const stream = textOf(fields.context_id);
    if (fields.type === 'chunk') {
      const audio = textOf(fields.data);
      return audio ? [{ type: 'audio', stream, bytes: Buffer.from(audio, 'base64') }] : [];
    }
    if (fields.type === 'timestamps') return [{ type: 'words', stream, words: wordsOf(fields.word_timestamps) }];
    if (fields.type === 'flush_done') return [{ type: 'said', stream, texts: 1 }];
    if (fields.type === 'done') return [{ type: 'done', stream }];
    if (fields.type === 'error') return [{ type: 'error', stream, ...errorOf(fields) }];
    return [];
  }

  #request(stream: string, transcript: string, goesOn: boolean): string {
    return JSON.stringify({ ...this.#fields, context_id: stream, transcript, continue: goesOn });
  }
}

function wordsOf(value: unknown): TimedWord[] {
  const { words, start, end } = (value ?? {}) as Record<string, unknown>;
  const [starts, ends] = [listOf(start), listOf(end)];
  return listOf(words).flatMap((word, index) => {
    const [text, from, to] = [textOf(word), numberOf(starts[index]), numberOf(ends[index])];
    if (text === undefined || from === undefined || to === undefined) return [];
    return [{ text, startMs: from * 1_000, endMs: to * 1_000 }];
  });
}

/** Newer versions have a title and a message, older ones an error. */
function errorOf({ title, message, error, status_code: status }: Readonly<Record<string, unknown>>) {
  const words = [title, message ?? error].map(textOf).filter(Boolean);
  return { message: words.join(': ') || 'an error without words', status: numberOf(status) };
}
