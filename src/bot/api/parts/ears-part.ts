import type { FrameProcessor } from '../../pipeline/index.js';
import { EarsInTurn } from '../../services/stt/ears-in-turn.js';
import { SttService } from '../../services/stt/index.js';
import type { ServiceChoice } from '../services.js';
import { loadParts } from './load-parts.js';
import { makeList } from './make-list.js';
import { type BotPart, NO_PART } from './part.js';
import { servicePart, serviceProblems } from './service-part.js';

/** Ears, or several: when the first fail in a call, the next hear what has not been understood yet. */
export type EarsChoices = ServiceChoice | readonly ServiceChoice[];

/** @returns a sentence for each thing that is wrong with what the bot gives as its ears */
export function earsProblems(given: unknown): string[] {
  if (given === undefined) return [];
  if (!Array.isArray(given)) return serviceProblems('stt', given);
  if (given.length === 0) return ['stt must not be an empty list'];
  return given.flatMap((one, index) => serviceProblems('stt', one, `stt[${index}]`));
}

/**
 * The ears of a bot, or several of them in turn.
 * @throws VoicebotError VB_CONFIG_INVALID for an option that is out of range or not known; when it is made, naming what is no `SttService`
 *   in a list
 */
export function earsPart(given: EarsChoices | undefined): BotPart<FrameProcessor> {
  if (!given) return NO_PART;
  const parts = [given].flat().map((one) => servicePart('stt', one as ServiceChoice));
  const [only] = parts;
  return only && parts.length === 1 ? only : earsInTurn(parts);
}

function earsInTurn(parts: readonly BotPart<FrameProcessor>[]): BotPart<SttService> {
  return {
    keys: parts.flatMap(({ keys }) => keys),
    make: () =>
      new SttService(new EarsInTurn(makeList('stt', parts, SttService, 'SttService').map(({ source }) => source))),
    load: () => loadParts(parts),
  };
}
