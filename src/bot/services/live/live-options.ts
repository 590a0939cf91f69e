import { type OptionNames, refuseProblems, unknownOptions } from '../../../base/names/option-names.js';
import { rangeProblems } from '../../../base/names/option-ranges.js';
import type { ModelChoices } from '../llm/model-choice.js';
import { isContinuous, isRealtimeModel, type LiveModel, type RealtimeModel } from './realtime-model.js';

/** Which realtime model hears and answers the caller, and how. */
export interface LiveOptions {
  /** Such as `openai.experimental_realtime('gpt-realtime-2.1')`. */
  model: RealtimeModel;
  /** The vendor's name of the voice. Default: the vendor's. */
  voice?: string | undefined;
  /** Which of the vendor's models writes down what the caller says, and in which language (BCP 47). Default: the vendor's. */
  transcription?: { model?: string | undefined; language?: string | undefined } | undefined;
  /**
   * How long the first sound of an answer may take, in milliseconds, 1000 to 60000; then the session is replaced, and asked once more.
   * Default 6000; 2500 with `otherwise`, which goes on instead.
   */
  answerTimeoutMs?: number | undefined;
  /** How often the model may call functions in one turn, 1 or more. Default 8. */
  maxSteps?: number | undefined;
  /**
   * The language model, or the models, that a model which takes its turns itself hands work to: it calls the functions of the
   * conversation. Such as `openai('gpt-4.1-mini')`. Default: `llm` of `otherwise`.
   */
  delegate?: ModelChoices | undefined;
  /** Settings of a vendor's own, which go into its session as they stand. */
  providerOptions?: Readonly<Record<string, unknown>> | undefined;
}

export const LIVE_OPTIONS: OptionNames<LiveOptions> = {
  model: true,
  voice: true,
  transcription: true,
  answerTimeoutMs: true,
  maxSteps: true,
  delegate: true,
  providerOptions: true,
};
const TRANSCRIPTION: OptionNames<NonNullable<LiveOptions['transcription']>> = { model: true, language: true };

/** What {@link LiveOptions} come to. */
export type ResolvedLiveOptions = Readonly<
  Omit<LiveOptions, 'model' | 'answerTimeoutMs' | 'maxSteps'> & {
    model: LiveModel;
    answerTimeoutMs: number;
    maxSteps: number;
    /** A cascade stands beside it, and goes on when there is no session. */
    isReplaceable: boolean;
  }
>;

/** @returns a sentence for each thing that is wrong with them */
export function liveProblems(given: LiveOptions): string[] {
  const { model, voice, transcription, answerTimeoutMs = 6_000, maxSteps = 8 } = given;
  const problems = [
    ...unknownOptions(given, LIVE_OPTIONS, 'live.'),
    ...unknownOptions(transcription ?? {}, TRANSCRIPTION, 'live.transcription.'),
    ...rangeProblems({ 'live.answerTimeoutMs': [answerTimeoutMs, 1_000, 60_000] }),
  ];
  if (!isRealtimeModel(model)) {
    problems.push("live must be a realtime model such as openai.experimental_realtime('gpt-realtime-2.1')");
  } else if (model.specificationVersion !== 'v4') {
    problems.push(
      `live needs a realtime model of version 7 of the ai package, and ${model.modelId} is of ${model.specificationVersion}: npm install ai@7 @ai-sdk/openai@4`,
    );
  } else if (given.delegate !== undefined && !isContinuous(model as unknown as LiveModel)) {
    problems.push(
      `live.delegate is for models that take their turns themselves: ${model.modelId} calls functions by itself`,
    );
  }
  if (voice !== undefined && (typeof voice !== 'string' || voice === '')) problems.push('live.voice must be text');
  if (!(Number.isInteger(maxSteps) && maxSteps >= 1)) {
    problems.push(`live.maxSteps must be a whole number above 0, got ${maxSteps}`);
  }
  return problems;
}

/** @throws VoicebotError VB_CONFIG_INVALID naming every option that is out of range or not known */
export function resolveLiveOptions(given: LiveOptions, isReplaceable = false): ResolvedLiveOptions {
  refuseProblems(liveProblems(given));
  const { answerTimeoutMs = isReplaceable ? 2_500 : 6_000, maxSteps = 8, ...rest } = given;
  return Object.freeze({
    ...rest,
    model: given.model as unknown as LiveModel,
    answerTimeoutMs,
    maxSteps,
    isReplaceable,
  });
}
