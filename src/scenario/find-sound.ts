/** What is looked for first: 200 ms. */
const PROBE_SAMPLES = 1_600;
/** Of 1, for a sound that went through mu-law once or twice and lost a piece of 20 ms here and there. */
const LEAST_CORRELATION = 0.6;
/** First so many samples of the probe are compared: most places are left at a thirteenth of the work. */
const SPARSE_SAMPLES = 120;
/** Of 1: what correlates as {@link LEAST_CORRELATION} wants does not fall below this by chance. */
const LEAST_SPARSE_CORRELATION = 0.3;

/**
 * Finds a sound by normalised cross-correlation: its loudest 200 ms wherever they fit, then all of it there.
 * @param pcm and `sound` at the same rate
 * @returns the sample at which it begins, give or take a few milliseconds; undefined when it is not heard
 */
export function findSound(pcm: Int16Array, sound: Int16Array): number | undefined {
  const probeAt = loudest(sound, Math.min(PROBE_SAMPLES, sound.length));
  const probe = sound.subarray(probeAt, probeAt + PROBE_SAMPLES);
  const probeEnergy = energyOf(probe);
  if (probeEnergy === 0) return undefined;
  let energy = energyOf(pcm.subarray(0, probe.length));
  for (let at = 0; at + probe.length <= pcm.length; at += 1) {
    if (
      energy > 0 &&
      mayBeAt(pcm, at, probe) &&
      dot(pcm, at, probe) >= LEAST_CORRELATION * Math.sqrt(energy * probeEnergy)
    ) {
      const begin = Math.max(0, at - probeAt);
      const there = pcm.subarray(begin, begin + sound.length);
      const whole = sound.subarray(begin - (at - probeAt));
      if (dot(there, 0, whole) >= LEAST_CORRELATION * Math.sqrt(energyOf(there) * energyOf(whole))) return begin;
    }
    energy += (pcm[at + probe.length] ?? 0) ** 2 - (pcm[at] as number) ** 2;
  }
  return undefined;
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

function mayBeAt(pcm: Int16Array, at: number, probe: Int16Array): boolean {
  const step = Math.max(1, Math.floor(probe.length / SPARSE_SAMPLES));
  let product = 0;
  let energy = 0;
  let probeEnergy = 0;
  for (let i = 0; i < probe.length; i += step) {
    const sample = pcm[at + i] as number;
    const wanted = probe[i] as number;
    product += sample * wanted;
    energy += sample * sample;
    probeEnergy += wanted * wanted;
  }
  return product >= LEAST_SPARSE_CORRELATION * Math.sqrt(energy * probeEnergy);
}

function dot(pcm: Int16Array, from: number, other: Int16Array): number {
  let sum = 0;
  const length = Math.min(other.length, pcm.length - from);
  for (let i = 0; i < length; i += 1) sum += (pcm[from + i] as number) * (other[i] as number);
  return sum;
}

function energyOf(pcm: Int16Array): number {
  let sum = 0;
  for (const sample of pcm) sum += sample * sample;
  return sum;
}
