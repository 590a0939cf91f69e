import type { FrameProcessor } from '../../pipeline/index.js';
import { TtsInTurn } from '../../services/tts/tts-in-turn.js';
import type { ServiceChoice } from '../services.js';
import { isByLanguage, languagesPart, type VoicesByLanguage } from './languages-part.js';
import { type BotPart, NO_PART, wrongPart } from './part.js';
import { listPart, noService } from './service-part.js';

/** A voice, or several: the next goes on when one fails. */
export type VoiceOrList = ServiceChoice | readonly ServiceChoice[];

/** A voice, or several: the next goes on when one fails. Or one of these for each language. */
export type VoiceChoices = VoiceOrList | VoicesByLanguage<VoiceOrList>;

const NONE = 'must have a voice at least';

/**
 * The voice of a bot, several of them in turn, or those of its languages.
 * @param at where the bot gives it
 */
export function voicePart(given: unknown, at = 'tts'): BotPart<FrameProcessor> {
  if (given === undefined) return NO_PART;
  if (!isByLanguage(given)) return voicesPart(given, at);
  const voices = Object.entries(given);
  if (voices.length === 0) return wrongPart([`${at} ${NONE}`]);
  const ofLanguage = noService('tts', 'each voice of a language');
  return languagesPart(
    at,
    Object.fromEntries(voices.map(([tag, one]) => [tag, voicesPart(one, `${at}.${tag}`, ofLanguage)])),
  );
}

const voicesPart = (given: unknown, at: string, ifOther?: string) =>
  listPart(given, { part: 'tts', at, ifOther }, NONE, (voices) => new TtsInTurn(voices));
