import { cleanText } from '../../../base/clean-text.js';
import { refuseProblems } from '../../../base/names/option-names.js';
import { resolveAccount, VENDORS, type VendorAccount } from '../vendor.js';
import { numberOf, textOf, type VendorFields, vendorFields } from '../vendor-fields.js';
import { type DeepgramSTTOptions, problemsOfFlux, queryOf } from './deepgram-options.js';
import type { AudioFormat, SttDialect, SttResult } from './stt-dialect.js';

/** Audio without words is done with when it is so old, in milliseconds: words come later than their sound. */
const QUIET_MS = 2_000;

const NOTHING: readonly SttResult[] = [{ type: 'other' }];

/**
 * Deepgram's `/v2/listen` over a WebSocket: Flux, which finds the ends of turns. Relied upon, beside what its page says:
 * - `TurnInfo` comes about every 0.25 s of audio, in silence too, and `transcript` is all words of the turn so far.
 * - `EagerEndOfTurn`, only with `eager_eot_threshold`: the turn is perhaps over. `TurnResumed`: it is not. `EndOfTurn`: it is.
 * - `audio_window_end` is in seconds of the audio of this connection.
 * - A query parameter of `/v1/listen`, `channels` too, is refused with 400.
 * - There is no `KeepAlive`: text that is not known ends the connection. A ping of WebSocket's keeps it.
 * @see docs/reference/deepgram-listen.md
 */
export class FluxDialect implements SttDialect {
  readonly account: VendorAccount;
  readonly model: string;
  readonly keepAlive = { afterMs: 5_000 };
  /** Words are final at the end of a turn only. */
  readonly backlogMs = 30_000;
  readonly farewell = '{"type":"CloseStream"}';
  readonly answersWithinMs: number | undefined;
  readonly #query: ReadonlyArray<[name: string, value: string]>;

  /** @throws as `DeepgramSTT` */
  constructor(options: DeepgramSTTOptions & { model: string }) {
    const { model, eotThreshold, eotTimeoutMs, keyterms, languageHints, query, answersWithinMs = 3_000 } = options;
    const { eagerEotThreshold = Math.min(0.5, eotThreshold ?? 0.5) } = options;
    refuseProblems(problemsOfFlux(options));
    this.account = resolveAccount(VENDORS.deepgram, options);
    this.model = model;
    this.answersWithinMs = answersWithinMs || undefined;
    this.#query = queryOf({
      model,
      eot_threshold: eotThreshold,
      eager_eot_threshold: eagerEotThreshold || undefined,
      eot_timeout_ms: eotTimeoutMs,
      language_hint: languageHints,
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
    ]);
    return { path: `/v2/listen?${query}`, headers: { Authorization: `Token ${this.account.apiKey}` } };
  }

  parse(message: string): readonly SttResult[] {
    const fields = vendorFields(message);
    if (fields.type === 'TurnInfo') return resultsOf(fields);
    if (fields.type !== 'Error') return NOTHING;
    const words = [textOf(fields.code), textOf(fields.description)].filter(Boolean).join(': ');
    return [{ type: 'error', words: cleanText(words, 300) || 'an error without words' }];
  }
}

function resultsOf({ event, transcript, audio_window_end }: VendorFields): readonly SttResult[] {
  const text = textOf(transcript)?.trim();
  if (text === undefined) return NOTHING;
  const windowEndS = numberOf(audio_window_end);
  const endMs = windowEndS === undefined ? undefined : windowEndS * 1_000;
  const words = { type: 'interim', text } as const;
  switch (event) {
    case 'EndOfTurn':
      return [
        { type: 'final', text, endsUtterance: true, untilMs: endMs },
        { type: 'end_of_turn', is: 'certain' },
      ];
    case 'EagerEndOfTurn':
      return [words, { type: 'end_of_turn', is: 'likely' }];
    case 'TurnResumed':
      return [words, { type: 'end_of_turn', is: 'revoked' }];
    default: {
      if (text !== '' || endMs === undefined) return [words];
      return [{ type: 'final', text, endsUtterance: false, untilMs: Math.max(0, endMs - QUIET_MS) }];
    }
  }
}
