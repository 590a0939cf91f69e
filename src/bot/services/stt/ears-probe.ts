import { ProviderError } from '../../../base/provider-error.js';
import type { ServiceName } from '../service-health.js';
import type { EarSource } from './ear.js';

/** Longer than ears take to notice that a vendor says nothing, in milliseconds. */
const HOLD_MS = 4_000;
const FRAME_MS = 20;
const SAMPLE_RATE = 8_000;

export const earName = ({ provider, model }: EarSource): ServiceName => ({ does: 'speech_to_text', provider, model });

/**
 * Has ears hear silence, until they tell something of it, or hold a connection all the time.
 * @throws ProviderError with what is wrong with them
 */
export async function probeEars(source: EarSource): Promise<void> {
  let isConnected: boolean | undefined;
  let timer: NodeJS.Timeout | undefined;
  let frames: NodeJS.Timeout | undefined;
  let close = () => {};
  try {
    await new Promise<void>((resolve, reject) => {
      const fail = (error?: ProviderError) =>
        reject(error ?? new ProviderError(source.provider, 'VB_PROVIDER_FAILED', 'does not answer'));
      const ear = source.create(SAMPLE_RATE, {
        interim: () => resolve(),
        final: () => resolve(),
        endOfTurn: () => {},
        troubled: (error) => (error.isFinal ? fail(error) : undefined),
        connected: (is, error) => {
          if (error || (isConnected && !is)) fail(error);
          isConnected = is;
        },
      });
      close = () => ear.close();
      frames = setInterval(() => ear.write(new Int16Array((SAMPLE_RATE * FRAME_MS) / 1_000)), FRAME_MS).unref();
      timer = setTimeout(() => (isConnected === false ? fail() : resolve()), HOLD_MS).unref();
    });
  } finally {
    clearInterval(frames);
    clearTimeout(timer);
    close();
  }
}
