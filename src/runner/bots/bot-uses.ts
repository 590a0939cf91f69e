import { readFileSync } from 'node:fs';
import type { VendorName } from '../../bot/services/vendor.js';
import type { BotSource } from './bot-source.js';

/** What a bot needs from outside, as far as its code tells. */
export interface BotUses {
  /** It transfers callers to `OPERATOR_NUMBER`. */
  readonly operator: boolean;
  /** Speech and model providers whose services it has, or whose keys it asks for. */
  readonly providers: readonly VendorName[];
}

const OPERATOR =
  /\bOPERATOR_NUMBER\b|\btransferTo\s*\(\s*undefined\b|\.transfer\s*\(\s*\)|\boperatorNumber\s*\(\s*\)|\bsipCallTransfer\s*\(\s*(\{\s*\})?\s*\)/;

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
    providers: names.filter((name) => SIGNS[name].test(code) || isRequired(name)),
  };
}
