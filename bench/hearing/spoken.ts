import { spawnSync } from 'node:child_process';
import { decodeMulaw } from '../../src/base/audio/mulaw.js';
import { wavToMulaw } from '../../src/sandbox/network/prompt-audio.js';
import { MissingProgram } from '../missing-program.js';

export const SAMPLE_RATE = 8_000;

export interface Spoken {
  /** 8000 Hz, through mu-law, without the silence around it. */
  readonly pcm: Int16Array;
  /** Whether each 10 ms of it is speech; gaps of up to 200 ms count. */
  readonly truth: readonly boolean[];
  /** RMS of what is speech, in sample units. */
  readonly rms: number;
}

export const BLOCK = SAMPLE_RATE / 100;
/** What is this far below the speech's level is not speech. */
const RANGE_DB = 30;
const LONGEST_GAP_BLOCKS = 20;

/**
 * A text as espeak-ng says it.
 * @param voice such as `en-us+f3`
 * @throws Error where the program is missing
 */
export async function speak(text: string, voice: string, wordsPerMinute = 165): Promise<Spoken> {
  const { status, stdout, error } = spawnSync(
    'espeak-ng',
    ['-v', voice, '-s', String(wordsPerMinute), '--stdout', text],
    {
      maxBuffer: 2 ** 26,
    },
  );
  if (error && 'code' in error && error.code === 'ENOENT') throw new MissingProgram('espeak-ng');
  if (status !== 0) throw new Error('espeak-ng did not speak');
  const pcm = decodeMulaw(await wavToMulaw(stdout));
  const powers = Array.from({ length: Math.floor(pcm.length / BLOCK) }, (_, i) =>
    meanSquare(pcm.subarray(i * BLOCK, (i + 1) * BLOCK)),
  );
  const loudest = Math.max(...powers);
  const loud = powers.filter((power) => power > loudest / 10 ** (RANGE_DB / 10));
  const rms = Math.sqrt(loud.reduce((sum, power) => sum + power, 0) / loud.length);
  const isSpeech = powers.map((power) => power > rms ** 2 / 10 ** (RANGE_DB / 10));
  const first = isSpeech.indexOf(true);
  const last = isSpeech.lastIndexOf(true);
  return {
    pcm: pcm.slice(first * BLOCK, (last + 1) * BLOCK),
    truth: fillGaps(isSpeech.slice(first, last + 1)),
    rms,
  };
}

export const meanSquare = (pcm: Int16Array): number =>
  pcm.reduce((sum, sample) => sum + sample * sample, 0) / pcm.length;

function fillGaps(isSpeech: readonly boolean[]): boolean[] {
  const filled = [...isSpeech];
  let quiet = 0;
  isSpeech.forEach((speaks, i) => {
    if (speaks && quiet <= LONGEST_GAP_BLOCKS) filled.fill(true, i - quiet, i);
    quiet = speaks ? 0 : quiet + 1;
  });
  return filled;
}
