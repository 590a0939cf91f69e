import { readFileSync } from 'node:fs';
import { decodeWav } from '../../base/audio/wav.js';
import { OutputAudioFrame } from './frames/index.js';

/** What callers hear when no vendor can speak: that we are sorry and goodbye, or that it takes a moment. In English. */
export type RecordedLine = 'apology' | 'one-moment';

const lines = new Map<RecordedLine, OutputAudioFrame>();

/** A line that was recorded beforehand, for want of a voice. Read once, when it is first asked for. */
export function recordedLine(name: RecordedLine): OutputAudioFrame {
  const known = lines.get(name);
  if (known) return known;
  const file = new URL(`../../../assets/${name}.wav`, import.meta.url); // the same from src/ and from dist/
  const { channels, sampleRate } = decodeWav(readFileSync(file));
  const line = new OutputAudioFrame(channels[0], sampleRate);
  lines.set(name, line);
  return line;
}
