import { PHONE_RATE } from '../base/audio/line/phone-rate.js';
import { decodeMulaw } from '../base/audio/mulaw.js';
import { speakWithFlite } from '../bot/services/tts/flite-thread.js';
import type { PhoneNetworkAccess } from '../runner/http/phone-routes.js';
import { CALLER_NUMBERS, RINGABLE_NUMBERS } from '../sandbox/network/numbers.js';
import { phoneAddress } from '../sandbox/network/phone-wire.js';
import { CALLEE_NUMBERS } from '../sandbox/network/scripted-phones.js';
import { SandboxSpeech } from '../sandbox/network/speech.js';
import type { SandboxProcess } from './sandbox-process.js';

const SPEECH_LIMIT_MS = 20_000;

/** What the page's phone needs of the sandbox. */
export function phoneNetworkOf({ url, phoneToken }: Pick<SandboxProcess, 'url' | 'phoneToken'>): PhoneNetworkAccess {
  return {
    address: phoneAddress(url, phoneToken),
    callers: CALLER_NUMBERS,
    numbers: RINGABLE_NUMBERS,
    callees: CALLEE_NUMBERS,
    speak,
  };
}

/** @throws VoicebotError VB_CONFIG_INVALID when neither flite nor espeak-ng is here */
async function speak(text: string): Promise<Int16Array> {
  try {
    return await speakWithFlite(text, PHONE_RATE);
  } catch (error) {
    const audio = await new SandboxSpeech().speak(text, 'en-US', AbortSignal.timeout(SPEECH_LIMIT_MS));
    if (audio) return decodeMulaw(audio);
    throw error;
  }
}
