/** A carrier at which a bot places calls: has pairs of people talk to each other through it, and measures how they hear each other. */
import { EventEmitter, once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { PhoneCall } from '../../src/sandbox/network/call.js';
import { botIsReady } from '../processes/bot-is-ready.js';
import { BenchCarrier, type StreamPlace } from '../processes/carrier.js';
import { Metronome } from '../processes/metronome.js';
import { answer } from '../processes/questions.js';
import { percentile } from '../statistics.js';
import { FarEnd, SpokenMeasurements } from './far-end.js';
import { UnsteadyTalk } from './unsteady-talk.js';

/** Time for what is still on its way at the end of a measurement, in milliseconds. */
const LATE_MS = 500;
/** How long a placed call rings: the other one hears music meanwhile. */
const RING_MS = 200;
/** Between the beginnings of two calls, in milliseconds: callers do not all come at the same instant. */
const BETWEEN_CALLS_MS = 10;
/** Who is on an unsteady line: clocks differ by 200 parts per million, and frames are late by up to 60 ms. */
const CLOCK_RATES = [1 + 100e-6, 1 - 100e-6] as const;
const JITTER_MS = 60;
/** From the beginning of a call until it is measured there, in milliseconds. */
const SETTLED_MS = 5_000;
/** How long the beginning of a pair's talk is. */
const BEGINNING_MS = 1_000;

const carrier = new BenchCarrier();
const phones = new EventEmitter<{ placed: [call: PhoneCall] }>();
const api = carrier.openApi((call) => phones.emit('placed', call));

let farEnds: FarEnd[] = [];
let metronome: Metronome | undefined;
let talks: UnsteadyTalk[] = [];
/** Of each pair. */
let beginnings: SpokenMeasurements[] = [];
/** Ends each call at the runner, as the carrier does when the stream has closed. */
let hangUps: Array<() => Promise<void>> = [];

/** Milliseconds. */
export interface Delays {
  readonly p50: number;
  readonly p95: number;
}

export interface FarEndsResult {
  readonly sentFrames: number;
  readonly cameFrames: number;
  /** From when a frame was sent at one far end until it has come at the other. */
  readonly delay: Delays;
  /** … until it begins to be played there. */
  readonly heardDelay: Delays;
  /** The same of what was said in the first second of each pair's talk. */
  readonly firstHeardDelay: Delays;
  readonly untouched: number;
  readonly altered: number;
}

/** What the time on an unsteady line was like, for each of the two who talk. */
export interface UnsteadyResult {
  readonly sentFrames: number;
  readonly cameFrames: number;
  /** Until it was heard by the other one, in the first tenth of the time and in the last. */
  readonly first: Delays;
  readonly last: Delays;
}

const questions = {
  apiUrl: (): Promise<string> => api,

  /** Pairs who talk through the server at an address. */
  async connect(url: string, pairs: number): Promise<void> {
    metronome = new Metronome(farEnds, 2 * pairs);
    for (let pair = 0; pair < pairs; pair += 1) {
      join(await open(carrier.callAt(`${url}/${pair}`)), await open(carrier.callAt(`${url}/${pair}`)));
      await delay(BETWEEN_CALLS_MS);
    }
  },

  /** Callers of a bot, each of whom hears themselves. */
  async dial(runnerUrl: string, calls: number): Promise<void> {
    metronome = new Metronome(farEnds, calls);
    for (let call = 0; call < calls; call += 1) {
      farEnds.push(await callIn(runnerUrl));
      await botIsReady(runnerUrl);
    }
  },

  /** Callers of a bot that connects each of them with another one, whom it calls. */
  async dialBridged(runnerUrl: string, calls: number): Promise<void> {
    metronome = new Metronome(farEnds, 2 * calls);
    for (let call = 0; call < calls; call += 1) {
      join(...(await bridgedPair(runnerUrl)));
      await botIsReady(runnerUrl);
    }
  },

  async measure(windowMs: number): Promise<FarEndsResult> {
    const begun = beginnings.flatMap((one) => one.heardDelays);
    const measurements = farEnds.map((farEnd) => begin(farEnd, windowMs));
    await delay(windowMs + LATE_MS);
    end();
    const delays = measurements.flatMap((one) => one.delays);
    const sum = (value: (one: SpokenMeasurements) => number) => measurements.reduce((all, one) => all + value(one), 0);
    return {
      sentFrames: sum((one) => one.sentFrames),
      cameFrames: delays.length,
      delay: delaysOf(delays),
      heardDelay: delaysOf(measurements.flatMap((one) => one.heardDelays)),
      firstHeardDelay: delaysOf(begun),
      untouched: sum((one) => one.untouched),
      altered: sum((one) => one.altered),
    };
  },

  /** One call, bridged, on an unsteady line. */
  async unsteady(runnerUrl: string, forMs: number): Promise<UnsteadyResult[]> {
    join(...(await bridgedPair(runnerUrl, CLOCK_RATES)));
    talks = farEnds.map((farEnd) => new UnsteadyTalk(farEnd, JITTER_MS));
    await delay(SETTLED_MS);
    const measurements = farEnds.map((farEnd) => begin(farEnd, forMs));
    await delay(forMs + LATE_MS);
    end();
    await questions.hangUp();
    return measurements.map(({ sentFrames, heardDelays }) => ({
      sentFrames,
      cameFrames: heardDelays.length,
      first: delaysOf(heardDelays.slice(0, heardDelays.length / 10)),
      last: delaysOf(heardDelays.slice(-heardDelays.length / 10)),
    }));
  },

  async hangUp(): Promise<void> {
    metronome?.stop();
    for (const talk of talks) talk.stop();
    await Promise.all(farEnds.map((farEnd) => farEnd.close()));
    await Promise.all(hangUps.map((tell) => tell()));
    [farEnds, hangUps, talks, beginnings] = [[], [], [], []];
  },
};
export type FarEnds = typeof questions;

answer(questions);

const delaysOf = (values: readonly number[]): Delays => ({
  p50: percentile(values, 0.5),
  p95: percentile(values, 0.95),
});

async function open(place: StreamPlace, clockRate?: number): Promise<FarEnd> {
  const farEnd = new FarEnd(place, clockRate);
  await farEnd.opened;
  return farEnd;
}

async function callIn(runnerUrl: string, clockRate?: number): Promise<FarEnd> {
  const { place } = await carrier.call(runnerUrl);
  const farEnd = await open(place, clockRate);
  hangUps.push(() => carrier.hangUp(runnerUrl, place.call));
  return farEnd;
}

/** A caller, and who is called for them. */
async function bridgedPair(
  runnerUrl: string,
  [callersClock, colleaguesClock]: readonly number[] = [],
): Promise<[FarEnd, FarEnd]> {
  const placed = once(phones, 'placed') as Promise<[PhoneCall]>;
  const caller = await callIn(runnerUrl, callersClock);
  const [call] = await placed;
  await delay(RING_MS);
  const colleague = await open(await carrier.answer(call), colleaguesClock);
  hangUps.push(() => carrier.hangUp(runnerUrl, call));
  return [caller, colleague];
}

function join(one: FarEnd, other: FarEnd): void {
  [one.hears, other.hears] = [other, one];
  farEnds.push(one, other);
  beginnings.push(begin(one, BEGINNING_MS), begin(other, BEGINNING_MS));
}

function begin(farEnd: FarEnd, windowMs: number): SpokenMeasurements {
  const measured = new SpokenMeasurements(windowMs);
  farEnd.measurements = measured;
  return measured;
}

function end(): void {
  for (const farEnd of farEnds) farEnd.measurements = undefined;
  const ended = farEnds.filter((farEnd) => !farEnd.isOpen).length;
  if (ended > 0) throw new Error(`${ended} of ${farEnds.length} calls have ended`);
}
