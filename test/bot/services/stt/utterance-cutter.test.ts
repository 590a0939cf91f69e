import { UtteranceCutter } from '../../../../src/bot/services/stt/utterance-cutter.js';

const RATE = 8_000;

/** A voice of syllables four times a second, with silence between them. */
const loudness = (s: number) => (s % 0.25 < 0.15 ? 1 : 0);

/** What a cutter makes of voice and silence in turn, in milliseconds, in pieces of 20 ms. */
function cut(silenceMs: number, ...lengths: number[]) {
  const ends: Array<readonly [ms: number, isSilent: boolean]> = [];
  const heard: number[] = [0];
  const cutter = new UtteranceCutter(RATE, silenceMs, {
    audio: (bytes) => {
      heard[ends.length] = (heard[ends.length] ?? 0) + bytes.length / 16;
    },
    ended: (atMs, isSilent) => ends.push([atMs, isSilent]),
  });
  let t = 0;
  for (const [index, ms] of lengths.entries()) {
    for (let at = 0; at < ms; at += 20) {
      const pcm = new Int16Array(160);
      if (index % 2 === 0) {
        for (let i = 0; i < pcm.length; i += 1, t += 1 / RATE) {
          pcm[i] = 6_000 * loudness(t) * Math.sin(440 * Math.PI * t);
        }
      }
      cutter.take(new Uint8Array(pcm.buffer));
    }
  }
  return { ends, heard };
}

test('an utterance ends after so much silence, and begins with what was before its voice', () => {
  const { ends, heard } = cut(300, 0, 1_000, 600, 2_000, 600, 600);
  expect(ends).toHaveLength(2);
  for (const [index, [atMs, isSilent]] of ends.entries()) {
    const voiceEnd = [1_600, 4_200][index] as number;
    expect(isSilent).toBe(true);
    expect(atMs).toBeGreaterThanOrEqual(voiceEnd + 200);
    expect(atMs).toBeLessThanOrEqual(voiceEnd + 480);
    expect(heard[index]).toBeGreaterThanOrEqual(600 + 400 + 300 - 100);
    expect(heard[index]).toBeLessThanOrEqual(600 + 400 + 480);
  }
});

test('a pause that is shorter ends nothing', () => {
  expect(cut(500, 600, 300, 600, 800).ends).toHaveLength(1);
});

test('a voice without an end is cut after twenty seconds, and that ends no utterance', () => {
  const ends: unknown[] = [];
  let bytes = 0;
  const listener = {
    audio: (audio: Uint8Array) => {
      bytes += audio.length;
    },
    ended: (...end: unknown[]) => ends.push(end),
  };
  const cutter = new UtteranceCutter(RATE, 300, listener, { isSpeech: () => true });
  for (let at = 0; at < 50_000; at += 20) cutter.take(new Uint8Array(320));
  expect(ends).toEqual([
    [20_020, false],
    [40_040, false],
  ]);
  expect(bytes).toBe(50_000 * 16);
});
