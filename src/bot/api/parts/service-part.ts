import type { FrameProcessor } from '../../pipeline/index.js';
import type { Service, ServiceChoice } from '../services.js';
import { aiPartProblems, aiService } from './ai-service.js';
import type { BotPart, ServicePartName } from './part.js';

const EXAMPLES: Readonly<Record<ServicePartName, string>> = { stt: 'deepgram()', tts: 'cartesia()' };

/**
 * @param at where the bot gives it, such as `tts[1]`
 * @returns a sentence for each thing that is wrong with one service of a bot's
 */
export function serviceProblems(name: ServicePartName, given: unknown, at: string = name): string[] {
  if (isService(given)) return [];
  return aiPartProblems(name, given, at) ?? [`${at} must be a service such as ${EXAMPLES[name]}`];
}

/** One service that the bot gives as its ears or its voice. @throws VoicebotError VB_CONFIG_INVALID for an option that is out of range or not known */
export function servicePart(name: ServicePartName, given: ServiceChoice): BotPart<FrameProcessor> {
  const choice = aiService(name, given) ?? (given as Service | (() => FrameProcessor));
  const service = typeof choice === 'function' ? { create: choice } : choice;
  const { key } = service as Service;
  return {
    keys: key ? [key] : [],
    make: () => service.create(),
    load: async () => (service as Service).load?.(),
  };
}

function isService(choice: unknown): choice is ServiceChoice {
  return typeof choice === 'function' || typeof (choice as Partial<Service> | null)?.create === 'function';
}
