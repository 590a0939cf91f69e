import { type AiModel, describeModel } from './model-kind.js';
import { ownerOf } from './model-vendor.js';

/** Of the packages that go with version 7 of `ai`. */
const CONTRACT = 'v4';

/**
 * Ears and voices need the contract of version 7.
 * @param name the part of the bot that the model was given as
 * @returns a sentence when the model's package was written for another
 */
export function contractProblem(name: string, model: AiModel): string | undefined {
  const { specificationVersion, provider } = model;
  if (specificationVersion === CONTRACT) return undefined;
  const described = `${describeModel(model)} is of the contract ${specificationVersion}`;
  return `${name} needs a model of the contract ${CONTRACT}, of version 7 of the ai package; ${described}: npm install ai@7 @ai-sdk/${ownerOf(provider)}@latest`;
}
