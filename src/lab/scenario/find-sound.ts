/** A sound is looked for in pieces of 200 ms. */
const PIECE_SAMPLES = 1_600;
/** Of 1, for a piece that went through a codec or two and lost 20 ms here and there. */
const LEAST_CORRELATION = 0.6;
/** Of the energy of a sound, in pieces that are heard. */
const LEAST_SHARE = 0.6;
/** How much sooner or later than the piece before one may come, in samples: 80 ms, as jitter buffers leave out and fill in. */
const MOST_SLIP = 640;
/** First so many samples of a piece are compared: most places are left at a thirteenth of the work. */
const SPARSE_SAMPLES = 120;
/** Of 1: what correlates as {@link LEAST_CORRELATION} wants does not fall below this by chance. */
const LEAST_SPARSE_CORRELATION = 0.3;

/**
 * Finds a sound by normalised cross-correlation: its loudest 200 ms wherever they fit, then the rest piece by piece around them.
 * @param pcm and `sound` at the same rate
 * @returns the sample at which it begins, give or take what slips; undefined when it is not heard
 */
export function findSound(pcm: Int16Array, sound: Int16Array): number | undefined {
  const probe = new SoundPiece(sound, loudest(sound, Math.min(PIECE_SAMPLES, sound.length)));
  if (probe.energy === 0) return undefined;
  for (let at = 0; at + probe.length <= pcm.length; at += 1) {
    if (probe.isAt(pcm, at) && heardEnergy(pcm, sound, probe, at) >= LEAST_SHARE * energyOf(sound))
      return Math.max(0, at - probe.begin);
  }
  return undefined;
}

/** Of the sound, in the pieces that are heard where they belong when the probe is heard at `at`. */
function heardEnergy(pcm: Int16Array, sound: Int16Array, probe: SoundPiece, at: number): number {
  let energy = probe.energy;
  for (const step of [PIECE_SAMPLES, -PIECE_SAMPLES]) {
    let slip = at - probe.begin;
    for (let begin = probe.begin + step; begin > -PIECE_SAMPLES && begin < sound.length; begin += step) {
      const piece = new SoundPiece(sound, begin);
      const found = piece.near(pcm, piece.begin + slip);
      if (found === undefined) continue;
      slip = found - piece.begin;
      energy += piece.energy;
    }
  }
  return energy;
}

/** A stretch of a sound. */
class SoundPiece {
  readonly begin: number;
  readonly energy: number;
  readonly #pcm: Int16Array;
  readonly #step: number;

  /** @param begin may be before the sound, and its end after it: then it is shorter */
  constructor(sound: Int16Array, begin: number) {
    this.begin = Math.max(0, begin);
    this.#pcm = sound.subarray(this.begin, begin + PIECE_SAMPLES);
    this.#step = Math.max(1, Math.floor(this.#pcm.length / SPARSE_SAMPLES));
    this.energy = energyOf(this.#pcm);
  }

  get length(): number {
    return this.#pcm.length;
  }

  isAt(pcm: Int16Array, at: number): boolean {
    return (
      this.#correlates(pcm, at, this.#step, LEAST_SPARSE_CORRELATION) && this.#correlates(pcm, at, 1, LEAST_CORRELATION)
    );
  }

  /** The place next to `at` where it is heard; undefined when it is not. */
  near(pcm: Int16Array, at: number): number | undefined {
    for (let slip = 0; slip <= MOST_SLIP; slip += 1)
      for (const place of [at + slip, at - slip])
        if (place >= 0 && place + this.length <= pcm.length && this.isAt(pcm, place)) return place;
    return undefined;
  }

  #correlates(pcm: Int16Array, at: number, step: number, least: number): boolean {
    let product = 0;
    let energy = 0;
    let ownEnergy = 0;
    for (let i = 0; i < this.#pcm.length; i += step) {
      const sample = pcm[at + i] as number;
      const own = this.#pcm[i] as number;
      product += sample * own;
      energy += sample * sample;
      ownEnergy += own * own;
    }
    return product > 0 && product >= least * Math.sqrt(energy * ownEnergy);
  }
}

/** Where the loudest stretch of this length begins. */
function loudest(pcm: Int16Array, length: number): number {
  let energy = energyOf(pcm.subarray(0, length));
  let best = { energy, at: 0 };
  for (let at = 1; at + length <= pcm.length; at += 1) {
    energy += (pcm[at + length - 1] as number) ** 2 - (pcm[at - 1] as number) ** 2;
    if (energy > best.energy) best = { energy, at };
  }
  return best.at;
}

function energyOf(pcm: Int16Array): number {
  let sum = 0;
  for (const sample of pcm) sum += sample * sample;
  return sum;
}
