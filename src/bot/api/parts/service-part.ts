import { refuseProblems } from '../../../base/names/option-names.js';
import type { FrameProcessor } from '../../pipeline/index.js';
import { EarsInTurn } from '../../services/stt/ears-in-turn.js';
import { SttService } from '../../services/stt/index.js';
import type { Service, ServiceChoice } from '../services.js';
import { aiPartProblems, aiService } from './ai-service.js';
import { loadParts } from './load-parts.js';
import { type BotPart, NO_PART, type ServicePartName } from './part.js';

const EXAMPLES: Readonly<Record<ServicePartName, string>> = { stt: 'deepgram()', tts: 'cartesia()' };

/** @returns a sentence for each thing that is wrong with what the bot gives as its ears or its voice, under the name it stands there */
export function serviceProblems(part: ServicePartName, given: unknown, name: string = part): string[] {
  if (given === undefined || isService(given)) return [];
  return aiPartProblems(part, given, name) ?? [`${name} must be a service such as ${EXAMPLES[part]}`];
}

/** @returns a sentence for each thing that is wrong with what the bot gives as its ears */
export function earsProblems(given: unknown): string[] {
  if (!Array.isArray(given)) return serviceProblems('stt', given);
  if (given.length === 0) return ['stt must not be an empty list'];
  return given.flatMap((one, index) => serviceProblems('stt', one ?? null, `stt[${index}]`));
}

/**
 * The ears of a bot, or several of them in turn.
 * @throws VoicebotError VB_CONFIG_INVALID for an option that is out of range or not known; when it is made, naming what is no `SttService`
 *   in a list
 */
export function earsPart(given: ServiceChoice | readonly ServiceChoice[] | undefined): BotPart<FrameProcessor> {
  if (!given) return NO_PART;
  const parts = [given].flat().map((one) => servicePart('stt', one as ServiceChoice));
  const [only] = parts;
  return only && parts.length === 1 ? only : earsInTurn(parts);
}

function earsInTurn(parts: readonly BotPart<FrameProcessor>[]): BotPart<SttService> {
  return {
    keys: parts.flatMap(({ keys }) => keys),
    make: () => {
      const all = parts.map((part) => part.make());
      refuseProblems(
        all.flatMap((one, index) =>
          one instanceof SttService ? [] : [`stt[${index}] makes no SttService, which each one of a list has to be`],
        ),
      );
      return new SttService(new EarsInTurn(all.map((one) => (one as SttService).source)));
    },
    load: () => loadParts(parts),
  };
}

/** A service that the bot gives as its ears or its voice. */
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

function isService(choice: unknown): boolean {
  return typeof choice === 'function' || typeof (choice as Partial<Service> | null | undefined)?.create === 'function';
}
