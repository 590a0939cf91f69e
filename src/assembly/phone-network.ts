import { timeLimit } from '../base/async/time-limit.js';
import { PHONE_RATE } from '../base/audio/line/phone-rate.js';
import { decodeMulaw } from '../base/audio/mulaw.js';
import { speakWithFlite } from '../bot/services/tts/flite-thread.js';
import type { Environment } from '../config/environment.js';
import type { CarrierName } from '../providers/registry/carrier-names.js';
import type { LocalNetwork } from '../runner/calls/local-calls.js';
import type { PhoneNetworkAccess } from '../runner/http/phone-routes.js';
import { CALLER_NUMBERS, FIRST_NUMBER, RINGABLE_NUMBERS } from '../sandbox/network/numbers.js';
import { phoneAddress } from '../sandbox/network/phone-wire.js';
import { CALLEE_NUMBERS } from '../sandbox/network/scripted-phones.js';
import { SandboxSpeech } from '../sandbox/network/speech.js';
import { sandboxAccount } from './account.js';
import { pointSandboxNumber } from './sandbox-number.js';
import { type SandboxProcess, startSandboxProcess } from './sandbox-process.js';

const SPEECH_LIMIT_MS = 20_000;

/** What the page's phone needs of the sandbox. */
export function phoneNetworkOf({ url, phoneToken }: Pick<SandboxProcess, 'url' | 'phoneToken'>): PhoneNetworkAccess {
  return { ...PHONES, address: async () => phoneAddress(url, phoneToken), isLocalOnly: false };
}

const PHONES = {
  callers: CALLER_NUMBERS,
  numbers: RINGABLE_NUMBERS,
  callees: CALLEE_NUMBERS,
  speak,
};

/**
 * A sandbox beside an account, for the page's phone: with credentials that no other program knows, and started with the first call.
 * @param carrier what it plays, so that the bot's streams speak the wire of its account
 */
export const localNetworkOf = (environment: Environment, carrier: CarrierName): LocalNetwork => ({
  ...PHONES,
  number: FIRST_NUMBER,
  async start() {
    const sandbox = await startSandboxProcess(environment, { carrier, isVerbose: false, expectsRooms: false });
    const account = sandboxAccount(sandbox, 'carrier');
    if (account.kind !== 'carrier') throw new Error('the sandbox plays no carrier');
    const { carrier: played, credentials } = account;
    return {
      address: phoneAddress(sandbox.url, sandbox.phoneToken),
      access: { kind: 'carrier', carrier: played, credentials, machineDetection: 'off' },
      point: async (urls) => void (await pointSandboxNumber(account, sandbox.number, urls, undefined)),
      ended: sandbox.ended,
      stop: () => sandbox.stop(),
    };
  },
});

/** @throws VoicebotError VB_CONFIG_INVALID when neither flite nor espeak-ng is here */
async function speak(text: string): Promise<Int16Array> {
  try {
    return await speakWithFlite(text, PHONE_RATE);
  } catch (error) {
    const audio = await new SandboxSpeech().speak(text, 'en-US', timeLimit(SPEECH_LIMIT_MS));
    if (audio) return decodeMulaw(audio);
    throw error;
  }
}
