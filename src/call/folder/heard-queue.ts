/** Longest silence in a stretch of speech, in milliseconds: audio that came too late. */
const MAX_GAP_MS = 250;
/** Less than this, in milliseconds, and a mark that comes back says nothing: audio is played in frames. */
const MIN_LATE_MS = 10;
/** How long it takes it to drop what it is told to, in seconds, at the most. */
const MAX_DROP_S = 1;
/** By what the delay of the far end is judged too short rather than too long, in milliseconds. */
const FRAME_MS = 20;
/** How many stretches of speech count for that delay, at the most and at the least: a busy machine makes some of them late. */
const REMEMBERED_DELAYS = 8;
const LEAST_DELAYS = 3;

interface SentMark {
  readonly name: string;
  /** What was sent before it. */
  readonly sent: number;
  /** Where in the call everything before it has been played, as far as we know, and in which stretch of speech; undefined before. */
  played?: { readonly position: number; readonly stretch: number } | undefined;
}

/** So many samples, or the order to drop what has arrived before it. */
interface OnTheWay {
  readonly samples: number | 'drop';
  readonly sentAt: number;
  readonly arrivesAt: number;
}

/** What was played was heard later: the far end has had nothing to play for `by` samples, from the position `from` on. */
export interface LateSpeech {
  readonly from: number;
  /** Where what was played so far ends. */
  readonly to: number;
  readonly by: number;
  /** The stretch of speech began later, and not an interruption in the middle of it. */
  readonly isBeginning: boolean;
}

/**
 * What the far end plays to the caller: it holds what it is sent in a queue and plays it in real time, silence when there is
 * nothing. It plays when it has heard of what was sent, which the marks that come back tell. Positions and lengths are in samples.
 */
export class HeardQueue {
  /** What it has neither played nor dropped, what it has not heard of yet among it. */
  readonly #ring = new SampleRing();
  /** What the far end has not heard of yet, in order. */
  #onTheWay: OnTheWay[] = [];
  /** Spares an array each time. */
  #frame = new Int16Array();
  /** What has been sent, has arrived, and has been played or dropped. */
  #sent = 0;
  #arrived = 0;
  #done = 0;
  #marks: SentMark[] = [];
  #isSpeaking = false;
  #stretch = 0;
  /** Where the stretch of speech began, or was last seen to be in time. */
  #inTimeAt = 0;
  #isBeginning = true;
  #playedUntil = 0;
  #dropped: { readonly pcm: Int16Array; readonly at: number } | undefined;
  readonly #delays: number[] = [];
  #delay: number;
  /** Of the present stretch of speech. */
  #usedDelay = 0;
  /** By how much it is later than it seems; nobody has moved it. */
  #skew = 0;
  /** For how long it has had nothing to play. */
  #dry = 0;

  /** @param delay how long what we send takes to have an effect on what is heard, as seen from here: there and back; marks correct it */
  constructor(
    private readonly sampleRate: number,
    delay: number,
  ) {
    this.#delay = delay;
  }

  /** Whether nothing is played, now or soon. */
  get isSilent(): boolean {
    return this.#waiting === 0 && this.#onTheWay.length === 0;
  }

  /** @param pcm worthless afterwards @param at the position of the call at which it is sent */
  sent(pcm: Int16Array, at: number): void {
    this.#sent += pcm.length;
    this.#ring.push(pcm);
    this.#send(pcm.length, at);
  }

  marked(name: string): void {
    this.#marks.push({ name, sent: this.#sent });
  }

  /** It is told to drop what it has not played. */
  cleared(at: number): void {
    this.#send('drop', at);
  }

  /** Nothing that was sent is heard any more. */
  over(): void {
    this.#onTheWay = [];
    this.#arrived = this.#sent;
    this.#drop(0);
    this.#dropped = undefined;
  }

  /** What it plays next, from the position `at` on, until the next time; undefined for silence. */
  take(samples: number, at: number): Int16Array | undefined {
    for (let next = this.#onTheWay[0]; next && next.arrivesAt <= at; next = this.#onTheWay[0]) {
      this.#onTheWay.shift();
      this.#arrive(next.samples, next.sentAt);
    }
    const some = Math.min(samples, this.#waiting);
    if (some < samples && this.#isSpeaking) this.#missing(samples - some);
    if (some === 0) return undefined;
    if (this.#isBeginning && this.#inTimeAt < 0) this.#inTimeAt = at;
    for (const mark of this.#marks) {
      if (mark.played || mark.sent > this.#done + some) continue;
      mark.played = { position: at + mark.sent - this.#done, stretch: this.#stretch };
    }
    this.#done += some;
    this.#playedUntil = at + some;
    if (this.#frame.length !== samples) this.#frame = new Int16Array(samples);
    this.#ring.take(this.#frame, some);
    return some < samples ? this.#frame.fill(0, some) : this.#frame;
  }

  /**
   * A mark has come back.
   * @param at the position of the call
   * @returns what was heard later than it seemed; whoever has the recording tells whether that was {@link moved}
   */
  played(name: string, at: number): LateSpeech | undefined {
    const index = this.#marks.findIndex((mark) => mark.name === name);
    const { played } = this.#marks[index] ?? {};
    this.#marks.splice(0, index + 1);
    if (played?.stretch !== this.#stretch) return undefined;
    const { position } = played;
    const by = at - position - this.#skew;
    const isBeginning = this.#isBeginning;
    if (isBeginning) this.#learn(this.#usedDelay + Math.max(0, by));
    this.#isBeginning = false;
    const from = this.#inTimeAt;
    this.#inTimeAt = position;
    if (by < (MIN_LATE_MS * this.sampleRate) / 1_000) return undefined;
    return { from, to: this.#playedUntil, by, isBeginning };
  }

  /** @param rest what was to be heard already, and has not been; undefined: nothing was moved */
  moved({ by }: LateSpeech, rest: Int16Array | undefined): void {
    if (!rest) {
      this.#skew += by;
      return;
    }
    this.#ring.putBack(rest);
    this.#done -= rest.length;
    this.#playedUntil += by - rest.length;
    this.#inTimeAt += by;
    for (const mark of this.#marks) {
      const { played } = mark;
      if (played) mark.played = mark.sent > this.#done ? undefined : { ...played, position: played.position + by };
    }
  }

  /**
   * It has dropped what it was told to.
   * @param at the position of the call
   * @returns what was heard before, behind what seemed to be the last, and where
   */
  hasDropped(at: number): { readonly at: number; readonly pcm: Int16Array } | undefined {
    const dropped = this.#dropped;
    this.#dropped = undefined;
    if (!dropped || this.#isSpeaking || at <= dropped.at) return undefined;
    return { at: dropped.at, pcm: dropped.pcm.subarray(0, at - dropped.at) };
  }

  /** What it has heard of, in samples. */
  get #waiting(): number {
    return this.#arrived - this.#done;
  }

  #send(samples: number | 'drop', at: number): void {
    if (this.#delay === 0 && this.#onTheWay.length === 0) this.#arrive(samples, at);
    else this.#onTheWay.push({ samples, sentAt: at, arrivesAt: at + this.#delay });
  }

  #arrive(samples: number | 'drop', sentAt: number): void {
    if (samples === 'drop') this.#drop(Math.max(sentAt, this.#playedUntil));
    else this.#begin(samples);
  }

  #begin(samples: number): void {
    if (!this.#isSpeaking) {
      this.#isSpeaking = true;
      this.#stretch += 1;
      this.#skew = 0;
      this.#isBeginning = true;
      this.#inTimeAt = -1;
      this.#usedDelay = this.#delay;
    }
    this.#dry = 0;
    this.#arrived += samples;
  }

  /** The least that was seen lately, and a frame less: what is too short is corrected by a mark, what is too long is not. */
  #learn(delay: number): void {
    this.#delays.push(delay);
    if (this.#delays.length > REMEMBERED_DELAYS) this.#delays.shift();
    if (this.#delays.length < LEAST_DELAYS) return;
    this.#delay = Math.max(0, Math.min(...this.#delays) - (FRAME_MS * this.sampleRate) / 1_000);
  }

  #drop(at: number): void {
    const pcm = new Int16Array(Math.min(this.#waiting, this.sampleRate * MAX_DROP_S));
    this.#ring.take(pcm, pcm.length);
    this.#ring.skip(this.#waiting - pcm.length);
    this.#dropped = { pcm, at };
    this.#done = this.#arrived;
    this.#marks = this.#marks.filter(({ sent }) => sent > this.#done);
    this.#stopSpeaking();
  }

  #missing(samples: number): void {
    this.#dry += samples;
    if (this.#dry > (this.sampleRate * MAX_GAP_MS) / 1_000) this.#stopSpeaking();
  }

  #stopSpeaking(): void {
    this.#isSpeaking = false;
    this.#dry = 0;
  }
}

/** What it begins with, in samples: it grows when more is kept. */
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
