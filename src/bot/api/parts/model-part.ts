import { LLMService } from '../../services/llm/index.js';
import { type ModelChoices, optionsOf } from '../../services/llm/model-choice.js';
import { isAiModel, kindProblem } from '../../services/model-kind.js';
import { missingKeyOf } from '../../services/model-vendor.js';
import { type BotPart, NO_PART } from './part.js';

const EXAMPLE = "openai('gpt-4.1-mini')";

/** @returns a sentence for each thing that is wrong with what the bot gives as its model, or as its models */
export function modelProblems(given: unknown): string[] {
  if (given === undefined) return [];
  if (!Array.isArray(given)) return problemsAt('llm', given);
  if (given.length === 0) return ['llm must have a language model at least'];
  return given.flatMap((one, index) => problemsAt(`llm[${index}]`, one));
}

function problemsAt(at: string, given: unknown): string[] {
  if (Object(given) !== given) return [`${at} must be a language model such as ${EXAMPLE}`];
  const { model = given } = given as { model?: unknown };
  const problem = isAiModel(model) ? kindProblem(at, model, 'language', EXAMPLE) : undefined;
  return problem ? [problem] : [];
}

/** The language model of a bot, or the models. */
export function modelPart(given: ModelChoices | undefined): BotPart<LLMService> {
  if (!given) return NO_PART;
  const all = optionsOf(given);
  const keys = all.flatMap(({ model }) => (isAiModel(model) ? (missingKeyOf(model) ?? []) : []));
  const models = all.length === 1 && all[0] ? all[0] : all;
  return { keys, make: () => new LLMService(models), load: () => LLMService.load() };
}
