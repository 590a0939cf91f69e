/** A thread that says texts with flite, one after the other: see {@link FliteThread}. */
import { parentPort, workerData } from 'node:worker_threads';
import { joinSamples } from '../../../base/audio/join-samples.js';
import { Resampler } from '../../../base/audio/resampler.js';
import type { TimedWord } from '../../pipeline/frames/index.js';
import { compileFlite, type FliteVoiceName, runFlite } from './flite-program.js';

export interface FliteOrder {
  readonly voice: FliteVoiceName;
  readonly text: string;
  /** In hertz. */
  readonly sampleRate: number;
}

export type FliteAnswer =
  | { readonly pcm: Int16Array; readonly words: readonly TimedWord[] }
  | { readonly failure: string };

const program = compileFlite(workerData as string);

parentPort?.on('message', ({ voice, text, sampleRate }: FliteOrder) => {
  try {
    const spoken = runFlite(program, voice, text);
    const resampler = new Resampler(spoken.sampleRate, sampleRate);
    const pcm = joinSamples([resampler.process(spoken.pcm), resampler.flush()]);
    parentPort?.postMessage({ pcm, words: spoken.words } satisfies FliteAnswer, [pcm.buffer]);
  } catch (error) {
    parentPort?.postMessage({ failure: String(error) } satisfies FliteAnswer);
  }
});
