import { FRAME_MS } from '../../../base/audio/frame.js';
import type { CallTape } from '../../../call/call-tape.js';
import { mixed } from '../stream/joints.js';
import { PeerSound } from '../stream/peer-sound.js';

/**
 * Tells the recording of a call in a room what its party hears: the bot, and those whom the provider lets it hear. The sound of those does not
 * pass through the bot of this party; it is as their own bots hear it, and here only while their own recordings have it.
 */
export class RoomTape {
  /** By who speaks. */
  readonly #others = new Map<object, PeerSound>();
  /** What the bot says beside them; undefined while no other one speaks. */
  #own: PeerSound | undefined;

  constructor(private readonly tape: CallTape | undefined) {}

  /** The bot has said something. @param rate of the room's audio, in hertz */
  said(pcm: Int16Array, rate: number): void {
    if (this.#own) this.#own.push(pcm);
    else this.tape?.sent(pcm, rate);
  }

  /** One whom the party hears has said something, at a rate of its own. Rates in hertz. */
  overheard(from: object, pcm: Int16Array, fromRate: number, rate: number): void {
    if (!this.tape) return;
    const frame = (rate * FRAME_MS) / 1_000;
    const sound = this.#others.get(from) ?? new PeerSound(fromRate, rate, frame);
    this.#others.set(from, sound);
    this.#own ??= new PeerSound(rate, rate, frame);
    sound.push(sound.convert(pcm));
  }

  /** The time of a frame has passed. @param rate of the room's audio, in hertz */
  tick(rate: number): void {
    const own = this.#own;
    if (!own) return;
    const samples = (rate * FRAME_MS) / 1_000;
    const parts = [own, ...this.#others.values()].flatMap((sound) => sound.take(samples) ?? []);
    const [only] = parts;
    if (only) this.tape?.sent(parts.length === 1 ? only : mixed(parts, samples), rate);
    for (const [from, sound] of this.#others) if (sound.length === 0) this.#others.delete(from);
    if (this.#others.size > 0) return;
    this.#own = undefined;
    if (own.length > 0) this.tape?.sent(own.takeAll(), rate);
  }
}
