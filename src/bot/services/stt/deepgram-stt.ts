import { refuseProblems } from '../../../base/names/option-names.js';
import { subtag } from '../../pipeline/language.js';
import { telephoneFormat } from '../telephone-format.js';
import { resolveAccount, VENDORS, type VendorAccount } from '../vendor.js';
import { fieldsOf, listOf, numberOf, textOf, type VendorFields, vendorFields } from '../vendor-fields.js';
import { FluxDialect } from './deepgram-flux.js';
import { listenError, listenRequest } from './deepgram-listen.js';
import { type DeepgramSTTOptions, isFlux, problemsOfNova, queryOf } from './deepgram-options.js';
import type { AudioFormat, SttDialect, SttResult } from './stt-dialect.js';
import { SttService } from './stt-service.js';

/**
 * Speech to text by Deepgram.
 * @throws VoicebotError VB_CREDENTIALS_MISSING without `apiKey` and `DEEPGRAM_API_KEY`, VB_CONFIG_INVALID naming every
 * option that is out of range or not known
 */
export class DeepgramSTT extends SttService {
  constructor(options: DeepgramSTTOptions = {}) {
    const { model = 'nova-3' } = options;
    super(isFlux(model) ? new FluxDialect({ ...options, model }) : new DeepgramDialect(options), options);
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
    refuseProblems(problemsOfNova(options));
    this.account = resolveAccount(VENDORS.deepgram, options);
    this.model = model;
    const spoken = String(query.language ?? language);
    this.language = spoken === 'multi' ? undefined : spoken;
    this.answersWithinMs = answersWithinMs || undefined;
    this.#query = queryOf({
      model,
      language,
      endpointing: endpointingMs,
      interim_results: interim,
      punctuate,
      keyterm: keyterms,
      channels: 1,
      ...query,
    });
  }

  /** The vendor knows few regions, and would refuse the others. */
  inLanguage(language: string): DeepgramDialect {
    const { language: own, query } = this.#options;
    const isOwn = own !== undefined || query?.language !== undefined || this.language === subtag(language);
    return isOwn ? this : new DeepgramDialect({ ...this.#options, language: subtag(language) });
  }

  format(sampleRate: number): AudioFormat {
    return telephoneFormat(sampleRate);
  }

  request(format: AudioFormat) {
    return listenRequest('/v1/listen', this.#query, format, this.account);
  }

  parse(message: string): SttResult {
    const fields = vendorFields(message);
    if (fields.type === 'Results') return resultOf(fields);
    if (fields.type !== 'Error') return NOTHING;
    return listenError(textOf(fields.description) ?? textOf(fields.err_msg), textOf(fields.message));
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
