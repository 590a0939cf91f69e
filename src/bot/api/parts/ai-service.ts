import { hasStandIns } from '../../../call/stand-ins.js';
import { type AiModel, isAiModel } from '../../services/model-kind.js';
import { missingKeyOf } from '../../services/model-vendor.js';
import { AiEarDialect, type AiEarsOptions, aiEarsProblems } from '../../services/stt/from-ai.js';
import { SttService } from '../../services/stt/index.js';
import { AiTTS, type AiVoiceOptions, aiVoiceProblems } from '../../services/tts/from-ai.js';
import type { Service } from '../services.js';
import type { ServicePartName } from './part.js';

/** The options of a model of the `ai` package, or the model alone. @returns undefined for what is none */
function optionsOf<Options extends { model: AiModel }>(given: unknown): Options | undefined {
  if (isAiModel(given)) return { model: given } as Options;
  return isAiModel(Object(given).model) ? (given as Options) : undefined;
}

/** @returns a sentence for each thing that is wrong; undefined for what is no model */
export function aiPartProblems(name: ServicePartName, given: unknown): string[] | undefined {
  if (name === 'stt') {
    const options = optionsOf<AiEarsOptions>(given);
    return options && aiEarsProblems(options);
  }
  const options = optionsOf<AiVoiceOptions>(given);
  return options && aiVoiceProblems(options);
}

/**
 * Ears or a voice of a model of the `ai` package.
 * @returns undefined for what is no model
 * @throws VoicebotError VB_CONFIG_INVALID naming every option that is wrong or not known
 */
export function aiService(name: ServicePartName, given: unknown): Service | undefined {
  return name === 'stt' ? earsOf(optionsOf(given)) : voiceOf(optionsOf(given));
}

function earsOf(options: AiEarsOptions | undefined): Service | undefined {
  if (!options) return undefined;
  const dialect = new AiEarDialect(options);
  return {
    key: missingKeyOf(options.model),
    create: () => new SttService(dialect, options),
    load: onceWithVendors(() => dialect.load()),
  };
}

function voiceOf(options: AiVoiceOptions | undefined): Service | undefined {
  if (!options) return undefined;
  return {
    key: missingKeyOf(options.model),
    create: () => new AiTTS(options),
    load: onceWithVendors(() => AiTTS.load(options)),
  };
}

/** Models are asked once for all calls, and not at all where others stand in for their vendors. */
function onceWithVendors(load: () => Promise<void>): () => Promise<void> {
  let loaded: Promise<void> | undefined;
  return async () => {
    if (hasStandIns()) return;
    loaded ??= load();
    await loaded;
  };
}
