import { refuseProblems } from '../../../base/names/option-names.js';
import { subtag } from '../../pipeline/language.js';
import { telephoneFormat } from '../telephone-format.js';
import { resolveAccount, VENDORS, type VendorAccount } from '../vendor.js';
import { numberOf, textOf, type VendorFields, vendorFields } from '../vendor-fields.js';
import { listenError, listenRequest } from './deepgram-listen.js';
import { type DeepgramSTTOptions, problemsOfFlux, queryOf } from './deepgram-options.js';
import type { AudioFormat, SttDialect, SttResult } from './stt-dialect.js';

/** Audio without words is done with when it is so old, in milliseconds: words come later than their sound. */
const QUIET_MS = 2_000;

/** Languages of `flux-general-multi`: a hint at another is refused. */
const HINTS: ReadonlySet<string> = new Set(['de', 'en', 'es', 'fr', 'hi', 'it', 'ja', 'nl', 'pt', 'ru']);

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
  /** Undefined for the model of several languages. */
  readonly language: string | undefined;
  readonly #options: DeepgramSTTOptions & { model: string };
  readonly #query: ReadonlyArray<[name: string, value: string]>;

  /** @throws as `DeepgramSTT` */
  constructor(options: DeepgramSTTOptions & { model: string }) {
    const { model, eotThreshold, eotTimeoutMs, keyterms, languageHints, query, answersWithinMs = 3_000 } = options;
    const { eagerEotThreshold = Math.min(0.5, eotThreshold ?? 0.5) } = options;
    refuseProblems(problemsOfFlux(options));
    this.account = resolveAccount(VENDORS.deepgram, options);
    this.model = model;
    this.language = /-([a-z]{2})$/.exec(model)?.[1];
    this.#options = options;
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

  /** The model of several languages is told which one is likely. */
  inLanguage(language: string): FluxDialect {
    const { languageHints, query } = this.#options;
    const isOwn = this.language !== undefined || languageHints !== undefined || query?.language_hint !== undefined;
    const hint = subtag(language);
    return isOwn || !HINTS.has(hint) ? this : new FluxDialect({ ...this.#options, languageHints: [hint] });
  }

  format(sampleRate: number): AudioFormat {
    return telephoneFormat(sampleRate);
  }

  request(format: AudioFormat) {
    return listenRequest('/v2/listen', this.#query, format, this.account);
  }

  parse(message: string): readonly SttResult[] {
    const fields = vendorFields(message);
    if (fields.type === 'TurnInfo') return resultsOf(fields);
    if (fields.type !== 'Error') return NOTHING;
    return [listenError(textOf(fields.code), textOf(fields.description))];
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
