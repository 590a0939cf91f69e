/**
 * How audio that the bot has *sent* becomes audio that the carrier has *played*, and when it is *late*. A column is 20 ms of the recording:
 *
 * ```
 * position      0     1     2     3     4     5     6     7
 * sent          ABC m                                          three frames at once, and the mark m behind them
 * played              | A   | B   | C   |                      after the delay of the line, then in real time
 *                                       : m is due
 *                                       :           m returns: 2 columns after it was due
 * late                            | A   | B   | C   |          so the caller heard A, B and C 2 columns later
 * ```
 *
 * - *sent*: on its way to the carrier, or in the carrier's buffer.
 * - *played*: heard by the caller, as far as the recorder knows. A mark that returns when it is due confirms it.
 * - *late*: played later than the recorder had assumed, because the line stalled or the carrier waited before it played. A mark tells: when it
 *   returns after it was due, everything played since the mark before it is late by the difference, and the recorder moves that in the file.
 *
 * The carrier here is what plays the bot's audio to the caller, in a room the room's server, from which no marks return. Positions and lengths
 * are in samples of the recording.
 */

/** Longest silence within a stretch of speech, in milliseconds: the bot has sent its audio too slowly. */
const MAX_GAP_MS = 250;
/** Audio that is late by less than this, in milliseconds, counts as in time: the carrier plays whole frames. */
const MIN_LATE_MS = 10;
/** How long the carrier takes to drop its buffer, in seconds, at the most. */
const MAX_DROP_S = 1;
/** The recorder takes the delay for this much shorter than it has measured it, in milliseconds. */
const DELAY_MARGIN_MS = 20;
/** How many measured delays count, at the most and at the least: on a busy machine some are too long. */
const MAX_DELAYS = 8;
const MIN_DELAYS = 3;

interface SentMark {
  readonly name: string;
  /** Samples that the bot had sent before it. */
  readonly sentBefore: number;
  /** When all of these are played: the position, and the stretch of speech that they end in. Undefined before. */
  due?: { readonly position: number; readonly stretch: number } | undefined;
}

/** So many samples that the bot has sent, or its order to drop the carrier's buffer. */
interface OnTheWay {
  readonly samples: number | 'drop';
  readonly sentAt: number;
  readonly arrivesAt: number;
}

/** The caller has heard what was played from `from` to `to` later: by so many samples. */
export interface LateSpeech {
  readonly from: number;
  readonly to: number;
  readonly by: number;
  /** The stretch of speech as a whole is late; false: the carrier has paused in the middle of it. */
  readonly isBeginning: boolean;
}

/** What the carrier plays to the caller: the bot's audio in real time, in the order in which it was sent, and silence when there is none. */
export class HeardQueue {
  /** Sent, and neither played nor dropped. */
  readonly #unplayed = new SampleRing();
  /** Sent, and not at the carrier yet, in order. */
  #onTheWay: OnTheWay[] = [];
  /** Given out again and again: spares an array each time. */
  #frame = new Int16Array();
  /** Samples so far: sent, arrived at the carrier, played or dropped there. */
  #sent = 0;
  #arrived = 0;
  #playedOrDropped = 0;
  #marks: SentMark[] = [];
  #isSpeaking = false;
  /** Stretches of speech so far: one ends where the carrier has nothing to play for long enough, or drops its buffer. */
  #stretch = 0;
  /** Where the latest mark to return was due: what was played before it stays where it is. At first where the stretch begins. */
  #confirmedUntil = 0;
  /** No mark of the present stretch has returned. */
  #isUnconfirmed = true;
  #playedUntil = 0;
  /** What was in the buffer that the carrier is to drop, and from which position on it would have been played. */
  #dropped: { readonly pcm: Int16Array; readonly at: number } | undefined;
  readonly #measuredDelays: number[] = [];
  #delay: number;
  /** The delay when the present stretch began. */
  #stretchDelay = 0;
  /** By how much the present stretch is late and could not be moved. */
  #unmoved = 0;
  /** For how long the carrier has had nothing to play. */
  #gap = 0;

  /** @param delay from when audio is sent until the caller's answer to it can come in: there and back. Marks correct it */
  constructor(
    private readonly sampleRate: number,
    delay: number,
  ) {
    this.#delay = delay;
  }

  /** Nothing that was sent is still to be played. */
  get isSilent(): boolean {
    return this.#waiting === 0 && this.#onTheWay.length === 0;
  }

  /** What the bot has sent so far, in samples, and how much of that was played or dropped. */
  get sentSamples(): number {
    return this.#sent;
  }

  get playedSamples(): number {
    return this.#playedOrDropped;
  }

  /** The bot has sent audio at the position `at`. @param pcm is copied */
  sent(pcm: Int16Array, at: number): void {
    this.#sent += pcm.length;
    this.#unplayed.push(pcm);
    this.#send(pcm.length, at);
  }

  /** The bot has sent a mark behind its audio. */
  marked(name: string): void {
    this.#marks.push({ name, sentBefore: this.#sent });
  }

  /** The bot has told the carrier to drop its buffer. */
  cleared(at: number): void {
    this.#send('drop', at);
  }

  /** The stream is over: the carrier plays nothing more. */
  streamOver(): void {
    this.#onTheWay = [];
    this.#arrived = this.#sent;
    this.#drop(0);
    this.#dropped = undefined;
  }

  /** @returns what is played next, from the position `at` on; overwritten by the next call. Undefined for silence */
  play(samples: number, at: number): Int16Array | undefined {
    for (let next = this.#onTheWay[0]; next && next.arrivesAt <= at; next = this.#onTheWay[0]) {
      this.#onTheWay.shift();
      this.#arrive(next.samples, next.sentAt);
    }
    const some = Math.min(samples, this.#waiting);
    if (some < samples && this.#isSpeaking) this.#addGap(samples - some);
    if (some === 0) return undefined;
    if (this.#isUnconfirmed && this.#confirmedUntil < 0) this.#confirmedUntil = at;
    for (const mark of this.#marks) {
      if (mark.due || mark.sentBefore > this.#playedOrDropped + some) continue;
      mark.due = { position: at + mark.sentBefore - this.#playedOrDropped, stretch: this.#stretch };
    }
    this.#playedOrDropped += some;
    this.#playedUntil = at + some;
    if (this.#frame.length !== samples) this.#frame = new Int16Array(samples);
    this.#unplayed.take(this.#frame, some);
    return some < samples ? this.#frame.fill(0, some) : this.#frame;
  }

  /**
   * A mark has returned at the position `at`.
   * @returns what is late; the recorder then tells by {@link moved} whether it has moved that
   */
  markReturned(name: string, at: number): LateSpeech | undefined {
    const index = this.#marks.findIndex((mark) => mark.name === name);
    const { due } = this.#marks[index] ?? {};
    this.#marks.splice(0, index + 1);
    if (due?.stretch !== this.#stretch) return undefined;
    const { position } = due;
    const by = at - position - this.#unmoved;
    const isBeginning = this.#isUnconfirmed;
    if (isBeginning) this.#learnDelay(this.#stretchDelay + Math.max(0, by));
    this.#isUnconfirmed = false;
    const from = this.#confirmedUntil;
    this.#confirmedUntil = position;
    if (by < (MIN_LATE_MS * this.sampleRate) / 1_000) return undefined;
    return { from, to: this.#playedUntil, by, isBeginning };
  }

  /** @param rest what had been played, and after the move is still to be played; undefined: the recorder has moved nothing */
  moved({ by }: LateSpeech, rest: Int16Array | undefined): void {
    if (!rest) {
      this.#unmoved += by;
      return;
    }
    this.#unplayed.putBack(rest);
    this.#playedOrDropped -= rest.length;
    this.#playedUntil += by - rest.length;
    this.#confirmedUntil += by;
    for (const mark of this.#marks) {
      const { due } = mark;
      if (!due) continue;
      const isPlayed = mark.sentBefore <= this.#playedOrDropped;
      mark.due = isPlayed ? { ...due, position: due.position + by } : undefined;
    }
  }

  /**
   * The carrier says at the position `at` that it has dropped its buffer.
   * @returns what it has played of that before, and from which position on
   */
  dropped(at: number): { readonly at: number; readonly pcm: Int16Array } | undefined {
    const dropped = this.#dropped;
    this.#dropped = undefined;
    if (!dropped || this.#isSpeaking || at <= dropped.at) return undefined;
    return { at: dropped.at, pcm: dropped.pcm.subarray(0, at - dropped.at) };
  }

  /** Samples in the carrier's buffer. */
  get #waiting(): number {
    return this.#arrived - this.#playedOrDropped;
  }

  #send(samples: number | 'drop', at: number): void {
    if (this.#delay === 0 && this.#onTheWay.length === 0) this.#arrive(samples, at);
    else this.#onTheWay.push({ samples, sentAt: at, arrivesAt: at + this.#delay });
  }

  #arrive(samples: number | 'drop', sentAt: number): void {
    if (samples === 'drop') {
      this.#drop(Math.max(sentAt, this.#playedUntil));
      return;
    }
    if (!this.#isSpeaking) this.#beginStretch();
    this.#gap = 0;
    this.#arrived += samples;
  }

  #beginStretch(): void {
    this.#isSpeaking = true;
    this.#stretch += 1;
    this.#unmoved = 0;
    this.#isUnconfirmed = true;
    this.#confirmedUntil = -1;
    this.#stretchDelay = this.#delay;
  }

  /** Takes the shortest delay of late, and a margin less: a mark corrects a delay that is too short, nothing one that is too long. */
  #learnDelay(delay: number): void {
    this.#measuredDelays.push(delay);
    if (this.#measuredDelays.length > MAX_DELAYS) this.#measuredDelays.shift();
    if (this.#measuredDelays.length < MIN_DELAYS) return;
    this.#delay = Math.max(0, Math.min(...this.#measuredDelays) - (DELAY_MARGIN_MS * this.sampleRate) / 1_000);
  }

  /** The carrier drops its buffer, of which it would have played the first sample at the position `at`. */
  #drop(at: number): void {
    const pcm = new Int16Array(Math.min(this.#waiting, this.sampleRate * MAX_DROP_S));
    this.#unplayed.take(pcm, pcm.length);
    this.#unplayed.skip(this.#waiting - pcm.length);
    this.#dropped = { pcm, at };
    this.#playedOrDropped = this.#arrived;
    this.#marks = this.#marks.filter(({ sentBefore }) => sentBefore > this.#playedOrDropped);
    this.#endStretch();
  }

  #addGap(samples: number): void {
    this.#gap += samples;
    if (this.#gap > (this.sampleRate * MAX_GAP_MS) / 1_000) this.#endStretch();
  }

  #endStretch(): void {
    this.#isSpeaking = false;
    this.#gap = 0;
  }
}

/** Room in a new {@link SampleRing}, in samples: it grows when it keeps more. */
const FIRST_CAPACITY = 2_048;

/** Samples in order, copied in at the end and out at the beginning. Reuses its memory. */
export class SampleRing {
  #samples = new Int16Array(FIRST_CAPACITY);
  #head = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(samples: Int16Array): void {
    this.#makeRoom(samples.length);
    this.#copyIn(this.#head + this.#length, samples);
    this.#length += samples.length;
  }

  /** Puts samples before all others. */
  putBack(samples: Int16Array): void {
    this.#makeRoom(samples.length);
    this.#head = (this.#head - samples.length + this.#samples.length) % this.#samples.length;
    this.#copyIn(this.#head, samples);
    this.#length += samples.length;
  }

  /** Takes the first samples. @param count at most those that are there */
  take(into: Int16Array, count: number): void {
    const untilEnd = Math.min(count, this.#samples.length - this.#head);
    into.set(this.#samples.subarray(this.#head, this.#head + untilEnd));
    if (untilEnd < count) into.set(this.#samples.subarray(0, count - untilEnd), untilEnd);
    this.skip(count);
  }

  /** Drops the first samples. @param count at most those that are there */
  skip(count: number): void {
    this.#length -= count;
    this.#head = this.#length === 0 ? 0 : (this.#head + count) % this.#samples.length;
  }

  #copyIn(position: number, samples: Int16Array): void {
    const at = position % this.#samples.length;
    const untilEnd = this.#samples.length - at;
    if (samples.length <= untilEnd) this.#samples.set(samples, at);
    else {
      this.#samples.set(samples.subarray(0, untilEnd), at);
      this.#samples.set(samples.subarray(untilEnd));
    }
  }

  #makeRoom(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#samples.length) return;
    const grown = new Int16Array(2 ** Math.ceil(Math.log2(needed)));
    const kept = this.#length;
    this.take(grown, kept);
    this.#samples = grown;
    this.#head = 0;
    this.#length = kept;
  }
}
