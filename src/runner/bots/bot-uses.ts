import { readFileSync } from 'node:fs';
import type { VendorName } from '../../bot/services/vendor.js';
import type { BotSource } from './bot-source.js';

/** What a bot needs from outside, as far as its code tells. */
export interface BotUses {
  /** It transfers callers to `OPERATOR_NUMBER`. */
  readonly operator: boolean;
  /** It speaks with a speech model of the `ai` package that gives whole answers only. */
  readonly wholeAnswerVoice: boolean;
  /** Speech and model providers whose services it has, or whose keys it asks for. */
  readonly providers: readonly VendorName[];
  /** It has the room provider transcribe what is said: as its ears, or beside ears of its own. */
  readonly transcription: 'ears' | 'events' | undefined;
  /** The language code that it gives to its conversation, else to its ears, else the first that it names, such as `de`; undefined: none. */
  readonly language: string | undefined;
}

const OPERATOR =
  /\bOPERATOR_NUMBER\b|\btransferTo\s*\(\s*undefined\b|\.transfer\s*\(\s*(\)|undefined\b)|\boperatorNumber\s*\(\s*[){]|\bsipCallTransfer\s*\(\s*(\{\s*\})?\s*\)/;

/** A gateway's are called by another name, and stream. */
const WHOLE_ANSWER_VOICE = /\.speech\s*\(/;
/** Whatever the field is set to, but `false`. */
const TRANSCRIPTION = /\btranscriptionEnabled\s*(:(?!\s*(false|undefined)\b)|[,}])/;
const OWN_EARS = /\b(?:stt|live)\s*[:,}]|\b\w*STT\b|\bSttService\b/;

const LANGUAGE = /\blanguage\s*:\s*["']([a-z]{2,3}(?:-(?:[A-Za-z]{2,4}|\d{3}))*)["']/g;
/** What a language is given to, the most telling first: the conversation, then ears. */
const SPEAKS = [
  /^(converse|Conversation|LLMContext|setLanguage)$/,
  /STT$|^(deepgram|assemblyai|transcription|transcriptionEnabled)$/i,
];

/** What stands in the code of a bot that uses a provider. */
const SIGNS: Readonly<Record<VendorName, RegExp>> = {
  deepgram: /["']@ai-sdk\/deepgram["']|\bDeepgram(STT|TTS)\b|\bDEEPGRAM_API_KEY\b|\bdeepgram(Voice)?\s*\(/,
  cartesia: /\bCartesiaTTS\b|\bCARTESIA_API_KEY\b|\bcartesia\s*\(/,
  elevenlabs: /["']@ai-sdk\/elevenlabs["']|\bElevenLabsTTS\b|\bELEVENLABS_API_KEY\b|\belevenlabs\s*\(/,
  openai: /["']@ai-sdk\/openai["']|\bOPENAI_API_KEY\b/,
  anthropic: /["']@ai-sdk\/anthropic["']|\bANTHROPIC_API_KEY\b/,
  xai: /["']@ai-sdk\/xai["']|\bXAI_API_KEY\b/,
  groq: /["']@ai-sdk\/groq["']|\bGROQ_API_KEY\b/,
  assemblyai: /["']@ai-sdk\/assemblyai["']|\bASSEMBLYAI_API_KEY\b/,
  google: /["']@ai-sdk\/google["']|\bGOOGLE_GENERATIVE_AI_API_KEY\b/,
};

/** The names that `requireKeys` is called with. */
const REQUIRED = /\brequireKeys\s*\(([^)]*)\)/g;

/**
 * Reads the bot's own files, as far as they are compiled into `source`; packages it imports are not looked into. A name that
 * the code puts together while it runs is not seen.
 */
export function usesOf({ file, code = readFileSync(file, 'utf8') }: BotSource): BotUses {
  const required = [...code.matchAll(REQUIRED)].map(([, names]) => names).join();
  const isRequired = (name: string) => new RegExp(`["']${name}["']`).test(required);
  const names = Object.keys(SIGNS) as VendorName[];
  return {
    operator: OPERATOR.test(code),
    wholeAnswerVoice: WHOLE_ANSWER_VOICE.test(code),
    providers: names.filter((name) => SIGNS[name].test(code) || isRequired(name)),
    transcription: TRANSCRIPTION.test(code) ? (OWN_EARS.test(code) ? 'events' : 'ears') : undefined,
    language: languageIn(code),
  };
}

function languageIn(code: string): string | undefined {
  const named = [...code.matchAll(LANGUAGE)].map(({ 1: language, index }) => ({ language, to: givenTo(code, index) }));
  const found = SPEAKS.map((names) => named.find(({ to }) => names.test(to))).find(Boolean);
  return (found ?? named[0])?.language;
}

const CALLED = /([\w$]+)\s*$/;
const OPTION = /([\w$]+)\s*:\s*$/;

/** What is called with the options that stand at that place, or the option that they are; empty where there is nothing of the kind. */
function givenTo(code: string, index: number): string {
  let depth = 0;
  for (let at = index - 1; at >= 0; at -= 1) {
    const sign = code[at] as string;
    if (')}'.includes(sign)) depth += 1;
    if (!'({'.includes(sign)) continue;
    depth -= 1;
    if (depth >= 0) continue;
    const [, name] = (sign === '(' ? CALLED : OPTION).exec(code.slice(Math.max(0, at - 60), at)) ?? [];
    if (name) return name;
    depth = 0;
  }
  return '';
}
