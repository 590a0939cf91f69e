import { BlockCutter } from '../../../base/audio/block-cutter.js';
import { Goertzel } from '../../../base/audio/goertzel.js';
import { levelDb } from '../../../base/audio/level.js';
import { Resampler } from '../../../base/audio/resampler.js';
import type { RoomConnection } from '../../../providers/rooms/room-connection.js';
import type { RoomCall } from './room-call.js';

const SAMPLE_RATE = 8_000;
const WINDOW_MS = 100;
const WINDOW = (SAMPLE_RATE * WINDOW_MS) / 1_000;
/** Comfort noise is below this level, in dB of full scale. */
const LEAST_DB = -45;
/** The ringing tones of all countries are within, in hertz (ITU-T E.180 supplement 2): they hold this part of the sound's energy there. */
const LOWEST_HZ = 370;
const HIGHEST_HZ = 510;
const RINGING_SHARE = 0.85;
/** Between two bins of a window, in hertz. */
const BIN_HZ = 1_000 / WINDOW_MS;
/** So many windows of voice, within so many windows, are a person who speaks. */
const VOICED = 3;
const WITHIN = 20;
/** Voice swells and fades, and noise does not: its levels, of 20 ms each and without the weakest and strongest tenth, differ so much, in dB. */
const PIECE = WINDOW / 5;
const LEAST_RANGE_DB = 5;
/** Pieces below this level are between words, in dB of full scale. */
const LEAST_PIECE_DB = -55;
/** So many windows of a ringing tone are no part of a word. */
const RINGING = 5;

/** Tells a person who speaks on a telephone leg from a leg that rings, from comfort noise and from silence. */
export class LegSound {
  readonly #resampler: Resampler;
  readonly #windows = new BlockCutter(WINDOW);
  readonly #bins = Array.from(
    { length: (HIGHEST_HZ - LOWEST_HZ) / BIN_HZ + 1 },
    (_, n) => new Goertzel(LOWEST_HZ + n * BIN_HZ, SAMPLE_RATE),
  );
  /** Of the latest windows: the levels of the pieces of one with voice; undefined for one without. */
  #voiced: (readonly number[] | undefined)[] = [];
  #ringing = 0;

  /** @param sampleRate hertz: 8000 or 16 000 */
  constructor(sampleRate: number) {
    this.#resampler = new Resampler(sampleRate, SAMPLE_RATE);
  }

  /** @returns what is heard for certain; undefined while nothing is */
  hear(pcm: Int16Array): 'voice' | 'ringing' | undefined {
    this.#windows.cut(this.#resampler.process(pcm), (window) => this.#take(window));
    if (this.#ringing >= RINGING) return 'ringing';
    return this.#isVoice ? 'voice' : undefined;
  }

  get #isVoice(): boolean {
    const voiced = this.#voiced.filter((levels) => levels !== undefined);
    if (voiced.length < VOICED) return false;
    const levels = voiced.flat().sort((one, other) => one - other);
    const tenth = Math.floor(levels.length / 10);
    const [weak = 0, strong = 0] = [levels[tenth], levels[levels.length - 1 - tenth]];
    return strong - weak >= LEAST_RANGE_DB;
  }

  #take(window: Int16Array): void {
    const isLoud = levelDb(window) > LEAST_DB;
    const isRinging = isLoud && this.#isRinging(window);
    // A window beside one with a ringing tone holds its beginning or its end.
    if (isRinging && this.#voiced.length > 0) this.#voiced[this.#voiced.length - 1] = undefined;
    const isVoiced = isLoud && !isRinging && this.#ringing === 0;
    this.#ringing = isRinging ? this.#ringing + 1 : 0;
    this.#voiced.push(isVoiced ? levelsOf(window) : undefined);
    if (this.#voiced.length > WITHIN) this.#voiced.shift();
  }

  #isRinging(window: Int16Array): boolean {
    const block = Float64Array.from(window);
    const energy = block.reduce((sum, sample) => sum + sample * sample, 0);
    let inBand = 0;
    for (const bin of this.#bins) {
      bin.measure(block);
      inBand += bin.power;
    }
    return (2 * inBand) / WINDOW > RINGING_SHARE * energy;
  }
}

const levelsOf = (window: Int16Array): number[] =>
  Array.from({ length: WINDOW / PIECE }, (_, n) => levelDb(window.subarray(n * PIECE, (n + 1) * PIECE))).filter(
    (level) => level > LEAST_PIECE_DB,
  );

/**
 * Listens to the leg that a bot serves as long as it is not certain that the other party is there. What is heard is the leg's only where no
 * other participant is in the room.
 * @param sampleRate of the room's audio, in hertz
 * @returns takes 20 ms of what is said in the room
 */
export function watchLeg(
  call: RoomCall,
  room: Pick<RoomConnection, 'participants'>,
  sampleRate: number,
): (pcm: Int16Array) => void {
  let sound: LegSound | undefined;
  return (pcm) => {
    const { leg, isUnconfirmed } = call;
    const isAlone = isUnconfirmed && [...room.participants.keys()].every((sessionId) => sessionId === leg?.sessionId);
    if (!isAlone) {
      sound = undefined;
      return;
    }
    sound ??= new LegSound(sampleRate);
    const heard = sound.hear(pcm);
    if (heard) call.heard(heard);
  };
}
