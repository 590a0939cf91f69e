import { dist } from '../processes/dist.js';
import { BURST_MS, BURST_RMS, burst, FADE_MS } from './bursts.js';

const { Biquad } = await dist<typeof import('../../src/base/audio/biquad.js')>('base/audio/biquad.js');

/** What is heard at once, in milliseconds. */
const FRAME_MS = 20;
/** The longest delay that is looked for, in milliseconds. */
const LONGEST_DELAY_MS = 2_000;
/** A burst is where the one before was, give or take this, or anywhere, in milliseconds. */
const NEAR_MS = 50;
/** What is at least as like what was said as this is the same, 0 to 1. */
const SAME_BURST = 0.3;
const SAME_PIECE = 0.5;
/** To find a whole burst, every so manieth sample is enough. */
const STRIDE = 4;
/** In these pieces is looked for what is missing, in milliseconds; and in so many of them for where a burst goes on that has been shifted. */
const PIECE_MS = 5;
const PIECES_TO_FIND = 4;

/** Where nothing of a burst is, as a part of the sample rate, and how much of one must be there to be a click, as a part of its level. */
const CLICK_BAND = 0.35;
const CLICK_LEVEL = 0.01;
const CLICK_FILTERS = 4;
/** What follows within this is the same click, in milliseconds. */
const ONE_CLICK_MS = 5;

/** What one side has said. */
export interface SaidBursts {
  readonly seed: number;
  /** When each began, in milliseconds. */
  readonly startedAt: readonly number[];
}

/** What one side has heard. */
export interface Recording {
  readonly pcm: Int16Array;
  /** When each 20 ms of it were heard, in milliseconds of the same clock. */
  readonly heardAt: readonly number[];
  /** In hertz. */
  readonly sampleRate: number;
}

export interface HeardBurst {
  /** When it began. */
  readonly startedAt: number;
  /** From then until it was heard. */
  readonly delayMs: number;
  /** How much of it was not heard, or not as it was said. */
  readonly missingMs: number;
  /** How much else was heard in its middle. */
  readonly insertedMs: number;
}

export interface Hearing {
  readonly bursts: readonly HeardBurst[];
  /** Bursts that were not heard. */
  readonly lost: number;
  /** Jumps of the sound: in the bursts, and in the pauses between them. */
  readonly clicks: number;
  readonly pauseClicks: number;
}

/** Finds in what was heard what was said. */
export function hearBursts({ seed, startedAt }: SaidBursts, recording: Recording): Hearing {
  const { pcm, sampleRate } = recording;
  const bursts: HeardBurst[] = [];
  const places: number[] = [];
  let lastDelayMs: number | undefined;
  for (const [index, at] of startedAt.entries()) {
    const said = burst(seed, index, sampleRate);
    const near =
      lastDelayMs === undefined ? undefined : search(said, recording, at + lastDelayMs - NEAR_MS, 2 * NEAR_MS);
    const found = near ?? search(said, recording, at, LONGEST_DELAY_MS);
    if (found === undefined) continue;
    places.push(found);
    lastDelayMs = timeOf(found, recording) - at;
    bursts.push({ startedAt: at, delayMs: lastDelayMs, ...wholeness(said, pcm, found, sampleRate) });
  }
  return { bursts, lost: startedAt.length - bursts.length, ...clicks(pcm, places, sampleRate) };
}

const frameLength = (sampleRate: number): number => (sampleRate * FRAME_MS) / 1_000;

/** When a sample was heard. */
function timeOf(index: number, { heardAt, sampleRate }: Recording): number {
  const frame = Math.floor(index / frameLength(sampleRate));
  return (heardAt[frame] ?? Number.NaN) + ((index % frameLength(sampleRate)) * 1_000) / sampleRate;
}

/** The first sample that was not heard before `time`. */
function indexAt(time: number, { heardAt, sampleRate }: Recording): number {
  const next = heardAt.findIndex((at) => at >= time);
  const frame = next === -1 ? heardAt.length : next;
  return frame * frameLength(sampleRate);
}

/** @returns where it begins; undefined when it is not there */
function search(said: Int16Array, recording: Recording, fromMs: number, lengthMs: number): number | undefined {
  const { pcm, sampleRate } = recording;
  const from = indexAt(fromMs, recording);
  const to = Math.min(from + (lengthMs * sampleRate) / 1_000, pcm.length - said.length);
  const best = mostLike(said, pcm, from, to, STRIDE);
  return best.likeness >= SAME_BURST ? best.at : undefined;
}

interface Likeness {
  readonly at: number;
  /** Normalised correlation: 1 for the same at any level, 0 for something else. */
  readonly likeness: number;
}

/** Where between two places in `heard` it is most like `said`. */
function mostLike(said: Int16Array, heard: Int16Array, from: number, to: number, stride = 1): Likeness {
  let best: Likeness = { at: from, likeness: 0 };
  for (let at = Math.max(0, from); at <= Math.min(to, heard.length - said.length); at += 1) {
    const likeness = likenessAt(said, heard, at, stride);
    if (likeness > best.likeness) best = { at, likeness };
  }
  return best;
}

function likenessAt(said: Int16Array, heard: Int16Array, at: number, stride = 1): number {
  let product = 0;
  let saidEnergy = 0;
  let heardEnergy = 0;
  for (let n = 0; n < said.length; n += stride) {
    const a = said[n] as number;
    const b = heard[at + n] ?? 0;
    product += a * b;
    saidEnergy += a * a;
    heardEnergy += b * b;
  }
  return heardEnergy === 0 ? 0 : product / Math.sqrt(saidEnergy * heardEnergy);
}

/** Follows a burst piece by piece from where it was found. */
function wholeness(said: Int16Array, heard: Int16Array, foundAt: number, sampleRate: number) {
  const samples = (ms: number) => (ms * sampleRate) / 1_000;
  const isHeardAt = (at: number, shift: number) =>
    likenessAt(said.subarray(at, at + samples(PIECE_MS)), heard, at + shift) >= SAME_PIECE;
  let shift = foundAt; // where most of it is: it may have begun elsewhere
  let hasBegun = false;
  let missingMs = 0;
  let insertedMs = 0;
  for (let at = samples(FADE_MS); at < said.length - samples(FADE_MS); at += samples(PIECE_MS)) {
    if (isHeardAt(at, shift)) {
      hasBegun = true;
      continue;
    }
    const longer = said.subarray(at, at + samples(PIECES_TO_FIND * PIECE_MS));
    const found = mostLike(longer, heard, at + shift - samples(NEAR_MS), at + shift + samples(NEAR_MS));
    if (found.likeness >= SAME_PIECE) {
      if (hasBegun) insertedMs += Math.max(0, ((found.at - at - shift) * 1_000) / sampleRate);
      shift = found.at - at;
    }
    if (isHeardAt(at, shift)) hasBegun = true;
    else missingMs += PIECE_MS;
  }
  return { missingMs, insertedMs };
}

function clicks(pcm: Int16Array, bursts: readonly number[], sampleRate: number) {
  const length = (sampleRate * BURST_MS) / 1_000;
  const all = clicksIn(pcm, sampleRate);
  const within = all.filter((at) => bursts.some((start) => at >= start && at < start + length));
  return { clicks: within.length, pauseClicks: all.length - within.length };
}

/** Where the sound jumps, as it does where a piece of it was left out or put in. Needs 16 000 Hz: see {@link burst}. */
export function clicksIn(pcm: Int16Array, sampleRate: number): number[] {
  const filters = Array.from({ length: CLICK_FILTERS }, () => Biquad.highPass(CLICK_BAND * sampleRate, sampleRate));
  const apart = (ONE_CLICK_MS * sampleRate) / 1_000;
  const found: number[] = [];
  let lastAt = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < pcm.length; at += 1) {
    const rest = filters.reduce((sample, filter) => filter.filter(sample), pcm[at] as number);
    if (Math.abs(rest) < CLICK_LEVEL * BURST_RMS) continue;
    if (at - lastAt > apart) found.push(at);
    lastAt = at;
  }
  return found;
}
