/** The callers of the bench. */
import { setTimeout as delay } from 'node:timers/promises';
import { answer } from '../processes/questions.js';
import { percentile } from '../statistics.js';
import type { PhoneNetworkAddress } from './account.js';
import { Caller, type CallTimes } from './caller.js';

/** Time for what is still on its way at the end of a measurement, in milliseconds. */
const LATE_MS = 500;

let callers: Caller[] = [];

export interface EchoResult {
  sentFrames: number;
  echoedFrames: number;
  /** Milliseconds. */
  delay: { p50: number; p99: number };
}

const questions = {
  /** One call, up to the bot's first audio. */
  async firstAudio(network: PhoneNetworkAddress): Promise<CallTimes> {
    await using caller = await Caller.call(network, true);
    await caller.hearsBot();
    return caller.times as CallTimes;
  },

  /** Places one call that goes on; resolves when its bot is heard. */
  async call(network: PhoneNetworkAddress, hasMelody: boolean): Promise<void> {
    const caller = await Caller.call(network, hasMelody);
    callers.push(caller);
    await caller.hearsBot();
  },

  /** Whoever is on the phone hears the next bot. @returns when, in milliseconds since the epoch */
  async nextBot(): Promise<number> {
    const [caller] = callers;
    if (!caller) throw new Error('nobody is on the phone');
    caller.listenAgain();
    return caller.hearsBot();
  },

  async measure(windowMs: number): Promise<EchoResult> {
    const measurements = callers.map((caller) => caller.measure(windowMs));
    await delay(windowMs + LATE_MS);
    const delays = measurements.flatMap(({ echoDelays }) => echoDelays);
    return {
      sentFrames: measurements.reduce((sum, { sentFrames }) => sum + sentFrames, 0),
      echoedFrames: delays.length,
      delay: { p50: percentile(delays, 0.5), p99: percentile(delays, 0.99) },
    };
  },

  async hangUp(): Promise<void> {
    await Promise.all(callers.map((caller) => caller[Symbol.asyncDispose]()));
    callers = [];
  },
};
export type Phones = typeof questions;

answer(questions);
