import type { FrameProcessor } from '../../pipeline/index.js';
import type { Service, ServiceChoice } from '../services.js';
import { type BotPart, NO_PART } from './part.js';

const EXAMPLES = { stt: 'deepgram()', tts: 'cartesia()' } as const;

/** @returns a sentence for each thing that is wrong with what the bot gives as its ears or its voice */
export function serviceProblems(name: keyof typeof EXAMPLES, given: unknown): string[] {
  return given === undefined || isService(given) ? [] : [`${name} must be a service such as ${EXAMPLES[name]}`];
}

/** The ears of a bot. @throws VoicebotError VB_CONFIG_INVALID for an option that is out of range or not known */
export function earsPart(given: ServiceChoice | undefined): BotPart<FrameProcessor> {
  return given ? servicePart(given) : NO_PART;
}

/** A service that the bot gives as its ears or its voice. */
export function servicePart(choice: ServiceChoice): BotPart<FrameProcessor> {
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
