import type { FrameProcessor } from '../../pipeline/index.js';
import type { Service, ServiceChoice } from '../services.js';
import { aiPartProblems, aiService } from './ai-service.js';
import { type BotPart, NO_PART, type ServicePartName } from './part.js';

const EXAMPLES: Readonly<Record<ServicePartName, string>> = { stt: 'deepgram()', tts: 'cartesia()' };

/** @returns a sentence for each thing that is wrong with what the bot gives as its ears or its voice */
export function serviceProblems(name: ServicePartName, given: unknown): string[] {
  if (given === undefined || isService(given)) return [];
  return aiPartProblems(name, given) ?? [`${name} must be a service such as ${EXAMPLES[name]}`];
}

/** The ears of a bot. @throws VoicebotError VB_CONFIG_INVALID for an option that is out of range or not known */
export function earsPart(given: ServiceChoice | undefined): BotPart<FrameProcessor> {
  return given ? servicePart('stt', given) : NO_PART;
}

/** The voice of a bot. @throws VoicebotError VB_CONFIG_INVALID for an option that is out of range or not known */
export function voicePart(given: ServiceChoice | undefined): BotPart<FrameProcessor> {
  return given ? servicePart('tts', given) : NO_PART;
}

function servicePart(name: ServicePartName, given: ServiceChoice): BotPart<FrameProcessor> {
  const choice = aiService(name, given) ?? (given as Service | (() => FrameProcessor));
  const service = typeof choice === 'function' ? { create: choice } : choice;
  const { key } = service as Service;
  return {
    keys: key ? [key] : [],
    make: () => service.create(),
    load: async () => (service as Service).load?.(),
  };
}

function isService(choice: unknown): boolean {
  return typeof choice === 'function' || typeof (choice as Partial<Service> | null | undefined)?.create === 'function';
}
