import { refuseProblems } from '../../../base/names/option-names.js';
import type { FrameProcessor } from '../../pipeline/index.js';
import { canonicalLanguage, isSameLanguage, languageProblems } from '../../pipeline/language.js';
import { TtsService } from '../../services/tts/tts-service.js';
import { partOf } from './load-parts.js';
import type { BotPart } from './part.js';

/** A voice for each language, by BCP 47 tags; the first also speaks where none is said to be spoken, and for those that are not there. */
export type VoicesByLanguage<Choice> = Readonly<Record<string, Choice>>;

/** Whether a choice is one for each language: an object of its own with nothing but names of languages. */
export function isByLanguage(given: unknown): given is Readonly<Record<string, never>> {
  if (typeof given !== 'object' || given === null || Object.getPrototypeOf(given) !== Object.prototype) return false;
  const names = Object.keys(given);
  return names.length > 0 && names.every((name) => /^[a-z]{2,3}(?:[-_]|$)/i.test(name));
}

/** @returns a sentence for each name that is no language, and for each thing that is wrong with the voices */
export function voicesProblems(
  voices: Readonly<Record<string, unknown>>,
  problemsOf: (name: string, given: unknown) => string[],
): string[] {
  return Object.entries(voices).flatMap(([tag, given]) => [
    ...languageProblems(tag, `a name in tts`),
    ...problemsOf(`tts.${tag}`, given),
  ]);
}

/** @param parts the voices, by language */
export function languagesPart(parts: Readonly<Record<string, BotPart<FrameProcessor>>>): BotPart<TtsService> {
  const make = () => voicesOf(Object.entries(parts).map(([tag, part]) => [tag, part.make()]));
  return partOf(Object.values(parts), make);
}

/** The first of them is the processor, and lends itself the others. */
function voicesOf(made: ReadonlyArray<readonly [tag: string, made: FrameProcessor | undefined]>): TtsService {
  const voices = new Map<string, TtsService>();
  const problems: string[] = [];
  for (const [tag, one] of made) {
    const voice = one instanceof TtsService ? one.inLanguage(tag) : undefined;
    const spoken = voice?.source.language;
    if (!voice) problems.push(`tts.${tag} makes no TtsService, which each voice of a language has to be`);
    else if (spoken !== undefined && !isSameLanguage(spoken, tag)) problems.push(`tts.${tag} speaks ${spoken}`);
    else voices.set(canonicalLanguage(tag), voice);
  }
  refuseProblems(problems);
  const [first] = voices.values();
  (first as TtsService).others = voices;
  return first as TtsService;
}
