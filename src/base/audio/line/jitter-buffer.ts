/** A received packet; times are in units of the RTP clock. */
export interface VoicePacket {
  /** 16 bits. */
  readonly sequence: number;
  /** 32 bits: of its first sample. */
  readonly timestamp: number;
  /** How much audio it holds; above 0. */
  readonly duration: number;
  readonly payload: Uint8Array;
}

/** How long after the earliest moment it could have arrived a packet is played, in milliseconds. */
export interface JitterDelay {
  /** Until more is known; at least 10. */
  readonly first: number;
  readonly least: number;
}

/** Over a network. */
const NETWORK_DELAY: JitterDelay = { first: 40, least: 20 };

const MAX_DELAY_MS = 120;

/** How much longer than the worst lateness the delay is, in milliseconds. */
const MARGIN_MS = 10;

/** How fast the worst lateness is forgotten: this share per packet, half of it in about 4 s. */
const FORGET = 1 / 256;

/** How fast the earliest arrival gives way when all packets come later, in milliseconds per packet. */
const FLOOR_RISE_MS = 0.05;

/** A packet that is off by more than this has another clock, not jitter. */
const CLOCK_JUMP_MS = 1_000;

/** At most this much audio and so many packets are held; the oldest goes first. */
const MAX_HELD_MS = 300;
const MAX_PACKETS = 120;

/** Silence begins when nothing has come for this long. */
const CONCEALED_MS = 60;

/** A longer hole is a new beginning. */
const MAX_HOLE_MS = 120;

/** Sequence numbers that jump further belong to a source that started anew (RFC 3550 appendix A.1). */
const MAX_DROPOUT = 3_000;
const MAX_MISORDER = 500;

/** Share of the newest packet in the average of how much the delay is off. */
const OFF_SHARE = 1 / 32;

/** The delay is corrected when it is off by this much, in milliseconds: in quiet moments, and in any. */
const TOO_LATE_QUIET_MS = 30;
const TOO_LATE_MS = 60;
const TOO_EARLY_QUIET_MS = -15;

/** During speech, so many packets lie between corrections. */
const PACKETS_BETWEEN = 10;

/** Length of a silence, in milliseconds. */
const SILENCE_MS = 20;

const difference16 = (a: number, b: number) => ((a - b) << 16) >> 16;
const difference32 = (a: number, b: number) => (a - b) | 0;

interface HeldPacket extends VoicePacket {
  /** Sequence number without wrap. */
  readonly position: number;
  /** When it would have arrived, had nothing held it up, in milliseconds. */
  readonly earliestMs: number;
}

/**
 * Puts received packets in order and spreads them in time. Packets go in as they arrive and come out one by one as the
 * one who plays them needs them; time is what the caller says it is. A packet comes out at most once and never
 * after a later one.
 */
export class JitterBuffer {
  readonly #unitsPerMs: number;
  /** In order. */
  readonly #held: HeldPacket[] = [];

  /** Position of the newest packet, and of the one that is next. */
  #newest: number | undefined;
  #next = Number.NEGATIVE_INFINITY;
  #nextTimestamp = 0;
  /** The second of these in a row shows that the source has started anew. */
  #strangeSequence: number | undefined;

  #isPlaying = false;
  /** How much has been called lost while nothing was there, since the last packet came out, in units. */
  #concealed = 0;
  #packetDuration: number;

  #transitMs = 0;
  #floorMs = 0;
  #latestMs: number;
  #lastArrival: { readonly atMs: number; readonly timestamp: number } | undefined;

  #offMs = 0;
  #sinceCorrection = 0;

  /** @param clockRate of the timestamps, in hertz */
  constructor(
    clockRate: number,
    private readonly delay: JitterDelay = NETWORK_DELAY,
  ) {
    this.#latestMs = delay.first - MARGIN_MS;
    this.#unitsPerMs = clockRate / 1_000;
    this.#packetDuration = SILENCE_MS * this.#unitsPerMs;
  }

  /** Duration of the packet that came out last: what one that is lost would have held. */
  get packetDuration(): number {
    return this.#packetDuration;
  }

  /** How long packets are held to even out their arrivals, in milliseconds: the least to 120. */
  get delayMs(): number {
    return Math.min(MAX_DELAY_MS, Math.max(this.delay.least, this.#latestMs + MARGIN_MS));
  }

  /** How many packets are held. */
  get size(): number {
    return this.#held.length;
  }

  /** @param nowMs when it arrived; never less than before */
  push(packet: VoicePacket, nowMs: number): void {
    const position = this.#positionOf(packet.sequence);
    if (position === undefined) return;
    let at = this.#held.length;
    while (at > 0 && (this.#held[at - 1] as HeldPacket).position > position) at -= 1;
    if (this.#held[at - 1]?.position === position) return;
    const earliestMs = nowMs - this.#lateness(packet.timestamp, nowMs);
    if (position < this.#next || this.#isConcealed(packet)) return;
    this.#held.splice(at, 0, { ...packet, position, earliestMs });
    while (this.#isFull()) this.#dropOldest();
  }

  /**
   * The packet that is next; `lost` when there should be one like the last, `silence` for 20 ms in which there is none.
   * @param nowMs never less than before
   */
  take(nowMs: number): VoicePacket | 'lost' | 'silence' {
    const head = this.#held[0];
    if (this.#isPlaying && head && this.#isNewBeginning(head)) this.#isPlaying = false;
    if (!this.#isPlaying) {
      if (!head || nowMs < head.earliestMs + this.delayMs) return 'silence';
      this.#isPlaying = true;
      this.#concealed = 0;
      this.#nextTimestamp = head.timestamp;
      this.#next = head.position;
      this.#offMs = 0;
    }
    if (!head) return this.#starve();
    if (head.position > this.#next && this.#missingBefore(head) > this.#concealed) {
      this.#nextTimestamp += this.#packetDuration;
      return 'lost';
    }
    this.#held.shift();
    this.#next = head.position + 1;
    this.#nextTimestamp = head.timestamp + head.duration;
    this.#packetDuration = head.duration;
    this.#concealed = 0;
    this.#offMs += (nowMs - head.earliestMs - this.delayMs - this.#offMs) * OFF_SHARE;
    this.#sinceCorrection += 1;
    return head;
  }

  /**
   * What is to be done with the packet that was just taken, to bring back a delay that has drifted: not play it, or play
   * 20 ms of silence before it.
   * @param isQuiet whether a listener would not notice
   */
  correction(isQuiet: boolean): 'skip' | 'insert' | undefined {
    const isTooLate = isQuiet
      ? this.#offMs > TOO_LATE_QUIET_MS
      : this.#offMs > TOO_LATE_MS && this.#sinceCorrection >= PACKETS_BETWEEN;
    if (isTooLate && this.#held.length > 0) {
      this.#offMs -= this.#packetDuration / this.#unitsPerMs;
      this.#sinceCorrection = 0;
      return 'skip';
    }
    if (isQuiet && this.#offMs < TOO_EARLY_QUIET_MS) {
      this.#offMs += SILENCE_MS;
      return 'insert';
    }
    return undefined;
  }

  /** Undefined for a packet from nowhere. */
  #positionOf(sequence: number): number | undefined {
    const newest = this.#newest;
    const step = newest === undefined ? 0 : difference16(sequence, newest);
    if (step > MAX_DROPOUT || step < -MAX_MISORDER) {
      if (sequence !== this.#strangeSequence) {
        this.#strangeSequence = (sequence + 1) & 0xffff;
        return undefined;
      }
      this.#startAnew();
    }
    this.#strangeSequence = undefined;
    const position = this.#newest === undefined ? sequence : this.#newest + difference16(sequence, this.#newest);
    this.#newest = Math.max(position, this.#newest ?? position);
    return position;
  }

  #startAnew(): void {
    this.#held.length = 0;
    this.#newest = undefined;
    this.#next = Number.NEGATIVE_INFINITY;
    this.#isPlaying = false;
    this.#lastArrival = undefined;
  }

  /** Nothing is played, and nothing waits for its time. */
  get #isIdle(): boolean {
    return !this.#isPlaying && this.#held.length === 0;
  }

  /** How much later than the fastest a packet has come, in milliseconds. A new clock makes a new beginning. */
  #lateness(timestamp: number, nowMs: number): number {
    const last = this.#lastArrival;
    const stepMs = last ? nowMs - last.atMs - difference32(timestamp, last.timestamp) / this.#unitsPerMs : 0;
    this.#lastArrival = { atMs: nowMs, timestamp };
    this.#transitMs += stepMs;
    if (Math.abs(stepMs) > CLOCK_JUMP_MS || (this.#isIdle && this.#transitMs - this.#floorMs > MAX_DELAY_MS)) {
      this.#floorMs = this.#transitMs;
    }
    this.#floorMs = Math.min(this.#transitMs, this.#floorMs + FLOOR_RISE_MS);
    const lateMs = this.#transitMs - this.#floorMs;
    if (lateMs > this.#latestMs) this.#latestMs = Math.min(lateMs, MAX_DELAY_MS - MARGIN_MS);
    else this.#latestMs -= (this.#latestMs - lateMs) * FORGET;
    return lateMs;
  }

  /** Something has been played in its place. */
  #isConcealed(packet: VoicePacket): boolean {
    if (!this.#isPlaying) return false;
    const ahead = difference32(packet.timestamp, this.#nextTimestamp);
    return ahead < 0 && ahead > -CLOCK_JUMP_MS * this.#unitsPerMs;
  }

  #missingBefore(head: HeldPacket): number {
    return difference32(head.timestamp, this.#nextTimestamp);
  }

  /** After a pause of the sender, or a hole too long to fill. */
  #isNewBeginning(head: HeldPacket): boolean {
    const missing = this.#missingBefore(head);
    if (head.position === this.#next) return missing !== 0;
    return Math.abs(missing) > MAX_HOLE_MS * this.#unitsPerMs;
  }

  /** Nothing is there: it is late, lost, or nothing was sent. What comes late is still played. */
  #starve(): 'lost' | 'silence' {
    if (this.#concealed >= CONCEALED_MS * this.#unitsPerMs) {
      this.#isPlaying = false;
      return 'silence';
    }
    this.#concealed += this.#packetDuration;
    return 'lost';
  }

  #isFull(): boolean {
    const first = this.#held[0];
    const last = this.#held.at(-1);
    if (!first || !last || first === last) return false;
    const span = difference32(last.timestamp, first.timestamp) + last.duration;
    return this.#held.length > MAX_PACKETS || span > MAX_HELD_MS * this.#unitsPerMs;
  }

  #dropOldest(): void {
    this.#held.shift();
    const head = this.#held[0] as HeldPacket;
    this.#next = head.position;
    this.#nextTimestamp = head.timestamp;
  }
}
