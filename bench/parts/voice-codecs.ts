import { spawnSync } from 'node:child_process';
import { PcmuCodec } from '../../src/base/audio/line/pcmu-codec.js';
import { Resampler } from '../../src/base/audio/resampler.js';
import { decodeWav } from '../../src/base/audio/wav.js';
import { OpusCodec } from '../../src/providers/rooms/webrtc/opus-codec.js';
import { type CodecQuality, codecQuality } from '../../test/base/audio/line/codec-quality.js';
import type { Figure } from '../figure.js';
import { MissingProgram } from '../missing-program.js';

const RATE = 16_000;
const VOICES = ['en-us+f3', 'en-us+m3', 'en-gb'];
const TEXT =
  'Good morning, you have reached the front desk. How may I help you today? Our opening hours are from nine to five, ' +
  'Monday to Friday. Please tell me your name, and somebody will call you back before the end of the day.';

/** How near what a room hears is to what was said at 16 000 Hz, with and without lost packets, beside PCMU. */
export async function* voiceCodecs(): AsyncGenerator<Figure> {
  const spoken = VOICES.map(speak);
  for (const loss of [0, 0.05, 0.1, 0.2]) {
    yield {
      name: `Opus at ${100 * loss} % loss: segmental SNR | bad frames | rate`,
      bare: `PCMU ${told(spoken.map((pcm) => codecQuality(() => new PcmuCodec(RATE), pcm, RATE, loss)))}`,
      ours: told(spoken.map((pcm) => codecQuality(() => new OpusCodec(RATE), pcm, RATE, loss))),
    };
  }
  yield {
    name: 'Opus: processor time to encode a second',
    bare: `PCMU ${encodingMs(new PcmuCodec(RATE), spoken)}`,
    ours: encodingMs(new OpusCodec(RATE), spoken),
  };
}

function told(qualities: readonly CodecQuality[]): string {
  const mean = (of: (quality: CodecQuality) => number) =>
    qualities.reduce((sum, quality) => sum + of(quality), 0) / qualities.length;
  const db = mean(({ segmentalSnrDb }) => segmentalSnrDb).toFixed(1);
  const bad = mean(({ badFrames }) => badFrames).toFixed(1);
  return `${db} dB | ${bad} % | ${mean(({ kbitPerSecond }) => kbitPerSecond).toFixed(0)} kbit/s`;
}

function encodingMs(codec: PcmuCodec | OpusCodec, spoken: readonly Int16Array[]): string {
  const startedAt = process.cpuUsage();
  let samples = 0;
  for (const pcm of spoken) {
    for (let at = 0; at + RATE / 50 <= pcm.length; at += RATE / 50) codec.encode(pcm.slice(at, at + RATE / 50));
    samples += pcm.length;
  }
  codec.close();
  return `${(process.cpuUsage(startedAt).user / 1_000 / (samples / RATE)).toFixed(2)} ms`;
}

function speak(voice: string): Int16Array {
  const { stdout, error } = spawnSync('espeak-ng', ['-v', voice, '--stdout', TEXT], { maxBuffer: 2 ** 26 });
  if (error && 'code' in error && error.code === 'ENOENT') throw new MissingProgram('espeak-ng');
  const { sampleRate, channels } = decodeWav(stdout);
  return new Resampler(sampleRate, RATE).process(channels[0] as Int16Array);
}
