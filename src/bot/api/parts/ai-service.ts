import { hasStandIns } from '../../../call/stand-ins.js';
import type { FrameProcessor } from '../../pipeline/index.js';
import { type AiModel, isAiModel } from '../../services/model-kind.js';
import { missingKeyOf } from '../../services/model-vendor.js';
import { AiEarDialect, type AiEarsOptions } from '../../services/stt/from-ai.js';
import { SttService } from '../../services/stt/index.js';
import { AiTTS, type AiVoiceOptions } from '../../services/tts/from-ai.js';
import type { Making, ServicePartName } from './part.js';

/** The options of a model of the `ai` package, or the model alone. @returns undefined for what is none */
function optionsOf<Options extends { model: AiModel }>(given: unknown): Options | undefined {
  if (isAiModel(given)) return { model: given } as Options;
  return isAiModel(Object(given).model) ? (given as Options) : undefined;
}

/**
 * Ears or a voice of a model of the `ai` package. An option that is wrong or not known is refused when it is made.
 * @param at where the bot gives it
 * @returns undefined for what is no model
 */
export function aiService(part: ServicePartName, given: unknown, at: string): Making<FrameProcessor> | undefined {
  return part === 'stt' ? earsOf(optionsOf(given), at) : voiceOf(optionsOf(given), at);
}

function earsOf(options: AiEarsOptions | undefined, at: string): Making<FrameProcessor> | undefined {
  if (!options) return undefined;
  let shared: AiEarDialect | undefined;
  const dialect = () => {
    shared ??= new AiEarDialect(options, at);
    return shared;
  };
  return {
    key: missingKeyOf(options.model),
    create: () => new SttService(dialect(), options),
    load: onceWithVendors(() => dialect().load(at)),
  };
}

function voiceOf(options: AiVoiceOptions | undefined, at: string): Making<FrameProcessor> | undefined {
  if (!options) return undefined;
  return {
    key: missingKeyOf(options.model),
    create: () => new AiTTS(options, at),
    load: onceWithVendors(() => AiTTS.load(options, at)),
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
