import { ProviderError } from '../../../base/provider-error.js';
import { tookToSound } from './usual-first-sound.js';
import type { VoiceSource } from './voice.js';

/** How long a voice may take that is asked whether it works again, in milliseconds. */
const PROBE_MS = 5_000;
const SAMPLE_RATE = 8_000;

/** Has a voice say one word that no caller hears. @throws ProviderError with what is wrong with it */
export async function probeVoice(source: VoiceSource): Promise<void> {
  const voice = source.create(SAMPLE_RATE, { troubled: () => {} });
  const askedAt = performance.now();
  let timer: NodeJS.Timeout | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      const speech = voice.speak({
        audio: () => {
          tookToSound(source, performance.now() - askedAt);
          speech.cancel();
          resolve();
        },
        words: () => {},
        said: () => {},
        repeats: () => {},
        done: () => resolve(),
        failed: reject,
      });
      const late = () =>
        reject(new ProviderError(source.provider, 'VB_PROVIDER_FAILED', `no audio for ${PROBE_MS} ms`));
      timer = setTimeout(late, PROBE_MS).unref();
      speech.say('Yes.');
      speech.end();
    });
  } finally {
    clearTimeout(timer);
    voice.close();
  }
}
