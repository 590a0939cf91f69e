import { refuseProblems } from '../../../base/names/option-names.js';
import type { ServiceName } from '../../../call/service-name.js';
import { listedNames } from '../listed-names.js';
import { hostOfModel, vendorOf } from '../model-vendor.js';
import type { LanguageModel } from './language-model.js';
import {
  type LLMServiceOptions,
  modelOptionProblems,
  type ResolvedLLMServiceOptions,
  resolveModelOptions,
} from './llm-service-options.js';

/** A model of the `ai` package, or which one is asked and how. */
export type ModelChoice = LanguageModel | LLMServiceOptions;

/** One model, or several: the next is asked when one fails or takes too long. */
export type ModelChoices = ModelChoice | readonly ModelChoice[];

/** One of the models that a service asks, checked. */
export interface AskedModel {
  readonly name: ServiceName;
  readonly options: ResolvedLLMServiceOptions;
  /** It has ended a thought that it had not begun: it may do so again. */
  thinksFirst: boolean;
}

/** @returns the options of each model, in the order in which they are asked */
export const optionsOf = (given: ModelChoices): LLMServiceOptions[] =>
  (isList(given) ? given : [given]).map((one) => ('model' in Object(one) ? one : { model: one }) as LLMServiceOptions);

/** @throws VoicebotError VB_CONFIG_INVALID naming every option of every model that is out of range or not known */
export function askedModels(given: ModelChoices): readonly AskedModel[] {
  const all = optionsOf(given);
  const at = (index: number) => (isList(given) ? `model ${index + 1}: ` : '');
  const problems = all.flatMap((options, index) =>
    modelOptionProblems(options).map((problem) => `${at(index)}${problem}`),
  );
  refuseProblems(all.length > 0 ? problems : ['a list of models must have one at least']);
  const listed = all.map(({ model }) => ({
    provider: vendorOf(model).name,
    model: model.modelId,
    host: hostOfModel(model),
  }));
  const names = listedNames('language_model', listed);
  return all.map((options, index) => ({
    name: names[index] as ServiceName,
    options: resolveModelOptions(options),
    thinksFirst: false,
  }));
}

const isList = (given: ModelChoices): given is readonly ModelChoice[] => Array.isArray(given);
