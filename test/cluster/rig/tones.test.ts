import { encodeMulaw } from '../../../src/base/audio/mulaw.js';
import { buzz } from '../../../src/lab/kit/index.js';
import { TONES_HZ, toneIn } from './tones.js';

const frameOf = (sample: (n: number) => number) => encodeMulaw(Int16Array.from({ length: 160 }, (_, n) => sample(n)));
const sine = (hz: number, volume = 8_000, phase = 0) =>
  frameOf((n) => volume * Math.sin((2 * Math.PI * hz * n) / 8_000 + phase));

test.each(TONES_HZ.map((hz, place) => ({ hz, place })))(
  'knows the tone of $hz Hz, wherever it begins',
  ({ hz, place }) => {
    for (const phase of [0, 1, 2, 3]) expect(toneIn(sine(hz, 8_000, phase))).toBe(place);
    expect(toneIn(sine(hz, 600))).toBe(place);
  },
);

test('hears no bot in silence, in a sound that is too soft, in ringing and in voices', () => {
  expect(toneIn(new Uint8Array(160).fill(0xff))).toBeUndefined();
  expect(toneIn(sine(500, 100))).toBeUndefined();
  expect(
    toneIn(
      frameOf((n) => 4_000 * (Math.sin((2 * Math.PI * 440 * n) / 8_000) + Math.sin((2 * Math.PI * 480 * n) / 8_000))),
    ),
  ).toBeUndefined();
  expect(toneIn(encodeMulaw(buzz(20, 8_000)))).toBeUndefined();
});

test('two bots at once are none of either', () => {
  const both = frameOf(
    (n) => 4_000 * (Math.sin((2 * Math.PI * 500 * n) / 8_000) + Math.sin((2 * Math.PI * 700 * n) / 8_000)),
  );
  expect([undefined, 0, 1]).toContain(toneIn(both));
});
