import { readFileSync } from 'node:fs';
import { decodeWav } from '../../base/audio/wav.js';
import { OutputAudioFrame } from './frames/index.js';

/** What callers hear when no vendor can speak: that we are sorry and goodbye, or that it takes a moment. In English. */
export type RecordedLine = 'apology' | 'one-moment';

const TEXTS: Readonly<Record<RecordedLine, string>> = {
  apology: 'We are sorry. We cannot take your call right now. Please try again later. Goodbye.',
  'one-moment': 'One moment, please.',
};

const lines = new Map<RecordedLine, LineFrame>();

/** Audio that is no answer: the caller hears that it takes a moment, or that the bot is sorry. */
export class LineFrame extends OutputAudioFrame {
  /** @param text empty where it is not known */
  constructor(
    { pcm, sampleRate }: OutputAudioFrame,
    readonly line: 'hold' | 'apology',
    readonly text = '',
  ) {
    super(pcm, sampleRate);
  }
}

/** A line that was recorded beforehand, for want of a voice. Read once, when it is first asked for. */
export function recordedLine(name: RecordedLine): OutputAudioFrame {
  const known = lines.get(name);
  if (known) return known;
  const file = new URL(`../../../assets/${name}.wav`, import.meta.url); // the same from src/ and from dist/
  const { channels, sampleRate } = decodeWav(readFileSync(file));
  const audio = new OutputAudioFrame(channels[0], sampleRate);
  const line = new LineFrame(audio, name === 'apology' ? 'apology' : 'hold', TEXTS[name]);
  lines.set(name, line);
  return line;
}
