import type { VoiceCodec } from '../../../../src/base/audio/line/voice-codec.js';
import { concat } from '../signals.js';

/** Quieter than this, in sample units, a frame is not speech. */
const SPEECH_RMS = 100;
/** The longest delay of a codec that is looked for, in milliseconds. */
const LONGEST_DELAY_MS = 15;
const MIN_DB = -10;
const MAX_DB = 45;

export interface CodecQuality {
  /** Mean of the signal-to-noise ratios of the frames with speech, each between -10 and 45 dB. */
  readonly segmentalSnrDb: number;
  /** Percentage of these frames in which the error is louder than the speech. */
  readonly badFrames: number;
  readonly kbitPerSecond: number;
}

/**
 * Encodes and decodes speech in frames of 20 ms, and compares what is heard with what was said.
 * @param loss share of the packets that are lost, 0 to 1; the same ones in every run
 */
export function codecQuality(create: () => VoiceCodec, speech: Int16Array, rate: number, loss: number): CodecQuality {
  const { heard } = pass(create(), speech, rate, 0);
  const delay = delayOf(speech, heard, rate);
  const lossy = loss === 0 ? heard : pass(create(), speech, rate, loss).heard;
  const ratios = framesOf(speech, rate).flatMap((frame, n) => {
    const at = n * frame.length + delay;
    const signal = energyOf(frame);
    if (at + frame.length > lossy.length || signal < frame.length * SPEECH_RMS ** 2) return [];
    const error = energyOf(frame.map((sample, k) => sample - (lossy[at + k] as number)));
    return 10 * Math.log10(signal / Math.max(1, error));
  });
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  return {
    segmentalSnrDb: mean(ratios.map((ratio) => Math.max(MIN_DB, Math.min(MAX_DB, ratio)))),
    badFrames: (100 * ratios.filter((ratio) => ratio < 0).length) / ratios.length,
    kbitPerSecond: pass(create(), speech, rate, 0).bytes / (speech.length / rate / 8) / 1_000,
  };
}

const framesOf = (pcm: Int16Array, rate: number) =>
  Array.from({ length: Math.floor(pcm.length / (rate / 50)) }, (_, n) =>
    pcm.slice((n * rate) / 50, ((n + 1) * rate) / 50),
  );

const energyOf = (pcm: Int16Array) => pcm.reduce((sum, sample) => sum + sample * sample, 0);

function pass(codec: VoiceCodec, speech: Int16Array, rate: number, loss: number) {
  let state = 7;
  let bytes = 0;
  const isLost = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32 < loss;
  };
  const heard = framesOf(speech, rate).map((frame) => {
    const payload = codec.encode(frame);
    bytes += payload.length;
    const duration = codec.durationOf(payload);
    return isLost() ? codec.conceal(duration) : (codec.decode(payload) ?? codec.conceal(duration));
  });
  codec.close();
  return { heard: concat(...heard), bytes };
}

/** In samples: where what is heard is most like what was said, in the second second. */
function delayOf(speech: Int16Array, heard: Int16Array, rate: number): number {
  const part = speech.subarray(rate, 2 * rate);
  const likeness = Array.from({ length: (rate * LONGEST_DELAY_MS) / 1_000 }, (_, delay) =>
    part.reduce((sum, sample, n) => sum + sample * (heard[rate + delay + n] as number), 0),
  );
  return likeness.indexOf(Math.max(...likeness));
}
