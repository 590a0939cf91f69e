import { refuseProblems } from '../../../base/names/option-names.js';
import { LLMService } from '../../services/llm/index.js';
import { type LLMServiceOptions, modelOptionProblems } from '../../services/llm/llm-service-options.js';
import { type ModelChoice, type ModelChoices, optionsOf } from '../../services/llm/model-choice.js';
import { isAiModel, kindProblem } from '../../services/model-kind.js';
import { missingKeyOf } from '../../services/model-vendor.js';
import { partOf } from './load-parts.js';
import { type BotPart, NO_PART, singlePart, wrongPart } from './part.js';

const EXAMPLE = "openai('gpt-4.1-mini')";

/**
 * The language model of a bot, or the models.
 * @param at where the bot gives it
 */
export function modelPart(given: unknown, at = 'llm'): BotPart<LLMService> {
  if (given === undefined) return NO_PART;
  if (!Array.isArray(given)) return oneModelPart(given, at, true);
  if (given.length === 0) return wrongPart([`${at} must have a language model at least`]);
  const isOnly = given.length === 1;
  const parts = given.map((one, index) => oneModelPart(one, `${at}[${index}]`, isOnly));
  const all = optionsOf(given as unknown as ModelChoices);
  return isOnly ? (parts[0] as BotPart<LLMService>) : partOf(parts, () => new LLMService(all));
}

/** @param isOnly no other model is asked when it takes too long */
function oneModelPart(given: unknown, at: string, isOnly: boolean): BotPart<LLMService> {
  const options = optionsIn(given);
  if (!options) {
    return wrongPart([
      `${at} must be a language model such as ${EXAMPLE}${Array.isArray(given) ? ', not a list' : ''}`,
    ]);
  }
  const { model } = options;
  const wrongKind = isAiModel(model) ? kindProblem(at, model, 'language', EXAMPLE) : undefined;
  if (wrongKind !== undefined) return wrongPart([wrongKind]);
  const create = () => {
    const isUnused = isOnly && options.hedgeAfterMs !== undefined;
    refuseProblems([
      ...modelOptionProblems(options),
      ...(isUnused ? ['hedgeAfterMs is for a list of models: there is no other to ask'] : []),
    ]);
    return new LLMService(options);
  };
  const key = isAiModel(model) ? missingKeyOf(model) : undefined;
  return singlePart(at, { key, create, load: () => LLMService.load() });
}

/** @returns undefined for what is neither a model nor the options of one */
function optionsIn(given: unknown): LLMServiceOptions | undefined {
  const isGiven = 'model' in Object(given) || isAiModel(given) || typeof Object(given).doStream === 'function';
  return isGiven ? optionsOf(given as ModelChoice)[0] : undefined;
}
