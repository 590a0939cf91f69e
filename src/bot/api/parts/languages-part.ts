import { refuseProblems } from '../../../base/names/option-names.js';
import type { FrameProcessor } from '../../pipeline/index.js';
import { canonicalLanguage, isSameLanguage, languageProblems } from '../../pipeline/language.js';
import { isAiModel } from '../../services/model-kind.js';
import type { TtsService } from '../../services/tts/tts-service.js';
import { partOf } from './load-parts.js';
import type { BotPart } from './part.js';
import { refusalsFor, refusalsOf } from './refusals.js';
import { isService } from './service-part.js';

/** A voice for each language, by BCP 47 tags; the first also speaks where none is said to be spoken, and for those that are not there. */
export type VoicesByLanguage<Choice> = Readonly<Record<string, Choice>>;

/** The part of a tag that names the language. */
const LANGUAGE = /^[a-z]{2,3}(?:[-_]|$)/i;

/** Whether a choice is one for each language: an object of its own with nothing but names of languages, or nothing but voices. */
export function isByLanguage(given: unknown): given is Readonly<Record<string, unknown>> {
  if (typeof given !== 'object' || given === null || Object.getPrototypeOf(given) !== Object.prototype) return false;
  if (isService(given) || isAiModel(given) || 'model' in given) return false;
  return Object.keys(given).every((name) => LANGUAGE.test(name)) || Object.values(given).every(isVoice);
}

const isVoice = (value: unknown) =>
  isService(value) || isAiModel(value) || isAiModel(Object(value).model) || Array.isArray(value);

/**
 * @param at where the bot gives them, such as `tts`
 * @param parts the voices, by language
 */
export function languagesPart(
  at: string,
  parts: Readonly<Record<string, BotPart<FrameProcessor>>>,
): BotPart<TtsService> {
  const names = Object.keys(parts).flatMap((tag) => languageProblems(tag, `a name in ${at}`));
  const make = () => {
    refuseProblems(names);
    return voicesOf(
      at,
      Object.entries(parts).map(([tag, part]) => [tag, part.make() as TtsService]),
    );
  };
  const all = partOf(Object.values(parts), make);
  const check = () => {
    const refusals = [...refusalsFor(names), ...all.check()];
    return refusals.length > 0 ? refusals : refusalsOf(make);
  };
  return { ...all, check };
}

/** The first of them is the processor, and lends itself the others. */
function voicesOf(at: string, made: ReadonlyArray<readonly [tag: string, made: TtsService]>): TtsService {
  const voices = new Map<string, TtsService>();
  const problems: string[] = [];
  for (const [tag, one] of made) {
    const voice = one.inLanguage(tag);
    const spoken = voice.source.language;
    if (spoken !== undefined && !isSameLanguage(spoken, tag)) problems.push(`${at}.${tag} speaks ${spoken}`);
    else voices.set(canonicalLanguage(tag), voice);
  }
  refuseProblems(problems);
  const [first] = voices.values();
  (first as TtsService).others = voices;
  return first as TtsService;
}
