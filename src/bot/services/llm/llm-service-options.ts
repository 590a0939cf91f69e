import { type OptionNames, unknownOptions } from '../../../base/names/option-names.js';
import { rangeProblems } from '../../../base/names/option-ranges.js';
import type { LanguageModel } from './language-model.js';

/** Which model an `LLMService` asks, and how. */
export interface LLMServiceOptions {
  /** Any language model of the `ai` package, version 6 or 7, such as `createOpenAI().chat('gpt-4.1-mini')`. */
  model: LanguageModel;
  /** How freely it chooses its words, 0 to 2. Default: the vendor's. */
  temperature?: number | undefined;
  /** Longest answer, in tokens, 1 or more. Default: the vendor's. */
  maxOutputTokens?: number | undefined;
  /**
   * How long a request may take to the first word of its answer, in milliseconds, 1 to 120000; the caller hears the hold line
   * meanwhile. One that has brought nothing by then is given up and sent once more. An answer that pauses for half as long in the
   * middle is gone on with by another request. Default 10000.
   */
  firstTokenTimeoutMs?: number | undefined;
  /** How often the model is asked in one turn, when it keeps calling functions; 1 or more. The last time it may call none. Default 8. */
  maxSteps?: number | undefined;
  /** Settings of a vendor's own, such as `{ openai: { reasoningEffort: 'minimal' } }`. */
  providerOptions?: Readonly<Record<string, Readonly<Record<string, unknown>>>> | undefined;
  /**
   * Of a list of models: how long this one may take before the next is asked, too, in milliseconds, 50 to 60000; the first to answer is
   * kept. Default: 600, or half as long again as it usually takes in this process, whichever is longer.
   */
  hedgeAfterMs?: number | undefined;
}

const OPTIONS: OptionNames<LLMServiceOptions> = {
  model: true,
  temperature: true,
  maxOutputTokens: true,
  firstTokenTimeoutMs: true,
  maxSteps: true,
  providerOptions: true,
  hedgeAfterMs: true,
};

/** @returns a sentence for each option that is out of range or not known */
export function modelOptionProblems(options: LLMServiceOptions): string[] {
  const { model, temperature, maxOutputTokens, hedgeAfterMs } = options;
  const { firstTokenTimeoutMs, maxSteps } = resolveModelOptions(options);
  const problems = unknownOptions(options, OPTIONS);
  if (typeof model?.doStream !== 'function') {
    problems.push("model must be a language model of the ai package, such as createOpenAI().chat('gpt-4.1-mini')");
  }
  if (temperature !== undefined && !(temperature >= 0 && temperature <= 2)) {
    problems.push(`temperature must be 0 to 2, got ${temperature}`);
  }
  if (maxOutputTokens !== undefined && !(Number.isInteger(maxOutputTokens) && maxOutputTokens >= 1)) {
    problems.push(`maxOutputTokens must be a whole number above 0, got ${maxOutputTokens}`);
  }
  problems.push(
    ...rangeProblems({
      firstTokenTimeoutMs: [firstTokenTimeoutMs, 1, 120_000],
      hedgeAfterMs: [hedgeAfterMs, 50, 60_000],
    }),
  );
  if (!(Number.isInteger(maxSteps) && maxSteps >= 1)) {
    problems.push(`maxSteps must be a whole number above 0, got ${maxSteps}`);
  }
  return problems;
}

/** The options with their defaults. */
export function resolveModelOptions(options: LLMServiceOptions) {
  const { model, temperature, maxOutputTokens, firstTokenTimeoutMs = 10_000, maxSteps = 8 } = options;
  const { providerOptions, hedgeAfterMs } = options;
  return Object.freeze({
    model,
    temperature,
    maxOutputTokens,
    firstTokenTimeoutMs,
    maxSteps,
    providerOptions,
    hedgeAfterMs,
  });
}

export type ResolvedLLMServiceOptions = ReturnType<typeof resolveModelOptions>;
