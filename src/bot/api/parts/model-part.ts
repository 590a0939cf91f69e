import { type LanguageModel, LLMService, type LLMServiceOptions } from '../../services/llm/index.js';
import { VENDORS, type VendorName } from '../../services/vendor.js';
import { type BotPart, NO_PART } from './part.js';

/** A model of the `ai` package, or the options of an `LLMService`. */
export type ModelChoice = LanguageModel | LLMServiceOptions;

/** @returns a sentence for each thing that is wrong with what the bot gives as its model */
export function modelProblems(given: unknown): string[] {
  return given === undefined || Object(given) === given
    ? []
    : ["llm must be a language model such as openai('gpt-4.1-mini')"];
}

/** The language model of a bot. */
export function modelPart(given: ModelChoice | undefined): BotPart<LLMService> {
  if (!given) return NO_PART;
  const options = 'model' in given ? given : { model: given };
  const key = keyOf(options.model);
  return { keys: key ? [key] : [], make: () => new LLMService(options), load: () => LLMService.load() };
}

/** A model tells its key by the headers of its requests: it throws when it has none. Others are asked nothing. */
export function keyOf(model: Pick<LanguageModel, 'provider'>): VendorName | undefined {
  const { provider, config } = model as typeof model & { config?: { headers?: unknown } };
  const name = String(provider).split('.')[0] ?? '';
  if (!Object.hasOwn(VENDORS, name) || typeof config?.headers !== 'function') return undefined;
  try {
    config.headers();
    return undefined;
  } catch {
    return name as VendorName;
  }
}
