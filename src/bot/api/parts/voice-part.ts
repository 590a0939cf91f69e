import type { FrameProcessor } from '../../pipeline/index.js';
import { TtsInTurn } from '../../services/tts/tts-in-turn.js';
import { TtsService } from '../../services/tts/tts-service.js';
import type { ServiceChoice } from '../services.js';
import { isByLanguage, languagesPart, type VoicesByLanguage, voicesProblems } from './languages-part.js';
import { makeList } from './make-list.js';
import { type BotPart, NO_PART } from './part.js';
import { listPart, listProblems } from './service-part.js';

/** A voice, or several: the next goes on when one fails. */
export type VoiceOrList = ServiceChoice | readonly ServiceChoice[];

/** A voice, or several: the next goes on when one fails. Or one of these for each language. */
export type VoiceChoices = VoiceOrList | VoicesByLanguage<VoiceOrList>;

/** @returns a sentence for each thing that is wrong with what the bot gives as its voice, or as its voices */
export function voiceProblems(given: unknown): string[] {
  if (given === undefined) return [];
  return isByLanguage(given) ? voicesProblems(given, problemsOf) : problemsOf('tts', given);
}

const problemsOf = (name: string, given: unknown) => listProblems('tts', given, 'must have a voice at least', name);

/**
 * The voice of a bot, several of them in turn, or those of its languages.
 * @throws VoicebotError VB_CONFIG_INVALID for an option of any of them that is out of range or not known, when it is made; and for one of
 *   a list, or of a language, that is no `TtsService`
 */
export function voicePart(given: VoiceChoices | undefined): BotPart<FrameProcessor> {
  if (!given) return NO_PART;
  if (!isByLanguage(given)) return voicesPart('tts', given as VoiceOrList);
  return languagesPart(
    Object.fromEntries(Object.entries(given).map(([tag, one]) => [tag, voicesPart(`tts.${tag}`, one)])),
  );
}

function voicesPart(name: string, given: VoiceOrList): BotPart<FrameProcessor> {
  return listPart('tts', given, (parts) => new TtsInTurn(makeList(name, parts, TtsService, 'TtsService')));
}
