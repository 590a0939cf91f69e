import type { DtmfDigit } from '../../../base/audio/dtmf-digit.js';
import { FRAME_MS } from '../../../base/audio/frame.js';
import type { SpeechWire } from '../speech-wire.js';
import type { CurrentStream, StreamListener } from './current-stream.js';
import { EarBacklog } from './ear-backlog.js';
import { crossFaded, fadedFrom, isQuiet, mixed } from './joints.js';
import { OwnSpeech } from './own-speech.js';
import { PeerSound } from './peer-sound.js';

/** How long the peer whose frames are the clock may send nothing, in milliseconds, until another one is, or a clock of ours. */
const CLOCK_MISSING_MS = 40;
/** How much of what the bot says may wait beside what the peers say, in milliseconds: its playout waits then, whose clock is another one. */
const MOST_OWN_MS = 200;
/** How often a mark is set to learn what waits at the far end, in milliseconds. */
const MARK_EVERY_MS = 5_000;
/** From one sample to the next, of 32767: less is no click. */
const AUDIBLE_STEP = 500;
/** Marks of this class. */
const MARK = 'ear';

/** A peer whom the listener hears. */
interface Peer extends StreamListener {
  readonly stream: CurrentStream;
  readonly sound: PeerSound;
}

/** What the listener hears of one of those that are mixed. */
interface MixedSound {
  readonly pcm: Int16Array | undefined;
  readonly isKept: boolean;
}

/**
 * What the party of a media stream hears: the bot, and the peers whom it is joined with. The message of a single peer passes as it is, at once, and
 * nothing waits here; where several sounds reach the one ear, the frames of one peer are the clock, and the others are mixed into them.
 *
 * The listener's recording has a peer, and the keys that one presses, only while the peer's own recording runs.
 */
export class StreamEar implements SpeechWire {
  #peers: readonly Peer[] = [];
  readonly #own = new OwnSpeech();
  #backlog = new EarBacklog();
  /** The peer whose frames are the clock, and when the last one came; monotonic, in milliseconds. */
  #clock: Peer | undefined;
  #clockedAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  /** Monotonic time at which all that was sent will have been played. */
  #playedAt = 0;
  /** Audio of peers that has gone out, in milliseconds, and where marks of ours stand in it. */
  #sentMs = 0;
  #marks: Array<{ readonly name: string; readonly atMs: number }> = [];
  #markCount = 0;
  #markedAt = 0;
  /** The last sample that has gone out while others are heard. */
  #last = 0;
  /** What comes next does not continue what was heard last. */
  #isJoint = false;
  /** The first of the frames that are being left out. */
  #leftOut: { readonly pcm: Int16Array; readonly isKept: boolean } | undefined;
  /** What was said to the listener before they heard others has been played, but for a frame. */
  #hasBegun = false;

  constructor(readonly stream: CurrentStream) {}

  get pace() {
    return this.stream.pace;
  }

  get pressesKeys() {
    return this.stream.pressesKeys;
  }

  /** From now on these are heard too, and these alone. Nothing is heard on a stream that is closed. */
  hear(streams: readonly CurrentStream[]): void {
    if (!this.stream.isOpen()) return;
    const staying = this.#peers.filter(({ stream }) => streams.includes(stream));
    for (const peer of this.#peers) if (!staying.includes(peer)) this.#lose(peer);
    const known = staying.map(({ stream }) => stream);
    const coming = streams.filter((stream) => !known.includes(stream)).map((stream) => this.#find(stream));
    if (this.#peers.length === 0) {
      this.#backlog = new EarBacklog();
      this.#hasBegun = false;
    }
    this.#peers = [...staying, ...coming];
    if (this.#peers.length === 0) this.#endAlone();
  }

  /** The stream is closed: nothing more can be heard on it. A caller who comes back from a transfer has another one. */
  stop(): void {
    for (const peer of this.#peers) this.#lose(peer);
    this.#peers = [];
    this.#stopClock();
    this.#own.clear();
  }

  /** A mark has come back. */
  markPlayed(name: string): void {
    const at = this.#marks.findIndex((mark) => mark.name === name);
    const mark = this.#marks[at];
    if (!mark) return;
    this.#marks.splice(0, at + 1);
    this.#backlog.acknowledged(this.#sentMs - mark.atMs, performance.now());
  }

  sampleRate(): number {
    return this.stream.sampleRate();
  }

  isOpen(): boolean {
    return this.stream.isOpen();
  }

  isCongested(): boolean {
    return this.stream.isCongested() || this.#msOf(this.#own.length) >= MOST_OWN_MS;
  }

  sendAudio(pcm: Int16Array): void {
    if (this.#peers.length > 0) {
      this.#own.push(pcm);
      this.#runClock();
    } else {
      this.#played(pcm.length);
      this.stream.sendAudio(pcm);
    }
  }

  sendMark(name: string): void {
    if (this.#own.length > 0) this.#own.mark(name);
    else this.stream.sendMark(name);
  }

  /** Of what the peers say nothing is dropped. */
  sendClear(): void {
    if (this.#peers.length > 0) this.#own.clear();
    else {
      this.#playedAt = 0;
      this.stream.sendClear();
    }
  }

  sendDtmf(digits: string): void {
    this.stream.sendDtmf(digits);
  }

  get #rate(): number {
    return this.stream.wireRate;
  }

  get #frame(): number {
    return (this.#rate * FRAME_MS) / 1_000;
  }

  #msOf(samples: number): number {
    return (samples * 1_000) / this.#rate;
  }

  #find(stream: CurrentStream): Peer {
    const peer: Peer = {
      stream,
      sound: new PeerSound(stream.wireRate, this.stream.sampleRate(), this.#frame),
      heard: (payload, pcm) => this.#hearPeer(peer, payload, pcm),
      pressed: (digit) => this.#press(digit, mayBeKept(peer)),
    };
    stream.listeners.add(peer);
    this.#isJoint = true;
    return peer;
  }

  #lose(peer: Peer): void {
    peer.stream.listeners.delete(peer);
    if (this.#clock === peer) this.#clock = undefined;
    this.#isJoint = true;
  }

  /** No peer is heard any more: their sound fades out, and what the bot was saying goes on. */
  #endAlone(): void {
    this.#stopClock();
    this.#leftOut = undefined;
    const rest = this.#own.take(Math.ceil(this.#own.length / this.#frame) * this.#frame);
    const fading = this.#last === 0 ? undefined : fadedFrom(this.#last, this.#frame);
    this.#last = 0;
    if (rest) {
      for (let i = 0; fading && i < fading.length; i += 1) rest[i] = (rest[i] as number) + (fading[i] as number);
      for (let at = 0; at < rest.length; at += this.#frame) this.#give(rest.subarray(at, at + this.#frame));
    } else if (fading) this.#give(fading);
    this.#sendMarks();
  }

  #press(digit: DtmfDigit, isKept: boolean): void {
    if (this.stream.pressesKeys && this.stream.isOpen()) this.stream.sendDtmf(digit, isKept);
  }

  #hearPeer(peer: Peer, payload: Uint8Array, pcm: Int16Array): void {
    const now = performance.now();
    const isOverdue = now - this.#clockedAt >= CLOCK_MISSING_MS;
    if (this.#clock !== peer && (isOverdue || !this.#clock)) this.#clock = peer;
    const sound = peer.sound.convert(pcm);
    if (this.#clock !== peer) {
      peer.sound.push(sound, mayBeKept(peer));
      return;
    }
    this.#clockedAt = now;
    if (!this.#begins(now)) return;
    const isAlone = this.#peers.length === 1 && this.#own.length === 0 && peer.sound.length === 0;
    if (isAlone) {
      this.#send(
        peer.sound.passed(sound),
        mayBeKept(peer) ? sound : silenceFor(sound),
        this.stream.takes(peer.stream) ? payload : undefined,
      );
      return;
    }
    peer.sound.push(sound, mayBeKept(peer));
    const clock = { isKept: peer.sound.isKept, pcm: peer.sound.takeAll() };
    this.#mix(clock.pcm.length, clock, peer);
  }

  /** A peer who was heard from the first frame on would be late for good by the music that still waits for the listener. */
  #begins(now: number): boolean {
    this.#hasBegun ||= this.#own.length > 0 || this.#playedAt - now <= FRAME_MS;
    return this.#hasBegun;
  }

  /** Sends what is there of the bot and of the peers, beside the next samples of the one whose frames are the clock. */
  #mix(samples: number, clock?: MixedSound, of?: Peer): void {
    const others = this.#peers
      .filter((peer) => peer !== of)
      .map(({ sound }): MixedSound => ({ isKept: sound.isKept, pcm: sound.take(samples) }));
    const all = [{ isKept: true, pcm: this.#own.take(samples) }, ...(clock ? [clock] : []), ...others];
    const heard = mixedOf(all, samples);
    const kept = all.filter(({ isKept, pcm }) => isKept || !pcm);
    if (heard) this.#send(heard, kept.length === all.length ? heard : (mixedOf(kept, samples) ?? silenceFor(heard)));
  }

  /**
   * @param kept what the recording has of it: the same where it may have all
   * @param payload the same as the stream has it, where that is to go out unchanged
   */
  #send(pcm: Int16Array, kept: Int16Array, payload?: Uint8Array): void {
    if (pcm.length === 0) return;
    const now = performance.now();
    const waitingMs = Math.max(0, this.#playedAt - now);
    if (this.stream.isCongested() || this.#backlog.leavesOut(waitingMs, isQuiet(pcm), now)) {
      this.#leftOut ??= { pcm, isKept: pcm === kept };
      return;
    }
    const mayKeepJoint = pcm === kept && this.#leftOut?.isKept !== false;
    const joined = this.#joined(pcm);
    this.#last = joined[joined.length - 1] as number;
    this.#give(joined, mayKeepJoint ? joined : kept, joined === pcm ? payload : undefined);
    this.#sendMarks();
    this.#measure(now);
  }

  /** What goes on without a click from what was heard last; the same where it does so by itself. */
  #joined(pcm: Int16Array): Int16Array {
    const isJoint = this.#isJoint && Math.abs((pcm[0] as number) - this.#last) > AUDIBLE_STEP;
    const before = this.#leftOut?.pcm ?? (isJoint ? fadedFrom(this.#last, pcm.length) : undefined);
    this.#leftOut = undefined;
    this.#isJoint = false;
    return before ? crossFaded(before, pcm, this.#rate) : pcm;
  }

  /** Of what the bot has said. */
  #sendMarks(): void {
    for (const name of this.#own.reached()) this.stream.sendMark(name);
  }

  #give(pcm: Int16Array, kept = pcm, payload?: Uint8Array): void {
    this.#played(pcm.length);
    this.#sentMs += this.#msOf(pcm.length);
    if (payload) this.stream.sendPayload(payload, kept);
    else this.stream.sendAudio(pcm, kept);
  }

  #played(samples: number): void {
    this.#playedAt = Math.max(this.#playedAt, performance.now()) + this.#msOf(samples);
  }

  /** Sets a mark from time to time. */
  #measure(now: number): void {
    if (now - this.#markedAt < MARK_EVERY_MS) return;
    this.#markedAt = now;
    this.#markCount += 1;
    const name = `${MARK}${this.#markCount}`;
    this.#marks.push({ name, atMs: this.#sentMs });
    if (this.#marks.length > 2) this.#marks.shift(); // the far end does not give them back
    this.stream.sendMark(name);
  }

  /** While something waits and no peer sends anything, the time is ours. */
  #runClock(): void {
    this.#timer ??= setInterval(() => this.#tick(), FRAME_MS);
  }

  #stopClock(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #tick(): void {
    if (this.#own.length === 0) {
      this.#sendMarks();
      this.#stopClock();
      return;
    }
    const now = performance.now();
    if (now - this.#clockedAt < CLOCK_MISSING_MS) return;
    this.#clock = undefined;
    if (this.#playedAt < now) for (const { sound } of this.#peers) sound.ranDry();
    while (this.#own.length > 0 && this.#playedAt - now < FRAME_MS) this.#mix(this.#frame);
  }
}

/** Whether the recordings of others may have what a peer says and presses. */
const mayBeKept = ({ stream }: Peer): boolean => stream.tape?.isRunning === true;

const silenceFor = (pcm: Int16Array) => new Int16Array(pcm.length);

/** Undefined where none has anything. */
function mixedOf(sounds: readonly MixedSound[], samples: number): Int16Array | undefined {
  const parts = sounds.flatMap(({ pcm }) => pcm ?? []);
  return parts.length > 1 ? mixed(parts, samples) : parts[0];
}
