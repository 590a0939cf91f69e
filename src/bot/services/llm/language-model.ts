/**
 * A language model of the `ai` package, such as `createOpenAI().chat('gpt-4.1-mini')`. Only what tells one from something
 * else: the package itself is needed only where it is used.
 */
export interface LanguageModel {
  readonly specificationVersion: string;
  /** Such as `openai.chat`. */
  readonly provider: string;
  readonly modelId: string;
  /** Asks the model; only an `LLMService` calls it. */
  doStream(options: never): PromiseLike<unknown>;
}
