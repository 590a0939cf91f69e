import { type SpeechListener, TtsService, type Voice } from '../../../src/doors/services.js';
import { buzz } from '../../../src/lab/kit/index.js';

/** How long the voice takes for a character, in milliseconds. */
const CHARACTER_MS = 30;

/** A voice of this machine, which buzzes. */
export class BuzzTTS extends TtsService {
  override get needsKey(): boolean {
    return false;
  }

  override get voiceKey(): string {
    return 'buzz';
  }

  override createVoice(sampleRate: number): Voice {
    const speak = (listener: SpeechListener) => {
      let count = 0;
      const say = (text: string) => {
        count += 1;
        listener.audio(buzz(text.length * CHARACTER_MS, sampleRate));
        listener.said(count);
      };
      return { say, end: () => listener.done(), cancel: () => {} };
    };
    return { sampleRate, speak, warmUp: () => {}, close: () => {} };
  }
}
