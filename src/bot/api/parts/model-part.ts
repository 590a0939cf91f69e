import { type LanguageModel, LLMService } from '../../services/llm/index.js';
import { type ModelChoices, optionsOf } from '../../services/llm/model-choice.js';
import { VENDORS, type VendorName } from '../../services/vendor.js';
import { type BotPart, NO_PART } from './part.js';

/** @returns a sentence for each thing that is wrong with what the bot gives as its model, or as its models */
export function modelProblems(given: unknown): string[] {
  if (given === undefined) return [];
  if (Array.isArray(given) && given.length === 0) return ['llm must have a language model at least'];
  return (Array.isArray(given) ? given : [given]).every((one) => Object(one) === one)
    ? []
    : ["llm must be a language model such as openai('gpt-4.1-mini'), or a list of them"];
}

/** The language model of a bot, or the models. */
export function modelPart(given: ModelChoices | undefined): BotPart<LLMService> {
  if (!given) return NO_PART;
  const all = optionsOf(given);
  const keys = all.flatMap(({ model }) => keyOf(model) ?? []);
  const models = all.length === 1 && all[0] ? all[0] : all;
  return { keys, make: () => new LLMService(models), load: () => LLMService.load() };
}

/** A model tells its key by the headers of its requests: it throws when it has none. Others are asked nothing. */
function keyOf(model: LanguageModel): VendorName | undefined {
  const { provider, config } = Object(model) as LanguageModel & { config?: { headers?: unknown } };
  const name = String(provider).split('.')[0] ?? '';
  if (!Object.hasOwn(VENDORS, name) || typeof config?.headers !== 'function') return undefined;
  try {
    config.headers();
    return undefined;
  } catch {
    return name as VendorName;
  }
}
