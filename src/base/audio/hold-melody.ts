const BEAT_MS = 750;
const BEATS_PER_BAR = 4;
/** Time for a note to fade by 8.7 dB. */
const DECAY_MS = 500;
const ATTACK_MS = 12;
/** Where a note's tail is cut, far below hearing. */
const NOTE_MS = 3_000;
/** Amplitude of one note, of 32767. */
const PEAK = 3_600;
/** Levels of a note's harmonics: soft, like a small electric piano. */
const HARMONICS = [1, 0.35, 0.1];

/** A chord's arpeggio as MIDI note numbers, one per half beat. */
const BARS = [
  [60, 67, 72, 76, 79, 76, 72, 67], // C
  [57, 64, 69, 72, 76, 72, 69, 64], // A minor
  [65, 69, 72, 77, 81, 77, 72, 69], // F
  [62, 67, 71, 74, 79, 74, 71, 67], // G
] as const;

/**
 * Renders the melody that waiting callers hear: four bars of broken chords, 12 s. Tails of the last notes ring into
 * the beginning, so that the loop has no seam.
 * @param rate hertz
 */
export function renderHoldMelody(rate: number): Int16Array {
  const noteSpacing = (rate * BEAT_MS) / 2_000;
  const length = BARS.length * BEATS_PER_BAR * 2 * noteSpacing;
  const mix = new Float64Array(length);
  BARS.flat().forEach((note, index) => {
    const frequency = 440 * 2 ** ((note - 69) / 12);
    HARMONICS.forEach((level, h) => {
      addPartial(mix, Math.round(index * noteSpacing), PEAK * level, frequency * (h + 1), rate);
    });
  });
  const melody = new Int16Array(length);
  for (let i = 0; i < length; i += 1) melody[i] = Math.round(mix[i] as number);
  return melody;
}

/** Adds a fading sine, by the recurrence of a damped oscillator because a sine per sample would hold up live calls. */
function addPartial(mix: Float64Array, start: number, peak: number, frequency: number, rate: number): void {
  const samples = (rate * NOTE_MS) / 1_000;
  const attack = (rate * ATTACK_MS) / 1_000;
  const omega = (2 * Math.PI * frequency) / rate;
  const damping = Math.exp(-1_000 / (rate * DECAY_MS));
  const feedback = 2 * damping * Math.cos(omega);
  const squared = damping * damping;
  let previous = 0;
  let current = peak * damping * Math.sin(omega);
  let at = start;
  for (let n = 1; n < samples; n += 1) {
    at = at + 1 === mix.length ? 0 : at + 1;
    mix[at] = (mix[at] as number) + (n < attack ? (current * n) / attack : current);
    const next = feedback * current - squared * previous;
    previous = current;
    current = next;
  }
}
