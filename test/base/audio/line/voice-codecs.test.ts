import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { levelDb } from '../../../../src/base/audio/level.js';
import { PcmuCodec } from '../../../../src/base/audio/line/pcmu-codec.js';
import type { VoiceCodec } from '../../../../src/base/audio/line/voice-codec.js';
import { Resampler } from '../../../../src/base/audio/resampler.js';
import { decodeWav } from '../../../../src/base/audio/wav.js';
import { OpusCodec } from '../../../../src/providers/rooms/webrtc/opus-codec.js';
import { concat, fitSine, sine } from '../signals.js';
import { codecQuality } from './codec-quality.js';

const SPEECH = new URL('../../../fixtures/audio/speech.wav', import.meta.url);

const CODECS = [
  { name: 'PCMU', rate: 8_000, create: () => new PcmuCodec(8_000) },
  { name: 'PCMU', rate: 16_000, create: () => new PcmuCodec(16_000) },
  { name: 'opus', rate: 8_000, create: () => new OpusCodec(8_000) },
  { name: 'opus', rate: 16_000, create: () => new OpusCodec(16_000) },
];

const framesOf = (pcm: Int16Array, rate: number) =>
  Array.from({ length: pcm.length / (rate / 50) }, (_, n) => pcm.slice((n * rate) / 50, ((n + 1) * rate) / 50));

/** Through the codec and back. */
const passed = (codec: VoiceCodec, pcm: Int16Array, rate: number) =>
  concat(...framesOf(pcm, rate).map((frame) => codec.decode(codec.encode(frame)) ?? new Int16Array(0)));

describe.each(CODECS)('$name at $rate Hz', ({ name, rate, create }) => {
  test('gives 20 ms back for every 20 ms', () => {
    const codec = create();
    for (const frame of framesOf(sine(440, rate, rate / 2), rate)) {
      const payload = codec.encode(frame);
      expect(codec.durationOf(payload)).toBe(codec.clockRate / 50);
      expect(codec.decode(payload)).toHaveLength(rate / 50);
    }
    expect(codec.silence()).toHaveLength(rate / 50);
    expect(codec.conceal(codec.clockRate / 50)).toHaveLength(rate / 50);
    codec.close();
  });

  test('keeps pitch and level', () => {
    const codec = create();
    const tone = sine(440, rate, rate);
    const heard = passed(codec, tone, rate);
    expect(Math.abs(levelDb(heard.subarray(rate / 5)) - levelDb(tone))).toBeLessThan(name === 'PCMU' ? 0.3 : 1.5);
    expect(fitSine(heard, 440, rate).snrDb).toBeGreaterThan(10);
    codec.close();
  });

  test('conceals what is lost with more of the same, fading out', () => {
    const codec = create();
    passed(codec, sine(400, rate, rate / 2), rate);
    const levels = Array.from({ length: 8 }, () => levelDb(codec.conceal(codec.clockRate / 50)));
    expect(levels[0]).toBeGreaterThan(-14);
    expect(levels.at(-1)).toBeLessThan(-60);
    codec.close();
  });

  test('says how much any payload holds, and survives it', () => {
    const codec = create();
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 1_300 }), (payload) => {
        const duration = codec.durationOf(payload);
        expect(duration).toBeGreaterThanOrEqual(0);
        expect(duration).toBeLessThanOrEqual((codec.clockRate * 120) / 1_000);
        if (duration === 0) return;
        const samples = (duration * rate) / codec.clockRate;
        expect([samples, undefined]).toContain(codec.decode(payload)?.length);
        expect(codec.conceal(duration)).toHaveLength(samples);
      }),
      { numRuns: 100 },
    );
    codec.close();
  });

  test('may be closed twice, and is harmless afterwards', () => {
    const codec = create();
    codec.close();
    codec.close();
    expect(codec.conceal(codec.clockRate / 50)).toHaveLength(rate / 50);
  });
});

test('twenty Opus codecs at once do not disturb each other', () => {
  const rate = 8_000;
  const voices = Array.from({ length: 20 }, (_, n) => {
    const pitch = 300 + 25 * n;
    return { codec: new OpusCodec(rate), pitch, frames: framesOf(sine(pitch, rate, rate / 2), rate) };
  });
  const heard = voices.map(() => [] as Int16Array[]);
  for (let at = 0; at < 20; at += 1) {
    for (const [n, { codec, frames }] of voices.entries()) {
      const frame = frames[at] as Int16Array;
      heard[n]?.push(codec.decode(codec.encode(frame)) ?? new Int16Array(0));
    }
  }
  for (const [n, { codec, pitch }] of voices.entries()) {
    expect(fitSine(concat(...(heard[n] ?? [])), pitch, rate).snrDb).toBeGreaterThan(6);
    codec.close();
  }
});

describe('speech at 16 000 Hz through Opus', () => {
  const rate = 16_000;
  const { sampleRate, channels } = decodeWav(readFileSync(SPEECH));
  const speech = new Resampler(sampleRate, rate).process(channels[0] as Int16Array);

  test('is near what was said', () => {
    const { segmentalSnrDb, kbitPerSecond } = codecQuality(() => new OpusCodec(rate), speech, rate, 0);
    expect(segmentalSnrDb).toBeGreaterThan(20);
    expect(kbitPerSecond).toBeLessThan(66);
  });

  test('loses little more than the packets that are lost', () => {
    const { segmentalSnrDb, badFrames } = codecQuality(() => new OpusCodec(rate), speech, rate, 0.1);
    expect(segmentalSnrDb).toBeGreaterThan(16);
    expect(badFrames).toBeLessThan(6);
  });
});

test('an Opus decoder mixes stereo down', () => {
  const codec = new OpusCodec(16_000);
  const mono = codec.encode(sine(440, 16_000, 320));
  const stereo = mono.slice();
  stereo[0] = (stereo[0] as number) | 0b100;
  expect(codec.decode(stereo)).toHaveLength(320);
  codec.close();
});
