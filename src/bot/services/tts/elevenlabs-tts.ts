import { type OptionNames, refuseProblems, textProblems, unknownOptions } from '../../../base/names/option-names.js';
import { rangeProblems } from '../../../base/names/option-ranges.js';
import type { TimedWord } from '../../pipeline/frames/index.js';
import { subtag } from '../../pipeline/language.js';
import { ACCOUNT_OPTIONS, type AccountOptions, resolveAccount, VENDORS, type VendorAccount } from '../vendor.js';
import { listOf, numberOf, textOf, vendorFields } from '../vendor-fields.js';
import { SOCKET_VOICE_OPTIONS, SocketVoice, type SocketVoiceOptions, socketVoiceProblems } from './socket-voice.js';
import type { SpeechFormat, TtsCodec, TtsDialect, TtsEvent } from './tts-dialect.js';
import { TtsService } from './tts-service.js';
import { TTS_OPTIONS, type TtsServiceOptions } from './tts-service-options.js';
import type { Voice, VoiceListener } from './voice.js';

/** How a voice of ElevenLabs speaks. */
export interface ElevenLabsVoiceSettings {
  /** How even, 0 to 1. Default: the voice's own. */
  stability?: number | undefined;
  /** How close to the original, 0 to 1. Default: the voice's own. */
  similarityBoost?: number | undefined;
  /** How much of the original's style, 0 to 1. Default: the voice's own. */
  style?: number | undefined;
  /** How fast, 0.7 to 1.2. Default: the voice's own. */
  speed?: number | undefined;
}

/** Which voice of ElevenLabs speaks, and how. */
export interface ElevenLabsTTSOptions
  extends AccountOptions,
    TtsServiceOptions,
    SocketVoiceOptions,
    ElevenLabsVoiceSettings {
  /** Identifier of the voice. Default: Sarah. */
  voice?: string | undefined;
  /** Default `eleven_flash_v2_5`. */
  model?: string | undefined;
  /** Of the text, such as `en`; only some models take it. Default: the conversation's language, where the model takes one; else the model finds out. */
  language?: string | undefined;
}

interface ElevenLabsSettings extends ElevenLabsVoiceSettings {
  readonly voice: string;
  readonly model: string;
  readonly language?: string | undefined;
}

/** Models that take the language of a text. The others find out, and refuse to be told. */
const TAKES_LANGUAGE = /^eleven_(?:flash|turbo)_v2_5$/;
const SARAH = 'EXAVITQu4vr4xnSDxMaL';
/** How long a socket may be idle, in seconds: the most they allow. */
const INACTIVITY_LIMIT_S = 180;
const KEEP_ALIVE_MS = 60_000;
/** Higher rates need a larger plan; the transport resamples. */
const MAX_SAMPLE_RATE = 24_000;

const OPTIONS: OptionNames<ElevenLabsTTSOptions> = {
  ...ACCOUNT_OPTIONS,
  ...TTS_OPTIONS,
  ...SOCKET_VOICE_OPTIONS,
  voice: true,
  model: true,
  language: true,
  stability: true,
  similarityBoost: true,
  style: true,
  speed: true,
};

/**
 * Speaks with ElevenLabs' voices over one WebSocket, with the times of the words.
 * @see https://elevenlabs.io/docs/api-reference/text-to-speech/v-1-text-to-speech-voice-id-multi-stream-input
 */
export class ElevenLabsTTS extends TtsService {
  readonly #account: VendorAccount;
  readonly #settings: ElevenLabsSettings;
  readonly #options: ElevenLabsTTSOptions;

  /** @throws VoicebotError VB_CREDENTIALS_MISSING when there is no key, VB_CONFIG_INVALID naming every option out of range or not known */
  constructor(options: ElevenLabsTTSOptions = {}) {
    super(options);
    const { voice, model = 'eleven_flash_v2_5', language, stability, similarityBoost, style, speed } = options;
    const problems = [
      ...rangeProblems({
        stability: [stability, 0, 1],
        similarityBoost: [similarityBoost, 0, 1],
        style: [style, 0, 1],
        speed: [speed, 0.7, 1.2],
      }),
      ...textProblems({ voice: voice || undefined, model, language }),
      ...socketVoiceProblems(options),
      ...unknownOptions(options, OPTIONS),
    ];
    refuseProblems(problems);
    this.#account = resolveAccount(VENDORS.elevenlabs, options);
    this.#settings = { voice: voice || SARAH, model, language, stability, similarityBoost, style, speed };
    this.#options = options;
  }

  protected override get voiceKey(): string {
    return `elevenlabs ${JSON.stringify(this.#settings)}`;
  }

  protected override get model(): string {
    return this.#settings.model;
  }

  protected override get language(): string | undefined {
    return this.#settings.language;
  }

  override inLanguage(language: string): ElevenLabsTTS {
    const isOwn = this.#options.language !== undefined || !TAKES_LANGUAGE.test(this.model);
    return isOwn ? this : new ElevenLabsTTS({ ...this.#options, language: subtag(language) });
  }

  protected override createVoice(sampleRate: number, listener: VoiceListener): Voice {
    return new SocketVoice(elevenLabsDialect(this.#account, this.#settings, sampleRate), listener, this.#options);
  }
}

export function elevenLabsDialect(
  account: VendorAccount,
  settings: ElevenLabsSettings,
  sampleRate: number,
): TtsDialect {
  const isTelephone = sampleRate === 8_000;
  const rate = Math.min(sampleRate, MAX_SAMPLE_RATE);
  const format: SpeechFormat = { encoding: isTelephone ? 'PCMU' : 'L16', sampleRate: rate };
  const query = new URLSearchParams({
    model_id: settings.model,
    output_format: isTelephone ? 'ulaw_8000' : `pcm_${rate}`,
    auto_mode: 'true', // texts are whole sentences: nothing is held back for more
    sync_alignment: 'true',
    inactivity_timeout: String(INACTIVITY_LIMIT_S),
    ...(settings.language && { language_code: settings.language }),
  });
  return {
    account,
    format,
    path: `/v1/text-to-speech/${encodeURIComponent(settings.voice)}/multi-stream-input?${query}`,
    headers: { 'xi-api-key': account.apiKey },
    keepAlive: { everyMs: KEEP_ALIVE_MS, message: JSON.stringify({ text: '' }) },
    codec: () => new ElevenLabsCodec(settings, format),
  };
}

/** What is known of a context. */
interface ElevenLabsContext {
  /** Audio received, in bytes. */
  bytes: number;
  /** Characters, without spaces, of each text that was asked for and not yet spoken to its end. */
  readonly owed: number[];
  /** The beginning of a word whose end has not come. */
  word: { text: string; startMs: number; endMs: number } | undefined;
}

/**
 * A context for each stream. A context begins with a space and the voice's settings; texts end with a space and are flushed;
 * `close_context` lets what was asked for be spoken and is answered by `isFinal`. Relied on: with `sync_alignment` each message
 * has audio and the characters spoken in it, as they were written, their times counted from the message's first sample.
 */
export class ElevenLabsCodec implements TtsCodec {
  readonly #contexts = new Map<string, ElevenLabsContext>();
  readonly #voiceSettings: Readonly<Record<string, number>>;
  readonly #bytesPerMs: number;

  constructor(
    { stability, similarityBoost, style, speed }: ElevenLabsSettings,
    { encoding, sampleRate }: SpeechFormat,
  ) {
    const settings = Object.entries({ stability, similarity_boost: similarityBoost, style, speed });
    this.#voiceSettings = Object.fromEntries(
      settings.filter((entry): entry is [string, number] => entry[1] !== undefined),
    );
    this.#bytesPerMs = (sampleRate / 1_000) * (encoding === 'PCMU' ? 1 : 2);
  }

  say(stream: string, text: string): string[] {
    const known = this.#contexts.get(stream);
    const context = known ?? { bytes: 0, owed: [], word: undefined };
    this.#contexts.set(stream, context);
    context.owed.push(text.replace(/\s/g, '').length);
    const hasSettings = Object.keys(this.#voiceSettings).length > 0;
    const first = { text: ' ', context_id: stream, ...(hasSettings && { voice_settings: this.#voiceSettings }) };
    const next = { text: text.endsWith(' ') ? text : `${text} `, context_id: stream, flush: true };
    return [...(known ? [] : [JSON.stringify(first)]), JSON.stringify(next)];
  }

  end(stream: string): string[] {
    return [JSON.stringify({ context_id: stream, close_context: true })];
  }

  cancel(stream: string): string[] {
    this.#contexts.delete(stream);
    return [JSON.stringify({ context_id: stream, close_context: true })];
  }

  bye(): string[] {
    return [JSON.stringify({ close_socket: true })];
  }

  parse(data: Buffer): readonly TtsEvent[] {
    const fields = vendorFields(data);
    const stream = textOf(fields.contextId ?? fields.context_id);
    const error = textOf(fields.error);
    if (error !== undefined) return [{ type: 'error', stream, ...errorOf(error, fields) }];
    const context = stream === undefined ? undefined : this.#contexts.get(stream);
    if (!context) return [];
    const events = this.#audioEvents(stream, context, fields);
    if (fields.isFinal === true || fields.is_final === true) {
      this.#contexts.delete(stream as string);
      return [...events, ...wordEvents(stream, takeWord(context)), { type: 'done', stream }];
    }
    return events;
  }

  #audioEvents(
    stream: string | undefined,
    context: ElevenLabsContext,
    { audio, alignment, normalizedAlignment }: Readonly<Record<string, unknown>>,
  ): TtsEvent[] {
    const baseMs = context.bytes / this.#bytesPerMs;
    const bytes = Buffer.from(textOf(audio) ?? '', 'base64');
    context.bytes += bytes.length;
    const events: TtsEvent[] = bytes.length > 0 ? [{ type: 'audio', stream, bytes }] : [];
    const characters = charactersOf(alignment ?? normalizedAlignment, baseMs);
    const words = characters.flatMap((character) => addCharacter(context, character));
    const said = countSaid(context, characters.filter(({ text }) => text.trim() !== '').length);
    if (said > 0) words.push(...takeWord(context));
    return [
      ...events,
      ...wordEvents(stream, words),
      ...(said > 0 ? [{ type: 'said', stream, texts: said } as const] : []),
    ];
  }
}

function charactersOf(alignment: unknown, baseMs: number): TimedWord[] {
  const { chars, charStartTimesMs, charDurationsMs, charsDurationsMs } = (alignment ?? {}) as Record<string, unknown>;
  const [starts, durations] = [listOf(charStartTimesMs), listOf(charDurationsMs ?? charsDurationsMs)];
  return listOf(chars).flatMap((character, index) => {
    const [text, startMs] = [textOf(character), numberOf(starts[index])];
    if (text === undefined || startMs === undefined) return [];
    return [{ text, startMs: baseMs + startMs, endMs: baseMs + startMs + (numberOf(durations[index]) ?? 0) }];
  });
}

/** @returns the word that a space ends */
function addCharacter(context: ElevenLabsContext, { text, startMs, endMs }: TimedWord): TimedWord[] {
  if (text.trim() === '') return takeWord(context);
  context.word = { text: (context.word?.text ?? '') + text, startMs: context.word?.startMs ?? startMs, endMs };
  return [];
}

function takeWord(context: ElevenLabsContext): TimedWord[] {
  const { word } = context;
  context.word = undefined;
  return word ? [word] : [];
}

/** How many more texts have been spoken to their end, when so many more characters have. */
function countSaid({ owed }: ElevenLabsContext, characters: number): number {
  let left = characters;
  let said = 0;
  while (owed[0] !== undefined && left >= owed[0]) {
    left -= owed.shift() as number;
    said += 1;
  }
  if (owed[0] !== undefined) owed[0] -= left;
  return said;
}

const wordEvents = (stream: string | undefined, words: readonly TimedWord[]): TtsEvent[] =>
  words.length > 0 ? [{ type: 'words', stream, words }] : [];

/** The connection is closed behind it, with code 1008. */
function errorOf(error: string, { message, code }: Readonly<Record<string, unknown>>) {
  const isKey = /api[ _-]?key|unauthori[sz]ed|authenticat/i.test(`${error} ${textOf(message) ?? ''}`);
  const words = [...new Set([error, textOf(message)])].filter(Boolean).join(': ');
  const isRefusal = code === 1008;
  return { message: words, status: isKey ? 401 : isRefusal ? 400 : undefined };
}
