import { readFileSync } from 'node:fs';
import { decodeWav } from '../../base/audio/wav.js';
import { OutputAudioFrame } from './frames/index.js';
import type { Language } from './language.js';

/** What callers hear when no vendor can speak: that we are sorry and goodbye, or that it takes a moment. */
export type RecordedLine = 'apology' | 'one-moment';

const TEXTS: Readonly<Record<RecordedLine, Readonly<Record<Language, string>>>> = {
  apology: {
    en: 'We are sorry. We cannot take your call right now. Please try again later. Goodbye.',
    de: 'Es tut uns leid. Wir können Ihren Anruf gerade nicht annehmen. Bitte versuchen Sie es später noch einmal. Auf Wiederhören.',
    es: 'Lo sentimos. No podemos atender su llamada en este momento. Por favor, inténtelo más tarde. Adiós.',
    fr: 'Nous sommes désolés. Nous ne pouvons pas prendre votre appel pour le moment. Veuillez rappeler plus tard. Au revoir.',
    it: 'Siamo spiacenti. Al momento non possiamo rispondere alla sua chiamata. La preghiamo di riprovare più tardi. Arrivederci.',
  },
  'one-moment': {
    en: 'One moment, please.',
    de: 'Einen Moment, bitte.',
    es: 'Un momento, por favor.',
    fr: "Un instant, s'il vous plaît.",
    it: 'Un momento, per favore.',
  },
};

const lines = new Map<string, LineFrame>();

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
export function recordedLine(name: RecordedLine, language: Language = 'en'): OutputAudioFrame {
  const file = language === 'en' ? `${name}.wav` : `${name}.${language}.wav`;
  const known = lines.get(file);
  if (known) return known;
  const url = new URL(`../../../assets/${file}`, import.meta.url); // the same from src/ and from dist/
  const { channels, sampleRate } = decodeWav(readFileSync(url));
  const audio = new OutputAudioFrame(channels[0], sampleRate);
  const line = new LineFrame(audio, name === 'apology' ? 'apology' : 'hold', TEXTS[name][language]);
  lines.set(file, line);
  return line;
}
