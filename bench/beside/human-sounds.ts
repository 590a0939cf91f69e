import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MissingProgram } from '../missing-program.js';
import { dist } from '../processes/dist.js';

const { decodeWav } = await dist<typeof import('../../src/base/audio/wav.js')>('base/audio/wav.js');

/** What the bench fetches for itself lives here, outside the repository. */
export const benchFolder = join(tmpdir(), 'voicebot-bench');

const PACKAGE = 'asterisk-core-sounds-en-wav';
const INSTALLED = '/usr/share/asterisk/sounds/en_US_f_Allison';
/** Tones and animals among the recordings. */
const NO_SPEECH = /beep|tone|monkeys/;

const SAMPLE_RATE = 8_000;
const BLOCK = SAMPLE_RATE / 100;
const FRAME = SAMPLE_RATE / 50;
/** What is this far below the level of the speech is not speech. */
const RANGE_DB = 30;
/** RMS of a caller on the telephone, in sample units: 23 dB below full scale. */
export const CALLER_RMS = 2_300;

/** A person who speaks without a pause. */
export interface HumanSound {
  readonly name: string;
  /** At {@link CALLER_RMS}, 8000 Hz, whole frames of 20 ms; the first begins with sound, the last ends with it. */
  readonly pcm: Int16Array;
  readonly durationMs: number;
  /** Longest silence in it, in milliseconds. */
  readonly longestGapMs: number;
}

/** All recordings of the package, each without the silence around it, by name. @throws MissingProgram where they cannot be had */
export function humanSounds(): HumanSound[] {
  const folder = soundsFolder();
  return readdirSync(folder)
    .filter((name) => name.endsWith('.wav') && !NO_SPEECH.test(name))
    .sort()
    .flatMap((name) => {
      const { channels, sampleRate } = decodeWav(readFileSync(join(folder, name)));
      const sound = channels[0] && sampleRate === SAMPLE_RATE ? trimmed(channels[0]) : undefined;
      return sound ? [{ name, ...sound }] : [];
    });
}

function soundsFolder(): string {
  if (existsSync(INSTALLED)) return INSTALLED;
  const fetched = join(benchFolder, 'sounds');
  const folder = join(fetched, INSTALLED);
  if (existsSync(folder)) return folder;
  mkdirSync(fetched, { recursive: true });
  spawnSync('apt-get', ['download', PACKAGE], { cwd: fetched, stdio: 'ignore' });
  const file = readdirSync(fetched).find((name) => name.startsWith(PACKAGE) && name.endsWith('.deb'));
  if (file) spawnSync('dpkg', ['-x', file, '.'], { cwd: fetched, stdio: 'ignore' });
  if (!existsSync(folder)) throw new MissingProgram(`apt-get, or Debian's package ${PACKAGE},`);
  return folder;
}

function trimmed(pcm: Int16Array): Omit<HumanSound, 'name'> | undefined {
  const powers = Array.from({ length: Math.floor(pcm.length / BLOCK) }, (_, i) =>
    meanSquare(pcm.subarray(i * BLOCK, (i + 1) * BLOCK)),
  );
  const loudest = Math.max(0, ...powers);
  if (loudest === 0) return undefined;
  const loud = powers.filter((power) => power > loudest / 10 ** (RANGE_DB / 10));
  const rms = Math.sqrt(loud.reduce((sum, power) => sum + power, 0) / loud.length);
  const speaks = powers.map((power) => power > rms ** 2 / 10 ** (RANGE_DB / 10));
  const last = speaks.lastIndexOf(true) + 1;
  const frames = Math.floor((last - speaks.indexOf(true)) / 2);
  let [gap, longestGap] = [0, 0];
  for (const block of speaks.slice(last - frames * 2, last)) {
    gap = block ? 0 : gap + 1;
    longestGap = Math.max(longestGap, gap);
  }
  const end = last * BLOCK;
  const sound = pcm.slice(end - frames * FRAME, end);
  return { pcm: scaled(sound, CALLER_RMS / rms), durationMs: frames * 20, longestGapMs: longestGap * 10 };
}

export const scaled = (pcm: Int16Array, factor: number): Int16Array =>
  pcm.map((sample) => Math.max(-32_768, Math.min(32_767, Math.round(sample * factor))));

const meanSquare = (pcm: Int16Array) => pcm.reduce((sum, sample) => sum + sample * sample, 0) / pcm.length;
