import { toneFor } from '../../../bot/services/tts/spoken-tones.js';
import { TtsService } from '../../../bot/services/tts/tts-service.js';
import type { Speech, SpeechListener, Voice } from '../../../bot/services/tts/voice.js';

/** Says a tone in place of each text, a tenth as long: for where no voice is installed. */
export class ToneVoice extends TtsService {
  protected override get needsKey(): boolean {
    return false;
  }

  protected override get voiceKey(): string {
    return 'tones';
  }

  protected override get language(): undefined {
    return undefined;
  }

  protected override createVoice(sampleRate: number): Voice {
    return { sampleRate, warmUp: () => {}, speak: (listener) => tones(sampleRate, listener), close: () => {} };
  }
}

function tones(sampleRate: number, listener: SpeechListener): Speech {
  let [pieces, isOver] = [0, false];
  return {
    say: (text) => {
      if (isOver) return;
      pieces += 1;
      listener.audio(toneFor(text, sampleRate));
      listener.said(pieces);
    },
    end: () => {
      if (!isOver) listener.done();
      isOver = true;
    },
    cancel: () => {
      isOver = true;
    },
  };
}
