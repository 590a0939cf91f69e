import { FRAME_MS } from '../../base/audio/frame.js';
import type { StartFrame } from '../pipeline/frames/index.js';
import type { LoopedSound } from './looped-sound.js';
import type { SpeechWire } from './speech-wire.js';

/** How far ahead of the caller's ear the sound is sent, in milliseconds: what is ahead delays what the bot says next. */
const AHEAD_MS = 60;
/** How long the bot says nothing before the sound goes on, in milliseconds: longer than the pause between two sentences. */
const PAUSE_MS = 400;
/** How often a mark is set to learn how far behind the far end is, in milliseconds. */
const MARK_EVERY_MS = 500;
/** A far end that is so far behind its time has more of the sound left than the way there and back explains, in milliseconds. */
const BEHIND_MS = 500;
/** As many that have not come back say enough. */
const MOST_MARKS = 4;
/** Marks of this class. */
const MARK = 'hold';

/** A wire that carries a sound in a loop wherever the bot says nothing. What the bot says fades the sound out, and it fades in again afterwards. */
export class HoldableWire implements SpeechWire {
  #loop: Int16Array | undefined;
  #at = 0;
  /** Hertz. */
  #rate = 0;
  /** The last frame that went out was of the sound, so that what follows begins with the end of it. */
  #isSounding = false;
  /** Monotonic time at which all that was sent will have been played. */
  #playedAt = 0;
  /** The sound waits until then. */
  #pausedUntil = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Marks that have not come back, and when what stands before each will have been played by our clock; monotonic. */
  #marks: Array<{ readonly name: string; readonly dueAt: number }> = [];
  #markCount = 0;
  #markedAt = Number.NEGATIVE_INFINITY;
  /** The far end acknowledges marks. */
  #acknowledges = false;

  constructor(private readonly wire: SpeechWire) {}

  get pace() {
    return this.wire.pace;
  }

  get pressesKeys() {
    return this.wire.pressesKeys;
  }

  /** @param rate of the wire, in hertz. What is heard already fades out. */
  hold(sound: LoopedSound, rate: number): void {
    this.unhold();
    this.#loop = sound.at(rate);
    this.#at = 0;
    this.#rate = rate;
    this.#timer = setInterval(() => this.#goOn(), FRAME_MS);
    this.#goOn();
  }

  /** The sound fades out within a frame, and what a far end that is late has left of it is dropped. Safe to call twice. */
  unhold(): void {
    clearInterval(this.#timer);
    if (this.#isSounding && this.wire.isOpen()) {
      if (this.#isFarEndLate()) this.wire.sendClear();
      this.#send(this.#fading(new Int16Array(this.#frameSamples)));
    }
    this.#isSounding = false;
    this.#loop = undefined;
    this.#marks = [];
  }

  /** A mark has come back. */
  markPlayed(name: string): void {
    const at = this.#marks.findIndex((mark) => mark.name === name);
    if (at < 0) return;
    this.#acknowledges = true;
    this.#marks.splice(0, at + 1);
  }

  sampleRate(start: StartFrame): number {
    this.#rate = this.wire.sampleRate(start);
    return this.#rate;
  }

  isOpen(): boolean {
    return this.wire.isOpen();
  }

  isCongested(): boolean {
    return this.wire.isCongested();
  }

  get breaks(): number {
    return this.wire.breaks ?? 0;
  }

  sendAudio(pcm: Int16Array): void {
    const said = this.#isSounding ? this.#fading(pcm) : pcm;
    this.#isSounding = false;
    this.#pausedUntil = this.#send(said) + PAUSE_MS;
  }

  sendMark(name: string): void {
    this.wire.sendMark(name);
  }

  sendClear(): void {
    this.#playedAt = 0;
    this.#isSounding = false;
    this.#marks = [];
    this.wire.sendClear();
  }

  sendDtmf(digits: string): void | Promise<void> {
    return this.wire.sendDtmf(digits);
  }

  get #frameSamples(): number {
    return (this.#rate * FRAME_MS) / 1_000;
  }

  #goOn(): void {
    if (!this.wire.isOpen()) {
      this.unhold();
      return;
    }
    const now = performance.now();
    if (now < this.#pausedUntil) return;
    const aheadMs = Math.min(AHEAD_MS, this.wire.pace.leadMs);
    while (this.#playedAt - now < aheadMs - FRAME_MS / 2 && !this.wire.isCongested()) {
      const frame = this.#next();
      if (!this.#isSounding) fade(frame, (i) => i / frame.length);
      this.#isSounding = true;
      this.#mark(this.#send(frame));
    }
  }

  #mark(dueAt: number): void {
    if (dueAt - this.#markedAt < MARK_EVERY_MS || this.#marks.length >= MOST_MARKS) return;
    this.#markedAt = dueAt;
    this.#markCount += 1;
    const name = `${MARK}${this.#markCount}`;
    this.#marks.push({ name, dueAt });
    this.wire.sendMark(name);
  }

  /** After a stall, or where the clocks differ, what waits there would be heard for as long before those who are joined. */
  #isFarEndLate(): boolean {
    const oldest = this.#marks[0];
    return this.#acknowledges && oldest !== undefined && performance.now() - oldest.dueAt > BEHIND_MS;
  }

  /** @returns when it will have been played */
  #send(pcm: Int16Array): number {
    this.#playedAt = Math.max(this.#playedAt, performance.now()) + (pcm.length * 1_000) / this.#rate;
    this.wire.sendAudio(pcm);
    return this.#playedAt;
  }

  /** The next frame of the sound, to be written to. */
  #next(): Int16Array {
    const loop = this.#loop as Int16Array;
    const frame = new Int16Array(this.#frameSamples);
    for (let i = 0; i < frame.length; i += 1) {
      frame[i] = loop[this.#at] as number;
      this.#at = this.#at + 1 === loop.length ? 0 : this.#at + 1;
    }
    return frame;
  }

  /** What is said, with the end of the sound below it. */
  #fading(said: Int16Array): Int16Array {
    const tail = this.#next();
    fade(tail, (i) => 1 - i / tail.length);
    return tail.map((sample, i) => Math.max(-32_768, Math.min(32_767, sample + (said[i] ?? 0))));
  }
}

function fade(frame: Int16Array, gain: (at: number) => number): void {
  for (let i = 0; i < frame.length; i += 1) frame[i] = Math.round((frame[i] as number) * gain(i));
}
