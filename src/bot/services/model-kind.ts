/** What all models of the `ai` package have. */
export interface AiModel {
  /** Of the contract that its package was written for: `v4` of version 7 of `ai`, `v3` of 6. */
  readonly specificationVersion: string;
  /** Such as `openai.transcription`. */
  readonly provider: string;
  readonly modelId: string;
}

export type ModelKind = 'language' | 'transcription' | 'speech' | 'realtime' | 'other';

/** By the end of `provider`, and else by the name of the class: a gateway has one provider for all. The first that fits counts. */
const SIGNS: readonly (readonly [RegExp, ModelKind])[] = [
  [/realtime|live(Model|$)/i, 'realtime'],
  [/embedding|image|video|rerank|speech-?translation|decision|extraction/i, 'other'],
  [/transcription/i, 'transcription'],
  [/speech/i, 'speech'],
  [/chat|completion|responses|messages|language/i, 'language'],
];

const IN_WORDS: Readonly<Record<ModelKind, string>> = {
  language: 'a language model',
  transcription: 'a transcription model',
  speech: 'a speech model',
  realtime: 'a realtime model',
  other: 'a model of another kind',
};

/** Whether a value is a model of the `ai` package, of whatever kind. */
export function isAiModel(value: unknown): value is AiModel {
  const { specificationVersion, provider, modelId } = Object(value) as Partial<AiModel>;
  return [specificationVersion, provider, modelId].every((field) => typeof field === 'string');
}

/** @returns undefined for a model that does not tell, such as one that a project wrote itself: it may be of any kind */
export function kindOf(model: AiModel): ModelKind | undefined {
  const has = (name: string) => name in model;
  if (has('getServerWebSocketConfig') || has('buildSessionConfig')) return 'realtime';
  if (has('supportedUrls')) return 'language';
  for (const name of [model.provider.slice(model.provider.indexOf('.')), model.constructor?.name ?? '']) {
    const sign = SIGNS.find(([pattern]) => pattern.test(name));
    if (sign) return sign[1];
  }
  return undefined;
}

/** Whether it streams: a language model always does. */
export const doesStream = (model: AiModel): boolean =>
  typeof (model as AiModel & { doStream?: unknown }).doStream === 'function';

/** The model as people know it, such as `the speech model tts-1 (openai.speech)`. */
export function describeModel(model: AiModel): string {
  const kind = IN_WORDS[kindOf(model) ?? 'other'].replace(/^an? /, '');
  return `the ${kind} ${model.modelId ? `${model.modelId} ` : ''}(${model.provider})`;
}

/**
 * @param name the part of the bot that it was given as
 * @param example how that part is given
 * @returns a sentence when a model is of another kind than its part
 */
export function kindProblem(name: string, model: AiModel, expected: ModelKind, example: string): string | undefined {
  const kind = kindOf(model);
  if (kind === undefined || kind === expected) return undefined;
  return `${name} must be ${IN_WORDS[expected]} such as ${example}, not ${describeModel(model)}`;
}
