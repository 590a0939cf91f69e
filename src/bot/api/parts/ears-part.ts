import type { FrameProcessor } from '../../pipeline/index.js';
import { EarsInTurn } from '../../services/stt/ears-in-turn.js';
import { SttService } from '../../services/stt/index.js';
import type { ServiceChoice } from '../services.js';
import { makeList } from './make-list.js';
import { type BotPart, NO_PART } from './part.js';
import { listPart, listProblems } from './service-part.js';

/** Ears, or several: when the first fail in a call, the next hear what has not been understood yet. */
export type EarsChoices = ServiceChoice | readonly ServiceChoice[];

/** @returns a sentence for each thing that is wrong with what the bot gives as its ears */
export function earsProblems(given: unknown): string[] {
  return given === undefined ? [] : listProblems('stt', given, 'must not be an empty list');
}

/**
 * The ears of a bot, or several of them in turn.
 * @throws VoicebotError VB_CONFIG_INVALID for an option that is out of range or not known; when it is made, naming what is no `SttService`
 *   in a list
 */
export function earsPart(given: EarsChoices | undefined): BotPart<FrameProcessor> {
  if (!given) return NO_PART;
  return listPart('stt', given, (parts) => {
    const services = makeList('stt', parts, SttService, 'SttService');
    return new SttService(new EarsInTurn(services.map(({ source }) => source)));
  });
}
