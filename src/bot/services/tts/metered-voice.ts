import type { ServiceModel } from '../../../call/service-name.js';
import type { UnitCounts } from '../../../call/usage.js';
import type { Speech, SpeechListener, Voice, VoiceListener, VoiceSource } from './voice.js';

/** As the call's timeline has it. */
export const speechUsage = (units: UnitCounts, by: ServiceModel) =>
  ({ type: 'usage', used: [{ does: 'text_to_speech', ...by, units }] }) as const;

/** A voice that tells what its vendor is given to say, and how much sound comes of it. */
export function meteredVoice(
  voice: Voice,
  { provider, model, isCharged = true }: Pick<VoiceSource, 'provider' | 'model' | 'isCharged'>,
  { used }: Pick<VoiceListener, 'used'>,
): Voice {
  if (!used || !isCharged) return voice;
  const by = { provider, model };
  return {
    sampleRate: voice.sampleRate,
    warmUp: () => voice.warmUp(),
    close: () => voice.close(),
    speak: (listener) => speakMetered(voice, listener, (units) => used(units, by)),
  };
}

function speakMetered(
  voice: Voice,
  listener: SpeechListener,
  used: (units: { readonly character: number } | { readonly second: number }) => void,
): Speech {
  let samples = 0;
  const tellSound = () => {
    if (samples > 0) used({ second: samples / voice.sampleRate });
    samples = 0;
  };
  const speech = voice.speak({
    ...bound(listener),
    audio: (pcm) => {
      samples += pcm.length;
      listener.audio(pcm);
    },
    done: () => {
      tellSound();
      listener.done();
    },
    failed: (error) => {
      tellSound();
      listener.failed(error);
    },
  });
  return {
    say: (text) => {
      used({ character: [...text].length });
      speech.say(text);
    },
    end: () => speech.end(),
    cancel: () => {
      tellSound();
      speech.cancel();
    },
  };
}

/** A listener may be an object of a class. */
const bound = (listener: SpeechListener): SpeechListener => ({
  audio: (pcm) => listener.audio(pcm),
  words: (words) => listener.words(words),
  said: (count) => listener.said(count),
  repeats: () => listener.repeats(),
  done: () => listener.done(),
  failed: (error) => listener.failed(error),
});
