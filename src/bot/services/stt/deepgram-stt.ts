import { cleanText } from '../../../base/clean-text.js';
import { type OptionNames, refuseProblems, unknownOptions } from '../../../base/names/option-names.js';
import { subtag } from '../../pipeline/language.js';
import { ACCOUNT_OPTIONS, type AccountOptions, resolveAccount, VENDORS, type VendorAccount } from '../vendor.js';
import { fieldsOf, listOf, numberOf, textOf, type VendorFields, vendorFields } from '../vendor-fields.js';
import type { AudioFormat, SttDialect, SttResult } from './stt-dialect.js';
import { STT_OPTIONS, SttService, type SttServiceOptions } from './stt-service.js';

/** What Deepgram is to understand. */
export interface DeepgramSTTOptions extends AccountOptions, SttServiceOptions {
  /** Default `nova-3`. */
  model?: string;
  /** Language code of the vendor, such as `en`, `en-GB`, `de` or `multi`. Default: the conversation's language, else `en`. */
  language?: string;
  /** Silence after which the vendor takes an utterance for finished, in milliseconds, 10 to 10000; false for never. Default 300. */
  endpointingMs?: number | false;
  /** Whether words are told while they may still change. Default true. */
  interim?: boolean;
  /** Whether the words come with punctuation, by which the end of a turn is recognised. Default true. */
  punctuate?: boolean;
  /** Names and terms to listen for. */
  keyterms?: readonly string[];
  /**
   * A vendor that was sent this much audio, in milliseconds, and said nothing in all that time is connected to anew: 1000 to
   * 30000, or false. Default 3000 with `interim`, else false.
   */
  answersWithinMs?: number | false;
  /** More query parameters of `/v1/listen`, such as `{ smart_format: true, mip_opt_out: true }`. */
  query?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
}

const OPTIONS: OptionNames<DeepgramSTTOptions> = {
  ...ACCOUNT_OPTIONS,
  ...STT_OPTIONS,
  model: true,
  language: true,
  endpointingMs: true,
  interim: true,
  punctuate: true,
  keyterms: true,
  answersWithinMs: true,
  query: true,
};

/** These follow from the audio, or would change who gets the results. */
const RESERVED = ['encoding', 'sample_rate', 'channels', 'multichannel', 'callback'];

/**
 * Speech to text by Deepgram.
 * @throws VoicebotError VB_CREDENTIALS_MISSING without `apiKey` and `DEEPGRAM_API_KEY`, VB_CONFIG_INVALID naming every
 * option that is out of range or not known
 */
export class DeepgramSTT extends SttService {
  constructor(options: DeepgramSTTOptions = {}) {
    super(new DeepgramDialect(options), options);
  }
}

const NOTHING: SttResult = { type: 'other' };

/**
 * Deepgram's `/v1/listen` over a WebSocket. Relied upon:
 * - `Authorization: Token <key>`; a refused handshake has its words in `err_msg`, or in the header `dg-error`.
 * - Audio is bare binary messages; an empty one would end the stream. 8000 Hz travels as mu-law, as it came from the carrier.
 * - `Results` come about once a second of audio with `interim_results`, empty ones in silence. `start` and `duration` are
 *   seconds of the audio of this connection, and `start + duration` of an `is_final` one is where the next begins.
 * - `speech_final` says that `endpointing` milliseconds of silence followed.
 * - Without audio and text for 10 s the vendor closes with 1011 (NET-0001); `KeepAlive` as text prevents it.
 * - `CloseStream` ends a session. `Error` messages are followed by a close.
 * @see https://developers.deepgram.com/reference/speech-to-text/listen-streaming
 */
export class DeepgramDialect implements SttDialect {
  readonly account: VendorAccount;
  readonly model: string;
  readonly language: string | undefined;
  readonly keepAlive = { message: '{"type":"KeepAlive"}', afterMs: 4_000 };
  readonly farewell = '{"type":"CloseStream"}';
  readonly answersWithinMs: number | undefined;
  readonly #query: ReadonlyArray<[name: string, value: string]>;
  readonly #options: DeepgramSTTOptions;

  /** @throws as {@link DeepgramSTT} */
  constructor(options: DeepgramSTTOptions = {}) {
    this.#options = options;
    const { model = 'nova-3', language = 'en', endpointingMs = 300, interim = true, punctuate = true } = options;
    const { keyterms = [], query = {}, answersWithinMs = interim && 3_000 } = options;
    const terms = Object.fromEntries(keyterms.map((term, index) => [`keyterms[${index}]`, term]));
    const problems = unknownOptions(options, OPTIONS);
    const empty = Object.entries({ model, language, ...terms })
      .filter(([, value]) => !value.trim())
      .map(([name]) => `${name} must not be empty`);
    problems.push(...empty);
    if (endpointingMs !== false && !(endpointingMs >= 10 && endpointingMs <= 10_000)) {
      problems.push(`endpointingMs must be 10 to 10000, or false, got ${endpointingMs}`);
    }
    if (answersWithinMs !== false && !(answersWithinMs >= 1_000 && answersWithinMs <= 30_000)) {
      problems.push(`answersWithinMs must be 1000 to 30000, or false, got ${answersWithinMs}`);
    }
    for (const name of RESERVED) if (name in query) problems.push(`query.${name} cannot be set`);
    refuseProblems(problems);
    this.account = resolveAccount(VENDORS.deepgram, options);
    this.model = model;
    const spoken = String(query.language ?? language);
    this.language = spoken === 'multi' ? undefined : spoken;
    this.answersWithinMs = answersWithinMs || undefined;
    const parameters = {
      model,
      language,
      endpointing: endpointingMs,
      interim_results: interim,
      punctuate,
      keyterm: keyterms,
      ...query,
    };
    this.#query = Object.entries(parameters).flatMap(([name, value]) =>
      [value].flat().map((one): [string, string] => [name, String(one)]),
    );
  }

  /** The vendor knows few regions, and would refuse the others. */
  inLanguage(language: string): DeepgramDialect {
    const { language: own, query } = this.#options;
    const isOwn = own !== undefined || query?.language !== undefined || this.language === subtag(language);
    return isOwn ? this : new DeepgramDialect({ ...this.#options, language: subtag(language) });
  }

  format(sampleRate: number): AudioFormat {
    return { encoding: sampleRate === 8_000 ? 'PCMU' : 'L16', sampleRate };
  }

  request({ encoding, sampleRate }: AudioFormat) {
    const query = new URLSearchParams([
      ...this.#query,
      ['encoding', encoding === 'PCMU' ? 'mulaw' : 'linear16'],
      ['sample_rate', String(sampleRate)],
      ['channels', '1'],
    ]);
    return { path: `/v1/listen?${query}`, headers: { Authorization: `Token ${this.account.apiKey}` } };
  }

  parse(message: string): SttResult {
    const fields = vendorFields(message);
    if (fields.type === 'Results') return resultOf(fields);
    if (fields.type !== 'Error') return NOTHING;
    const words = [textOf(fields.description) ?? textOf(fields.err_msg), textOf(fields.message)]
      .filter(Boolean)
      .join(': ');
    return { type: 'error', words: cleanText(words, 300) || 'an error without words' };
  }
}

function resultOf({ is_final, speech_final, start, duration, channel }: VendorFields): SttResult {
  const [alternative] = listOf(fieldsOf(channel).alternatives);
  const text = textOf(fieldsOf(alternative).transcript)?.trim();
  if (text === undefined || typeof is_final !== 'boolean') return NOTHING;
  if (!is_final) return { type: 'interim', text };
  const [startS, durationS] = [numberOf(start), numberOf(duration)];
  const untilMs = startS === undefined || durationS === undefined ? undefined : (startS + durationS) * 1_000;
  return { type: 'final', text, endsUtterance: speech_final === true, untilMs };
}
