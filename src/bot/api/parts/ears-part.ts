import type { FrameProcessor } from '../../pipeline/index.js';
import { EarsInTurn } from '../../services/stt/ears-in-turn.js';
import { SttService } from '../../services/stt/index.js';
import type { ServiceChoice } from '../services.js';
import { type BotPart, NO_PART } from './part.js';
import { listPart } from './service-part.js';

/** Ears, or several: when the first fail in a call, the next hear what has not been understood yet. */
export type EarsChoices = ServiceChoice | readonly ServiceChoice[];

/**
 * The ears of a bot, or several of them in turn.
 * @param at where the bot gives them
 * @param ifOther what is said of one that makes no `SttService`; undefined: it may be any processor
 */
export function earsPart(given: unknown, at = 'stt', ifOther?: string): BotPart<FrameProcessor> {
  if (given === undefined) return NO_PART;
  return listPart(
    given,
    { part: 'stt', at, ifOther },
    'must not be an empty list',
    (services) => new SttService(new EarsInTurn(services.map(({ source }) => source))),
  );
}
