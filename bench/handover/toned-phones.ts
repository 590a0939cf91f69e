/** A carrier, and three who each say a tone of their own. */
import { EventEmitter, once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { PhoneCall } from '../../src/sandbox/network/call.js';
import { BenchCarrier } from '../processes/carrier.js';
import { Metronome } from '../processes/metronome.js';
import { answer } from '../processes/questions.js';
import { type HeardStep, TonedPhone } from './toned-phone.js';

/** How long a placed call rings, in milliseconds: the caller hears the sound of the hold meanwhile. */
const RING_MS = 1_500;
const HERTZ = { caller: 300, colleague: 350, third: 430 } as const;
/** 200 ms: for the caller, that would be late from then on. */
const BURST_FRAMES = 10;

const carrier = new BenchCarrier();
const calls = new EventEmitter<{ placed: [call: PhoneCall] }>();
const api = carrier.openApi((call) => calls.emit('placed', call));

const phones: TonedPhone[] = [];
const metronome = new Metronome(phones, Object.keys(HERTZ).length);
const hangUps: Array<() => Promise<void>> = [];

const questions = {
  apiUrl: (): Promise<string> => api,

  /** A bot is called, which calls the other two. */
  async dial(runnerUrl: string): Promise<void> {
    let placed = once(calls, 'placed') as Promise<[PhoneCall]>;
    const { place } = await carrier.call(runnerUrl);
    await pickUp(new TonedPhone(place, HERTZ.caller));
    hangUps.push(() => carrier.hangUp(runnerUrl, place.call));
    for (const hertz of [HERTZ.colleague, HERTZ.third]) {
      const [call] = await placed;
      placed = once(calls, 'placed') as Promise<[PhoneCall]>;
      await delay(RING_MS);
      await pickUp(new TonedPhone(await carrier.answer(call), hertz));
      hangUps.push(() => carrier.hangUp(runnerUrl, call));
    }
  },

  /** The colleague's line delivers a burst. */
  burst(): void {
    phones[1]?.sayAhead(BURST_FRAMES);
  },

  /** @returns what the caller has heard, and the colleague, and hangs up */
  async heard(): Promise<HeardStep[][]> {
    metronome.stop();
    const steps = phones.map((phone) => phone.steps);
    await Promise.all(phones.map((phone) => phone.close()));
    await Promise.all(hangUps.map((hangUp) => hangUp()));
    return steps;
  },
};
export type TonedPhones = typeof questions;

answer(questions);

async function pickUp(phone: TonedPhone): Promise<void> {
  await phone.opened;
  phones.push(phone);
}
