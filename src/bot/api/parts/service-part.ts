import type { FrameProcessor } from '../../pipeline/index.js';
import type { Service, ServiceChoice } from '../services.js';
import { aiPartProblems, aiService } from './ai-service.js';
import { partOf } from './load-parts.js';
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

/**
 * @param none what is wrong with a list that has none
 * @returns a sentence for each thing that is wrong with one service of a bot's, or with a list of them
 */
export function listProblems(name: ServicePartName, given: unknown, none: string, at: string = name): string[] {
  if (!Array.isArray(given)) return serviceProblems(name, given, at);
  if (given.length === 0) return [`${at} ${none}`];
  return given.flatMap((one, index) => serviceProblems(name, one, `${at}[${index}]`));
}

/** One service, or a list of them. @param inTurn makes one of several for a call */
export function listPart(
  name: ServicePartName,
  given: ServiceChoice | readonly ServiceChoice[],
  inTurn: (parts: readonly BotPart<FrameProcessor>[]) => FrameProcessor,
): BotPart<FrameProcessor> {
  const parts = [given].flat().map((one) => servicePart(name, one as ServiceChoice));
  const [only] = parts;
  return only && parts.length === 1 ? only : partOf(parts, () => inTurn(parts));
}

function isService(choice: unknown): choice is ServiceChoice {
  return typeof choice === 'function' || typeof (choice as Partial<Service> | null)?.create === 'function';
}
