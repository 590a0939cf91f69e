import { TtsService } from './tts-service.js';
import type { Voice, VoiceListener } from './voice.js';
import { VoicesInTurn } from './voices-in-turn.js';

/**
 * Speaks with the voices of several services: one that fails, or brings no sound in time, is followed by the next in the middle of the
 * word. What the first was told of phrases and of an apology holds for all.
 */
export class TtsInTurn extends TtsService {
  readonly #voices: VoicesInTurn;

  /** @param services two or more, in the order in which they are asked */
  constructor(services: readonly TtsService[]) {
    super(services[0]?.options);
    this.#voices = new VoicesInTurn(services.map(({ source }) => source));
  }

  protected override get voiceKey(): string {
    return this.#voices.key;
  }

  protected override get model(): string | undefined {
    return this.#voices.model;
  }

  protected override createVoice(sampleRate: number, listener: VoiceListener): Voice {
    return this.#voices.create(sampleRate, listener);
  }
}
