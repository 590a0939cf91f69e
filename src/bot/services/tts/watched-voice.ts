import type { ProviderError } from '../../../base/provider-error.js';
import { sharedHealth } from '../service-health.js';
import { meteredVoice } from './metered-voice.js';
import type { Voice, VoiceListener, VoiceSource } from './voice.js';
import { probeVoice } from './voice-probe.js';

/** The voice of one call, of which all calls of the process are told whether it works. @param sampleRate of the pipeline, in hertz */
export function watchedVoice(source: VoiceSource, sampleRate: number, listener: VoiceListener): Voice {
  if (source.watched === false) return source.create(sampleRate, listener); // it tells its own use, or costs nothing
  const name = { does: 'text_to_speech', provider: source.provider, model: source.model } as const;
  const failed = (error: ProviderError) => sharedHealth.failed(name, error, undefined, error.retryAfterMs);
  sharedHealth.probeWith(name, () => probeVoice(source));
  const made = source.create(sampleRate, {
    ...listener,
    troubled: (error) => {
      if (error.isFinal) failed(error);
      listener.troubled(error);
    },
  });
  const voice = meteredVoice(made, source, listener);
  return {
    sampleRate: voice.sampleRate,
    warmUp: () => voice.warmUp(),
    close: () => voice.close(),
    speak: (told) => {
      let hasSounded = false;
      return voice.speak({
        ...told,
        audio: (pcm) => {
          if (!hasSounded) sharedHealth.works(name);
          hasSounded = true;
          told.audio(pcm);
        },
        failed: (error) => {
          failed(error);
          told.failed(error);
        },
      });
    },
  };
}
