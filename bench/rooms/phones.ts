/** The callers of the bench. */
import { setTimeout as delay } from 'node:timers/promises';
import { EchoMeasurements, type EchoResult, echoOf } from '../processes/echo.js';
import type { PhoneNetworkAddress } from '../processes/phone-network.js';
import { answer } from '../processes/questions.js';
import type { Hearing } from './burst-hearing.js';
import { Caller, type CallTimes } from './caller.js';
import { BurstVoice, type CallerVoice, StampedVoice } from './caller-voice.js';

/** Time for what is still on its way at the end of a measurement, in milliseconds. */
const LATE_MS = 500;

let callers: Caller[] = [];
let voices: CallerVoice[] = [];

const bursting = () => voices.filter((voice) => voice instanceof BurstVoice);

async function hangUp(): Promise<void> {
  await Promise.all(callers.map((caller) => caller[Symbol.asyncDispose]()));
  callers = [];
  voices = [];
}

const questions = {
  /** One call, up to the bot's first audio. */
  async firstAudio(network: PhoneNetworkAddress): Promise<CallTimes> {
    await using caller = await Caller.call(network, true, new StampedVoice());
    await caller.hearsBot();
    return caller.times as CallTimes;
  },

  /** Places one call that goes on; resolves when its bot is heard. */
  async call(network: PhoneNetworkAddress, hasMelody: boolean, says: 'speech' | 'bursts' = 'speech'): Promise<void> {
    const voice = says === 'bursts' ? new BurstVoice(voices.length + 1) : new StampedVoice();
    const caller = await Caller.call(network, hasMelody, voice);
    callers.push(caller);
    voices.push(voice);
    await caller.hearsBot();
  },

  /** The caller on the phone hears the next bot. @returns when, on the clock that all processes have in common, in milliseconds */
  async nextBot(): Promise<number> {
    const [caller] = callers;
    if (!caller) throw new Error('no caller is on the phone');
    caller.listenAgain();
    return caller.hearsBot();
  },

  async measure(windowMs: number): Promise<EchoResult> {
    const stamped = voices.filter((voice) => voice instanceof StampedVoice);
    const measurements = stamped.map(({ speech }) => {
      const measured = new EchoMeasurements(windowMs);
      speech.measurements = measured;
      return measured;
    });
    await delay(windowMs + LATE_MS);
    return echoOf(measurements);
  },

  /** Everybody says bursts for so long. */
  async sayBursts(windowMs: number): Promise<void> {
    for (const voice of bursting()) voice.begin(windowMs);
    await delay(windowMs);
  },

  /** Everybody hangs up. @returns what has come back of their bursts */
  async echoes(): Promise<Hearing[]> {
    await delay(LATE_MS);
    const all = bursting();
    await hangUp(); // finding them takes so long that the sandbox would give the phones up
    return all.map((voice) => voice.echo());
  },

  hangUp,
};
export type Phones = typeof questions;

answer(questions);
