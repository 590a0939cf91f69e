/** One who speaks, and one who hears them by way of a bot: what waits on the way, over an hour of a clock that does not wait. */
import type { CurrentStream, StreamListener } from '../../src/bot/transports/stream/current-stream.js';
import { randomNumbers } from '../hearing/random.js';
import { FRAME_MS } from '../processes/carrier-stream.js';
import { dist } from '../processes/dist.js';
import { answer } from '../processes/questions.js';
import { percentile } from '../statistics.js';

const { StreamEar } = await dist<typeof import('../../src/bot/transports/stream/stream-ear.js')>(
  'bot/transports/stream/stream-ear.js',
);

const RATE = 8_000;
const FRAME = (RATE * FRAME_MS) / 1_000;
/** On the way to the listener and back, in milliseconds. */
const WAY_MS = 40;
const MINUTE_FRAMES = 60_000 / FRAME_MS;
/** A voice pauses for 15 frames out of so many. */
const TURN_FRAMES = 200;
const PAUSE_FRAMES = 15;

export interface HourOptions {
  /** How far each clock is from ours, in parts per million. */
  readonly speakerPpm: number;
  readonly listenerPpm: number;
  /** By how much a frame may be late, in milliseconds. */
  readonly jitterMs: number;
  readonly minutes: number;
  /** All is passed on as it comes, and no more: a bot that does nothing about what waits. */
  readonly isBare: boolean;
}

export interface HourResult {
  /** From when a frame was spoken until it is heard, in milliseconds: in the first minute and in the last. */
  readonly first: { readonly p50: number; readonly p95: number };
  readonly last: { readonly p50: number; readonly p95: number };
  readonly leftOut: number;
  /** For how long the listener had nothing to hear, in milliseconds. */
  readonly silentMs: number;
}

let now = 0;

/** A far end that plays what it is sent by a clock of its own, and gives marks back. */
class Listener {
  readonly listeners = new Set<StreamListener>();
  readonly wireRate = RATE;
  readonly pressesKeys = true;
  waitingMs = 0;
  silentMs = 0;
  frames = 0;
  #marks: Array<{ readonly name: string; behindMs: number; backAt: number }> = [];
  #playedTo = now;

  constructor(
    private readonly clockRate: number,
    private readonly back: (name: string) => void,
  ) {}

  get stream(): CurrentStream {
    return this as unknown as CurrentStream;
  }

  sampleRate = () => RATE;
  isOpen = () => true;
  isCongested = () => false;
  takes = () => true;
  sendClear() {}
  sendDtmf() {}

  sendMark(name: string): void {
    this.#marks.push({ name, behindMs: this.waitingMs, backAt: Number.POSITIVE_INFINITY });
  }

  sendPayload(_payload: Uint8Array, pcm: Int16Array): void {
    this.frames += 1;
    this.waitingMs += (pcm.length * 1_000) / RATE;
  }

  sendAudio(pcm: Int16Array): void {
    this.sendPayload(new Uint8Array(0), pcm);
  }

  /** It is later. */
  play(): void {
    const wantedMs = (now - this.#playedTo) * this.clockRate;
    const playedMs = Math.min(this.waitingMs, wantedMs);
    this.#playedTo = now;
    this.waitingMs -= playedMs;
    this.silentMs += wantedMs - playedMs;
    for (const mark of this.#marks) {
      mark.behindMs -= playedMs;
      if (mark.behindMs <= 0) mark.backAt = Math.min(mark.backAt, now + WAY_MS);
    }
    const back = this.#marks.filter(({ backAt }) => backAt <= now);
    this.#marks = this.#marks.filter(({ backAt }) => backAt > now);
    for (const { name } of back) this.back(name);
  }
}

const voice = Int16Array.from({ length: FRAME }, (_, at) =>
  Math.round(9_000 * Math.sin((2 * Math.PI * 200 * at) / RATE)),
);
const quiet = new Int16Array(FRAME);
const payload = new Uint8Array(FRAME);

function live({ speakerPpm, listenerPpm, jitterMs, minutes, isBare }: HourOptions): HourResult {
  now = 1_000;
  const random = randomNumbers(1);
  const speaker = new Listener(1, () => {});
  const listener = new Listener(1 + listenerPpm / 1e6, (name) => ear.markPlayed(name));
  const ear = new StreamEar(listener.stream);
  ear.hear([speaker.stream]);
  const frames = minutes * MINUTE_FRAMES;
  const delays: number[] = [];
  for (let frame = 0; frame < frames; frame += 1) {
    const spokenAt = 1_000 + (frame * FRAME_MS) / (1 + speakerPpm / 1e6);
    now = Math.max(now, spokenAt + random() * jitterMs);
    listener.play();
    const pcm = frame % TURN_FRAMES < PAUSE_FRAMES ? quiet : voice;
    const before = { frames: listener.frames, waitingMs: listener.waitingMs };
    if (isBare) listener.sendPayload(payload, pcm);
    else for (const each of speaker.listeners) each.heard(payload, pcm);
    if (listener.frames > before.frames) delays.push(now - spokenAt + before.waitingMs);
  }
  const delaysOf = (values: readonly number[]) => ({ p50: percentile(values, 0.5), p95: percentile(values, 0.95) });
  return {
    first: delaysOf(delays.slice(0, MINUTE_FRAMES)),
    last: delaysOf(delays.slice(-MINUTE_FRAMES)),
    leftOut: frames - listener.frames,
    silentMs: listener.silentMs,
  };
}

const questions = {
  hour(options: HourOptions): HourResult {
    const { now: realNow } = performance;
    performance.now = () => now;
    try {
      return live(options);
    } finally {
      performance.now = realNow;
    }
  },
};
export type SimulatedHour = typeof questions;

answer(questions);
