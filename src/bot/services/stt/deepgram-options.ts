import { type OptionNames, textListProblems, textProblems, unknownOptions } from '../../../base/names/option-names.js';
import { ACCOUNT_OPTIONS, type AccountOptions } from '../vendor.js';
import { STT_OPTIONS, type SttServiceOptions, sttServiceProblems } from './stt-service.js';

/**
 * What Deepgram is to understand. There are two families of models: Nova, which ends an utterance at a silence, and Flux,
 * which finds the end of a turn itself. An option of the other family is refused.
 */
export interface DeepgramSTTOptions extends AccountOptions, SttServiceOptions {
  /** Such as `nova-3`, `flux-general-en` or `flux-general-multi`. Default `nova-3`. */
  model?: string;
  /** Nova: language code of the vendor, such as `en`, `en-GB`, `de` or `multi`. Default: the conversation's language, else `en`. */
  language?: string;
  /**
   * Nova: silence after which the vendor takes an utterance for finished, in milliseconds, 10 to 10000; false for never.
   * Default 300.
   */
  endpointingMs?: number | false;
  /** Nova: whether words are told while they may still change. Default true. */
  interim?: boolean;
  /** Nova: whether the words come with punctuation, by which the end of a turn is recognised. Default true. */
  punctuate?: boolean;
  /** Flux: how sure the vendor must be that a turn is over, 0.5 to 1. Default 0.7; at 1 only `eotTimeoutMs` ends a turn. */
  eotThreshold?: number;
  /**
   * Flux: how sure it must be that a turn is perhaps over, 0.3 to 0.9 and no more than `eotThreshold`: the answer is asked
   * for then, and thrown away when the caller goes on. False: it does not tell. Default 0.5.
   */
  eagerEotThreshold?: number | false;
  /** Flux: silence that ends a turn however sure it is, in milliseconds, 500 to 60000. Default 5000. */
  eotTimeoutMs?: number;
  /** `flux-general-multi`: the languages that are likely, such as `['en', 'es']`. Default: the conversation's language, else it finds out. */
  languageHints?: readonly string[];
  /** Names and terms to listen for. */
  keyterms?: readonly string[];
  /**
   * A vendor that was sent this much audio, in milliseconds, and said nothing in all that time is connected to anew: 1000 to
   * 30000, or false. Default 3000; of Nova without `interim`, false.
   */
  answersWithinMs?: number | false;
  /** More query parameters of `/v1/listen` or `/v2/listen`, such as `{ numerals: true, mip_opt_out: true }`. */
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
  eotThreshold: true,
  eagerEotThreshold: true,
  eotTimeoutMs: true,
  languageHints: true,
  keyterms: true,
  answersWithinMs: true,
  query: true,
};

type OtherFamily = Partial<Record<keyof DeepgramSTTOptions, string>>;

/** Options of Nova alone, and what stands for them in Flux. */
const OF_NOVA: OtherFamily = {
  language: 'flux-general-en hears English, and flux-general-multi takes languageHints',
  endpointingMs: 'it finds the end of a turn itself, by eotThreshold and eotTimeoutMs',
  interim: 'it always tells words that may change',
  punctuate: 'it always punctuates',
};

/** Options of Flux alone, and what stands for them in Nova. */
const OF_FLUX: OtherFamily = {
  eotThreshold: 'it ends an utterance at a silence of endpointingMs; take flux-general-en',
  eagerEotThreshold: 'it ends an utterance at a silence of endpointingMs; take flux-general-en',
  eotTimeoutMs: 'it ends an utterance at a silence of endpointingMs; take flux-general-en',
  languageHints: "it takes language, such as 'multi'",
};

/** These follow from the audio, or would change who gets the results. */
const RESERVED = ['encoding', 'sample_rate', 'channels', 'multichannel', 'callback', 'callback_method'];
/** Query parameters that `/v2/listen` refuses with 400, though `/v1/listen` has them. */
const NOT_OF_FLUX = [
  ...[
    'detect_entities',
    'diarize',
    'diarize_model',
    'dictation',
    'endpointing',
    'extra',
    'interim_results',
    'keywords',
  ],
  ...['language', 'no_delay', 'punctuate', 'replace', 'search', 'smart_format', 'utterance_end_ms', 'vad_events'],
  'version',
];

/** Whether a model is of the family that finds the ends of turns. */
export const isFlux = (model: string): boolean => /^flux\b/i.test(model);

/** What is wrong with the options of a Nova model: a sentence for each. */
export function problemsOfNova(options: DeepgramSTTOptions): string[] {
  const { model = 'nova-3', language = 'en', endpointingMs = 300 } = options;
  const problems = [...commonProblems(options, { model, language }), ...foreign(options, OF_FLUX, model)];
  if (endpointingMs !== false && !(endpointingMs >= 10 && endpointingMs <= 10_000)) {
    problems.push(`endpointingMs must be 10 to 10000, or false, got ${endpointingMs}`);
  }
  return [...problems, ...reserved(options)];
}

/** What is wrong with the options of a Flux model: a sentence for each. */
export function problemsOfFlux(options: DeepgramSTTOptions & { model: string }): string[] {
  const { model, eotThreshold = 0.7, eagerEotThreshold = false, eotTimeoutMs = 5_000 } = options;
  const { languageHints = [], query = {} } = options;
  const problems = [
    ...commonProblems(options, {}),
    ...textListProblems('languageHints', languageHints),
    ...foreign(options, OF_NOVA, model),
  ];
  if (!/^flux-/.test(model)) problems.push(`model must be flux-general-en or flux-general-multi, got ${model}`);
  if (!(eotThreshold >= 0.5 && eotThreshold <= 1)) {
    problems.push(`eotThreshold must be 0.5 to 1, got ${eotThreshold}`);
  }
  if (eagerEotThreshold !== false && !(eagerEotThreshold >= 0.3 && eagerEotThreshold <= 0.9)) {
    problems.push(`eagerEotThreshold must be 0.3 to 0.9, or false, got ${eagerEotThreshold}`);
  } else if (eagerEotThreshold !== false && eagerEotThreshold > eotThreshold) {
    problems.push(`eagerEotThreshold must not be above eotThreshold, got ${eagerEotThreshold} and ${eotThreshold}`);
  }
  if (!(eotTimeoutMs >= 500 && eotTimeoutMs <= 60_000)) {
    problems.push(`eotTimeoutMs must be 500 to 60000, got ${eotTimeoutMs}`);
  }
  if (languageHints.length > 0 && model === 'flux-general-en') {
    problems.push('languageHints cannot be set: flux-general-en hears English; take flux-general-multi');
  }
  for (const name of NOT_OF_FLUX) if (name in query) problems.push(`query.${name} cannot be set: Flux has none`);
  return [...problems, ...reserved(options)];
}

function commonProblems(options: DeepgramSTTOptions, texts: Readonly<Record<string, string>>): string[] {
  const { keyterms, answersWithinMs = false } = options;
  const problems = [
    ...unknownOptions(options, OPTIONS),
    ...sttServiceProblems(options),
    ...textProblems(texts),
    ...textListProblems('keyterms', keyterms),
  ];
  if (answersWithinMs !== false && !(answersWithinMs >= 1_000 && answersWithinMs <= 30_000)) {
    problems.push(`answersWithinMs must be 1000 to 30000, or false, got ${answersWithinMs}`);
  }
  return problems;
}

function reserved({ query = {} }: DeepgramSTTOptions): string[] {
  return RESERVED.filter((name) => name in query).map((name) => `query.${name} cannot be set`);
}

function foreign(options: DeepgramSTTOptions, names: OtherFamily, model: string): string[] {
  return Object.entries(names)
    .filter(([name]) => options[name as keyof DeepgramSTTOptions] !== undefined)
    .map(([name, instead]) => `${name} is not for ${model}: ${instead}`);
}

/** The parameters of a request, in order; undefined ones are left out. */
export function queryOf(
  parameters: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>,
): ReadonlyArray<[name: string, value: string]> {
  return Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((one): [string, string] => [name, String(one)]),
  );
}
