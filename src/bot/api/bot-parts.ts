import type { ZodType } from 'zod';
import { type OptionNames, unknownOptions } from '../../base/names/option-names.js';
import type { Disclosure } from '../../call/disclosure.js';
import { CONVERSATION_OPTIONS } from '../conversation/conversation.js';
import type { FrameProcessor } from '../pipeline/index.js';
import type { LLMService } from '../services/llm/index.js';
import type { ModelChoices } from '../services/llm/model-choice.js';
import { requireKeys } from '../services/vendor.js';
import { type RoomTranscription, transcriptionProblems } from '../transports/room/transcription-options.js';
import { type DoNotCallOptions, doNotCallProblems } from './do-not-call-options.js';
import { type EarsChoices, earsPart } from './parts/ears-part.js';
import { besideLive, type LiveChoice, livePart } from './parts/live-part.js';
import type { LiveParts } from './parts/live-parts.js';
import { loadParts } from './parts/load-parts.js';
import { modelPart } from './parts/model-part.js';
import { type CheckedNotices, checkNotices, unspokenProblems } from './parts/notices-part.js';
import { type OtherwiseChoice, otherwisePart } from './parts/otherwise-part.js';
import type { BotPart } from './parts/part.js';
import { refusalsFor, refusalsOf, refuseAll } from './parts/refusals.js';
import { type VoiceChoices, voicePart } from './parts/voice-part.js';

/** What a bot is made of, beside what it does with a call. Every part may be left out. */
export interface BotParts<Body = Record<string, unknown>> {
  /**
   * Speech to text: `deepgram()`, or a transcription model of the `ai` package that streams; or a list: when one fails in a call, the next
   * hears what has not been understood yet. Without it no words are heard.
   */
  stt?: EarsChoices | undefined;
  /**
   * A model of the `ai` package, such as `openai('gpt-4.1-mini')`, or the options of an `LLMService`; or a list of these: the next is asked
   * when one fails or takes too long.
   */
  llm?: ModelChoices | undefined;
  /**
   * The voice: such as `cartesia()`, or a speech model of the `ai` package; or a list of voices: the next goes on when one fails, at the
   * word that was cut. Or one of these for each language: `{ en: cartesia(), es: elevenlabs() }`, of which the first speaks where no language
   * was said, and for those that are not there. Without it only audio is said.
   */
  tts?: VoiceChoices | undefined;
  /**
   * Whether the room provider transcribes what is said in its rooms, and how: its words are the ears of a bot without `stt`, and events of
   * the transport beside one. Over a carrier it does not exist. Default false.
   */
  transcriptionEnabled?: RoomTranscription | undefined;
  /**
   * A realtime model of the `ai` package's contract, such as `openai.experimental_realtime('gpt-realtime-2.1')`, or the options of one: it
   * hears and answers the caller by itself, in place of `stt`, `llm` and `tts`. A `tts` beside it says what the bot wants said word for word.
   */
  live?: LiveChoice | undefined;
  /**
   * What goes on with a call when there is no session of the realtime model any more, with the same context:
   * `{ stt: deepgram(), llm: openai('gpt-4.1-mini'), tts: cartesia() }`.
   */
  otherwise?: OtherwiseChoice | undefined;
  /**
   * Says that a machine speaks, before anything else of the bot's is heard: `{ text: 'This is a machine calling for …', when: 'outbound' }`, or
   * why that need not be: `{ notNeeded: 'reason' }`. Nothing stops it, and the bot goes on when it was heard to its end. A `text` for each
   * language is chosen by `language` in the call's parameters or custom data. Calls out to numbers of the European Union need one of the two.
   */
  disclosure?: Disclosure | undefined;
  /** What the custom data of a call looks like. Calls that come in have none: they get the schema's defaults. */
  body?: ZodType<Body> | undefined;
  /**
   * How the other party may ask not to be called again, beside the tool `doNotCall`: with a key, or in words; and what they hear then. Default:
   * in words, where the bot has ears and the call goes out.
   */
  doNotCall?: DoNotCallOptions | undefined;
  /** What others in a room see. Default `Voicebot`. */
  name?: string | undefined;
}

export const BOT_PARTS: OptionNames<BotParts> = {
  stt: true,
  llm: true,
  tts: true,
  transcriptionEnabled: true,
  live: true,
  otherwise: true,
  disclosure: true,
  body: true,
  doNotCall: true,
  name: true,
};

/** The parts of a bot, checked: each makes what one call needs. */
export interface CheckedParts<Body> {
  stt(): FrameProcessor | undefined;
  llm(): LLMService | undefined;
  tts(): FrameProcessor | undefined;
  readonly transcriptionEnabled: RoomTranscription;
  /** What takes their place where the bot has a realtime model. */
  live(): LiveParts | undefined;
  readonly name: string;
  readonly doNotCall: DoNotCallOptions;
  /** What it says first. */
  readonly notices: CheckedNotices;
  /** @returns the custom data with defaults, or what is wrong with it, a sentence for each problem */
  checkBody(body: unknown): Promise<{ body: Body } | { problems: string[] }>;
  /** Loads the packages that the parts need. @throws VoicebotError VB_CONFIG_INVALID when one is missing or too old */
  load(): Promise<void>;
}

/**
 * @param names every option that is allowed, those of the parts and what stands beside them
 * @param problems of what stands beside them
 * @throws VoicebotError VB_CONFIG_INVALID naming every option that is wrong or not known, and every key that is not set;
 *   VB_CREDENTIALS_MISSING where only keys are missing
 */
export function checkParts<Body>(
  given: BotParts<Body>,
  names: Readonly<Record<string, true>> = BOT_PARTS,
  problems: readonly string[] = [],
): CheckedParts<Body> {
  const {
    stt,
    llm,
    tts,
    transcriptionEnabled = false,
    live,
    otherwise,
    body,
    name = 'Voicebot',
    doNotCall = {},
  } = given;
  const own = [...unknownParts(given, names), ...transcriptionProblems(transcriptionEnabled)];
  own.push(...doNotCallProblems(doNotCall));
  if (typeof name !== 'string' || name === '') own.push('name must be text');
  if (body !== undefined && typeof body?.safeParseAsync !== 'function') own.push('body must be a zod schema');
  const notices = checkNotices(given);
  own.push(...notices.problems);
  const isLive = live !== undefined;
  const voice = voicePart(tts);
  const cascade = otherwisePart(otherwise, { live, tts });
  const parts = {
    stt: isLive && stt !== undefined ? besideLive('stt') : earsPart(stt),
    llm: isLive && llm !== undefined ? besideLive('llm') : modelPart(llm),
    tts: voice,
    live: livePart(live, voice.make, cascade, otherwise?.llm),
    otherwise: cascade,
  };
  const all: BotPart<unknown>[] = Object.values(parts);
  own.push(...unspokenProblems(notices, voice));
  refuseAll([
    ...refusalsFor([...own, ...problems]),
    ...all.flatMap((part) => part.check()),
    ...refusalsOf(() => requireKeys('the bot', [...new Set(all.flatMap(({ keys }) => keys))])),
  ]);
  return {
    stt: parts.stt.make,
    llm: parts.llm.make,
    tts: parts.tts.make,
    transcriptionEnabled,
    live: parts.live.make,
    name,
    doNotCall,
    notices,
    checkBody: async (data) => {
      if (!body) return { body: data as Body };
      const checked = await body.safeParseAsync(data);
      return checked.success ? { body: checked.data } : { problems: checked.error.issues.map(problemOf) };
    },
    load: () => loadParts(all),
  };
}

/** An option of a conversation is told where it belongs. */
function unknownParts(given: object, names: Readonly<Record<string, true>>): string[] {
  const isMisplaced = (option: string) => !(option in names) && Object.hasOwn(CONVERSATION_OPTIONS, option);
  const misplaced = Object.keys(given).filter(isMisplaced);
  const others = Object.fromEntries(Object.entries(given).filter(([option]) => !isMisplaced(option)));
  const told = misplaced.map((option) => `${option} belongs to the conversation: call.converse({ ${option}: … })`);
  return [...told, ...unknownOptions(others, names)];
}

function problemOf({ path, message }: { readonly path: readonly PropertyKey[]; readonly message: string }): string {
  return `${['body', ...path].map(String).join('.')}: ${message}`;
}
