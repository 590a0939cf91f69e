import { spawnSync } from 'node:child_process';
import { decodeMulaw, encodeMulaw } from '../../../src/base/audio/mulaw.js';
import { decodeWav } from '../../../src/base/audio/wav.js';

const RATE = 8_000;

/** What espeak-ng says, as it comes from the network: 8000 Hz, through mu-law. @param voice such as `en-us` */
export function spoken(text: string, voice = 'en-us'): Int16Array {
  const { status, stdout } = spawnSync('espeak-ng', ['-v', voice, '--stdout', text], { maxBuffer: 2 ** 26 });
  if (status !== 0) throw new Error('espeak-ng did not speak');
  const { channels, sampleRate } = decodeWav(stdout);
  return decodeMulaw(encodeMulaw(resample(channels[0] as Int16Array, sampleRate / RATE)));
}

/** By the mean of each new sample's stretch: plain, for minutes of it are made. */
function resample(pcm: Int16Array, step: number): Int16Array {
  const output = new Int16Array(pcm.length / step);
  for (let n = 0, at = 0; n < output.length; n += 1) {
    let sum = 0;
    let count = 0;
    for (; at < (n + 1) * step; at += 1) {
      sum += pcm[at] ?? 0;
      count += 1;
    }
    output[n] = sum / count;
  }
  return output;
}
