import { once } from 'node:events';
import type { PhoneClient } from '../../src/sandbox/network/phone-client.js';
import { commonNow } from '../processes/clock.js';
import { dist } from '../processes/dist.js';
import type { PhoneNetworkAddress } from '../processes/phone-network.js';
import { phoneToken } from './account.js';
import type { CallerVoice } from './caller-voice.js';

const phoneModule = await dist<typeof import('../../src/sandbox/network/phone-client.js')>(
  'sandbox/network/phone-client.js',
);
const { mulawLevelDb } = await dist<typeof import('../../src/base/audio/mulaw.js')>('base/audio/mulaw.js');
const { withDeadline } = await dist<typeof import('../../src/base/async/deadline.js')>('base/async/deadline.js');
const { deferred } = await dist<typeof import('../../src/base/async/deferred.js')>('base/async/deferred.js');

/** Longest wait for the bot, in milliseconds. */
const AUDIO_LIMIT_MS = 20_000;
/** Frames below this level are silence, in decibels. */
const AUDIBLE_DB = -50;

/** When what happened at a phone, on the clock that all processes have in common, in milliseconds. */
export interface CallTimes {
  answered: number;
  webhookAnswered: number;
  forwarded: number;
  firstAudio: number;
}

/** A caller with a telephone of the phone network. */
export class Caller implements AsyncDisposable {
  readonly times: Partial<CallTimes> = {};
  #phone: PhoneClient | undefined;
  #heard = deferred<number>();
  #isListening = true;

  /** @param hasMelody what is heard before the call is forwarded is not the bot */
  static async call({ url, number }: PhoneNetworkAddress, hasMelody: boolean, voice: CallerVoice): Promise<Caller> {
    const caller = new Caller(hasMelody, voice);
    const exchange = (heard: Uint8Array) => caller.#exchange(heard);
    const phone = await phoneModule.PhoneClient.connect({ url, token: phoneToken, exchange });
    caller.#phone = phone;
    phone.on('answered', () => {
      caller.times.answered = commonNow();
    });
    phone.on('progress', ({ hop, ok, text }) => {
      if (!ok) console.error(text);
      if (hop === 'webhook') caller.times.webhookAnswered = commonNow();
      if (hop === 'forward') caller.times.forwarded = commonNow();
    });
    phone.dial({ from: '+12025550142', to: number });
    return caller;
  }

  private constructor(
    private readonly hasMelody: boolean,
    private readonly voice: CallerVoice,
  ) {}

  /** Resolves when the bot is heard, with when that was. */
  async hearsBot(): Promise<number> {
    return withDeadline(this.#heard.promise, AUDIO_LIMIT_MS, () => new Error('the bot was not heard'));
  }

  /** The bot is silent; what is heard next is another one. */
  listenAgain(): void {
    this.#heard = deferred();
    this.#isListening = true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const phone = this.#phone;
    if (!phone) return;
    const ended = once(phone, 'ended');
    phone.hangUp();
    await ended;
    await phone.close();
  }

  #exchange(heard: Uint8Array): Uint8Array {
    if (this.#isListening) this.#listen(heard);
    return this.voice.exchange(heard);
  }

  #listen(heard: Uint8Array): void {
    const { answered, forwarded } = this.times;
    if ((this.hasMelody ? forwarded : answered) === undefined) return;
    if (mulawLevelDb(heard) < AUDIBLE_DB) return;
    this.#isListening = false;
    const at = commonNow();
    this.times.firstAudio ??= at;
    this.#heard.resolve(at);
  }
}
