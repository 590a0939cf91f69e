import { readFileSync } from 'node:fs';
import { decodeWav } from '../../../base/audio/wav.js';
import { type OptionNames, unknownOptions } from '../../../base/names/option-names.js';
import type { RecordOptions } from '../../../call/bot-definition.js';
import type {
  DeclaredDisclosure,
  NeedlessDisclosure,
  SpokenDisclosure,
  SpokenNotice,
} from '../../../call/disclosure.js';
import { languageName } from '../../../call/language-name.js';
import { CHARACTER_MS } from '../../../call/view/lost-speech.js';
import { OutputAudioFrame } from '../../pipeline/frames/index.js';
import type { FrameProcessor } from '../../pipeline/index.js';
import { canonicalLanguage, isSameLanguage, languageProblems } from '../../pipeline/language.js';
import { TtsService } from '../../services/tts/tts-service.js';
import { isByLanguage } from './languages-part.js';
import type { BotPart } from './part.js';
import { refusalsOf } from './refusals.js';

/** Longest that a notice may take to say, in milliseconds. */
const LONGEST_MS = 20_000;
const OBJECT_KEY = /^[0-9*#]$/;

/** One wording of a notice. */
export interface NoticeWords {
  readonly text: string;
  /** BCP 47; undefined where the bot has one wording alone. */
  readonly language: string | undefined;
  /** Says the text, in place of the bot's voice. */
  readonly sound: OutputAudioFrame | undefined;
}

/** What a bot says first: its wordings, of which the first is said where no other is asked for. */
export interface Notice {
  /** Where the bot gives its text, such as `disclosure.text`. */
  readonly at: string;
  readonly wordings: readonly NoticeWords[];
}

/** What a bot says before it serves a call. */
export interface CheckedNotices {
  readonly disclosure: (Notice & Pick<SpokenDisclosure, 'when'>) | undefined;
  readonly recording: (Notice & { readonly objectKey: string | undefined }) | undefined;
  /** What the runner is to know of the first. */
  readonly declared: DeclaredDisclosure | undefined;
  /** A sentence for each problem. */
  readonly problems: readonly string[];
}

/** What a bot says words with. */
interface GivenVoice {
  readonly tts?: unknown;
  /** Beside a realtime model, which says nothing word for word. */
  readonly otherwise?: unknown;
}

interface GivenParts extends GivenVoice {
  readonly disclosure?: unknown;
  readonly record?: unknown;
}

const SPOKEN: OptionNames<SpokenDisclosure> = { text: true, file: true, when: true };
const NOTICE: OptionNames<SpokenNotice> = { text: true, file: true };
const NEEDLESS: OptionNames<NeedlessDisclosure> = { notNeeded: true };
const RECORD_OPTIONS: OptionNames<RecordOptions> = { maskDigits: true, notice: true, objectKey: true };

/** The wording in a language: of the same region, else of the same language, else the first. */
export function wordingIn({ wordings }: Notice, language: unknown): NoticeWords {
  const tag = languageProblems(language).length === 0 && language !== undefined ? String(language) : undefined;
  const canonical = tag && canonicalLanguage(tag);
  const exact = wordings.find((one) => one.language === canonical);
  const alike = wordings.find((one) => canonical && one.language && isSameLanguage(one.language, canonical));
  return (exact ?? alike ?? wordings[0]) as NoticeWords;
}

/** Checks `disclosure` and `record` of a bot. */
export function checkNotices({ disclosure, record, ...voice }: GivenParts): CheckedNotices {
  const spoken = checkDisclosure(disclosure, voice);
  const recorded = checkRecord(record, voice);
  return { ...spoken, ...recorded, problems: [...spoken.problems, ...recorded.problems] };
}

/** Of wordings in a language that the bot's voice lacks, as far as that is known. */
export function unspokenProblems({ disclosure, recording }: CheckedNotices, voice: BotPart<FrameProcessor>): string[] {
  const wordings = [disclosure, recording]
    .flatMap((notice) => (notice ? notice.wordings.map((words) => ({ at: notice.at, ...words })) : []))
    .filter(({ sound }) => !sound);
  const made = wordings.some(({ language }) => language !== undefined) ? madeOf(voice) : undefined;
  if (!(made instanceof TtsService) || made.others) return [];
  return wordings.flatMap(({ at, language }) =>
    language === undefined || made.speaks(language)
      ? []
      : [`${at}.${language} is in ${languageName(language)}, which the bot's voice does not speak`],
  );
}

/** Undefined for one that cannot be made, which is refused for that. */
function madeOf(voice: BotPart<FrameProcessor>): FrameProcessor | undefined {
  let made: FrameProcessor | undefined;
  refusalsOf(() => {
    made = voice.make();
  });
  return made;
}

function checkDisclosure(
  given: unknown,
  voice: GivenVoice,
): Pick<CheckedNotices, 'disclosure' | 'declared' | 'problems'> {
  const none = { disclosure: undefined, declared: undefined };
  if (given === undefined) return { ...none, problems: [] };
  if (typeof given !== 'object' || given === null)
    return { ...none, problems: ["disclosure must be { text, when } or { notNeeded: 'why' }"] };
  if ('notNeeded' in given) {
    const problems = unknownOptions(given, NEEDLESS, 'disclosure.');
    if (!hasWords(given.notNeeded)) problems.push('disclosure.notNeeded must say why');
    return { disclosure: undefined, declared: { notNeeded: String(given.notNeeded) }, problems };
  }
  const { text, file, when } = given as SpokenDisclosure;
  const { problems: wrong, ...notice } = checkWordings('disclosure.', { text, file }, voice);
  const problems = [...unknownOptions(given, SPOKEN, 'disclosure.'), ...wrong];
  if (when !== 'always' && when !== 'outbound') problems.push("disclosure.when must be 'always' or 'outbound'");
  return { disclosure: { ...notice, when }, declared: { when }, problems };
}

function checkRecord(given: unknown, voice: GivenVoice): Pick<CheckedNotices, 'recording' | 'problems'> {
  if (typeof given === 'boolean' || given === undefined) return { recording: undefined, problems: [] };
  if (typeof given !== 'object' || given === null)
    return { recording: undefined, problems: ['record must be true, false, or options'] };
  const problems = unknownOptions(given, RECORD_OPTIONS, 'record.');
  const { notice, objectKey } = given as RecordOptions;
  if (objectKey !== undefined && !OBJECT_KEY.test(String(objectKey)))
    problems.push(`record.objectKey must be one of 0-9 * #, got ${JSON.stringify(objectKey)}`);
  if (objectKey !== undefined && notice === undefined) problems.push('record.objectKey needs record.notice');
  if (notice === undefined) return { recording: undefined, problems };
  const isWhole = typeof notice === 'object' && notice !== null && ('text' in notice || 'file' in notice);
  const { text, file } = isWhole ? (notice as SpokenNotice) : { text: notice };
  if (isWhole) problems.push(...unknownOptions(notice, NOTICE, 'record.notice.'));
  const at = isWhole ? undefined : 'record.notice';
  const { problems: wrong, ...said } = checkWordings('record.notice.', { text, file }, voice, at);
  return { recording: { ...said, objectKey }, problems: [...problems, ...wrong] };
}

/**
 * @param at where the bot gives it, such as `disclosure.`
 * @param textAt a text of several languages is told with the language, such as `disclosure.text.de`
 */
function checkWordings(
  at: string,
  { text, file }: { readonly text: unknown; readonly file?: unknown },
  voice: GivenVoice,
  textAt = `${at}text`,
): Notice & { readonly problems: readonly string[] } {
  const fileAt = `${at}file`;
  const texts = byLanguage(text);
  if (texts.length === 0) return { at: textAt, wordings: [], problems: [`${textAt} must have words`] };
  const problems: string[] = [];
  const files = new Map(file === undefined ? [] : byLanguage(file));
  const wordings = texts.map(([tag, words]): NoticeWords => {
    const name = tag === undefined ? textAt : `${textAt}.${tag}`;
    const wrongTag = tag === undefined ? [] : languageProblems(tag, `a name in ${textAt}`);
    problems.push(...wrongTag);
    const given = files.get(tag);
    const fileName = tag === undefined ? fileAt : `${fileAt}.${tag}`;
    const sound = given === undefined ? undefined : readSound(fileName, given);
    problems.push(...(sound?.problems ?? []));
    if (!hasWords(words)) problems.push(`${name} must have words`);
    else if (!sound && words.length * CHARACTER_MS > LONGEST_MS)
      problems.push(`${name} takes about ${Math.round((words.length * CHARACTER_MS) / 1_000)} s to say: at most 20 s`);
    if (!sound) problems.push(...voiceProblems(name, fileName, voice, wrongTag.length > 0 ? undefined : tag));
    const language = tag === undefined || wrongTag.length > 0 ? undefined : canonicalLanguage(tag);
    return { text: String(words).trim(), language, sound: sound?.frame };
  });
  const unused = [...files.keys()].filter((tag) => !texts.some(([other]) => other === tag));
  problems.push(...unused.map((tag) => `${tag === undefined ? fileAt : `${fileAt}.${tag}`} has no text beside it`));
  return { at: textAt, wordings, problems: [...new Set(problems)] };
}

function voiceProblems(name: string, file: string, { tts, otherwise }: GivenVoice, tag: string | undefined): string[] {
  if (otherwise !== undefined)
    return [`${name} is not said word for word by a bot with otherwise: give ${file}, a recording`];
  if (tts === undefined)
    return [`${name} needs a voice that says it word for word: give the bot \`tts\`, or ${file}, a recording`];
  if (tag === undefined || !isByLanguage(tts)) return [];
  const speaks = Object.keys(tts).some((other) => languageProblems(other).length > 0 || isSameLanguage(other, tag));
  return speaks ? [] : [`${name} is in a language that no voice of tts speaks`];
}

function readSound(name: string, file: unknown): { frame: OutputAudioFrame | undefined; problems: string[] } {
  try {
    const { channels, sampleRate } = decodeWav(readFileSync(file as string | URL));
    const seconds = channels[0].length / sampleRate;
    const problems = seconds * 1_000 > LONGEST_MS ? [`${name} lasts ${Math.round(seconds)} s: at most 20 s`] : [];
    return { frame: new OutputAudioFrame(channels[0], sampleRate), problems };
  } catch (error) {
    return { frame: undefined, problems: [`${name} cannot be read: ${(error as Error).message}`] };
  }
}

/** One for all languages has none. */
function byLanguage(given: unknown): Array<[tag: string | undefined, value: unknown]> {
  if (typeof given === 'string' || given instanceof URL) return [[undefined, given]];
  return typeof given === 'object' && given !== null && !Array.isArray(given) ? Object.entries(given) : [];
}

const hasWords = (text: unknown): text is string => typeof text === 'string' && /[\p{L}\p{N}]/u.test(text);
