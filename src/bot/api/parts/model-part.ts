import { type LanguageModel, LLMService, type LLMServiceOptions } from '../../services/llm/index.js';
import { isAiModel, kindProblem } from '../../services/model-kind.js';
import { missingKeyOf } from '../../services/model-vendor.js';
import { type BotPart, NO_PART } from './part.js';

/** A model of the `ai` package, or the options of an `LLMService`. */
export type ModelChoice = LanguageModel | LLMServiceOptions;

const EXAMPLE = "openai('gpt-4.1-mini')";

/** @returns a sentence for each thing that is wrong with what the bot gives as its model */
export function modelProblems(given: unknown): string[] {
  if (given === undefined) return [];
  if (Object(given) !== given) return [`llm must be a language model such as ${EXAMPLE}`];
  const model = 'model' in (given as object) ? (given as Partial<LLMServiceOptions>).model : given;
  const problem = isAiModel(model) ? kindProblem('llm', model, 'language', EXAMPLE) : undefined;
  return problem ? [problem] : [];
}

/** The language model of a bot. */
export function modelPart(given: ModelChoice | undefined): BotPart<LLMService> {
  if (!given) return NO_PART;
  const options = 'model' in given ? given : { model: given };
  const key = missingKeyOf(options.model);
  return { keys: key ? [key] : [], make: () => new LLMService(options), load: () => LLMService.load() };
}
