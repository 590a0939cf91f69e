import { EnergyDetector } from '../../src/base/audio/energy-detector.js';
import { fvadDetector } from '../../src/base/audio/fvad-detector.js';
import { sileroDetector } from '../../src/base/audio/silero-detector.js';
import type { CreateVoiceDetector } from '../../src/base/audio/voice-detector.js';
import type { Figure } from '../figure.js';
import { type CallerLine, callerLines, secondsOf, withNoise } from '../hearing/caller-line.js';
import { DetectionScore } from '../hearing/detection-score.js';
import { makeNoises } from '../hearing/noises.js';

const SNRS_DB = [20, 10, 5];
const FORMAT = 'missed | lost, late | first 3 s | false starts, time | end p50, p95';

/**
 * How well the detectors tell speech from noise, on sentences and voices that their settings were not chosen with: missed
 * speech; sentences lost, and noticed more than 200 ms late; false starts in a call's first three seconds; those later, per
 * minute without speech, and the share of that time taken for speech; time until the end of speech was told.
 */
export async function* voiceDetection(): AsyncGenerator<Figure> {
  const lines = await callerLines('second');
  const noises = await makeNoises();
  const energy: CreateVoiceDetector = (rate) => new EnergyDetector(rate);
  const fvad = fvadDetector();
  const silero = sileroDetector();
  const conditions = [
    { name: 'no noise', noise: undefined, snrDb: 0 },
    ...Object.entries(noises).flatMap(([name, noise]) =>
      SNRS_DB.map((snrDb) => ({ name: `${name}, ${snrDb} dB`, noise, snrDb })),
    ),
  ];
  for (const { name, noise, snrDb } of conditions) {
    const audio = lines.map((line) => withNoise(line, noise, snrDb));
    yield {
      name: `${name}: ${FORMAT}`,
      bare: `fvad ${told(await score(lines, audio, fvad))}`,
      ours: `energy ${told(await score(lines, audio, energy))}`,
    };
    yield { name: `${name}: ${FORMAT}`, ours: `silero ${told(await score(lines, audio, silero))}` };
  }
  const clean = lines.map((line) => withNoise(line, undefined, 0));
  yield {
    name: 'processor time per second of audio at 8000 Hz',
    bare: `fvad ${cost(await cpuMs(lines, clean, fvad))}`,
    ours: `energy ${cost(await cpuMs(lines, clean, energy))}`,
  };
  yield {
    name: 'processor time per second of audio at 8000 Hz',
    ours: `silero ${cost(await cpuMs(lines, clean, silero))}`,
  };
}

async function score(lines: readonly CallerLine[], audio: readonly Int16Array[], create: CreateVoiceDetector) {
  const total = new DetectionScore();
  for (const [i, line] of lines.entries()) await total.take(line, audio[i] as Int16Array, await create(8_000));
  return total;
}

function told(result: DetectionScore): string {
  const per = (value: number) => `${value.toFixed(1)} %`;
  const delay = (share: number) => (Number.isFinite(result.endDelay(share)) ? `${result.endDelay(share)}` : 'never');
  return [
    per(result.missed),
    `${per(result.lostUtterances)}, ${per(result.lateUtterances)}`,
    result.falseStartsWhileLearning.toFixed(2),
    `${result.falseStartsPerMinute.toFixed(1)}/min, ${per(result.falseSpeech)}`,
    `${delay(0.5)}, ${delay(0.95)} ms`,
  ].join(' | ');
}

const ROUNDS = 5;

async function cpuMs(lines: readonly CallerLine[], audio: readonly Int16Array[], create: CreateVoiceDetector) {
  await score(lines, audio, create); // until its code is compiled to the end
  const detectors = await Promise.all(lines.map(() => create(8_000)));
  const before = process.cpuUsage();
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [i, pcm] of audio.entries()) {
      for (let at = 0; at < pcm.length; at += 160) await detectors[i]?.isSpeech(pcm.subarray(at, at + 160));
    }
  }
  const { user, system } = process.cpuUsage(before);
  const seconds = lines.reduce((sum, line) => sum + secondsOf(line), 0);
  return (user + system) / 1_000 / (ROUNDS * seconds);
}

const cost = (ms: number) => `${ms.toFixed(2)} ms`;
