import { cleanText } from '../../../base/clean-text.js';
import { refuseProblems } from '../../../base/names/option-names.js';
import { resolveAccount, VENDORS, type VendorAccount } from '../vendor.js';
import { fieldsOf, listOf, numberOf, textOf, type VendorFields, vendorFields } from '../vendor-fields.js';
import { FluxDialect } from './deepgram-flux.js';
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
  readonly keepAlive = { message: '{"type":"KeepAlive"}', afterMs: 4_000 };
  readonly farewell = '{"type":"CloseStream"}';
  readonly answersWithinMs: number | undefined;
  readonly #query: ReadonlyArray<[name: string, value: string]>;

  /** @throws as {@link DeepgramSTT} */
  constructor(options: DeepgramSTTOptions = {}) {
    const { model = 'nova-3', language = 'en', endpointingMs = 300, interim = true, punctuate = true } = options;
    const { keyterms = [], query = {}, answersWithinMs = interim && 3_000 } = options;
    refuseProblems(problemsOfNova(options));
    this.account = resolveAccount(VENDORS.deepgram, options);
    this.model = model;
    this.answersWithinMs = answersWithinMs || undefined;
    this.#query = queryOf({
      model,
      language,
      endpointing: endpointingMs,
      interim_results: interim,
      punctuate,
      keyterm: keyterms,
      ...query,
    });
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
