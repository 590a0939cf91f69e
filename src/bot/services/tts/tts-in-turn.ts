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
  constructor(private readonly services: readonly TtsService[]) {
    super(services[0]?.options);
    this.#voices = new VoicesInTurn(services.map(({ source }) => source));
  }

  protected override get isWatched(): boolean {
    return false;
  }

  protected override get voiceKey(): string {
    return this.#voices.key;
  }

  protected override get model(): string | undefined {
    return this.#voices.model;
  }

  protected override get language(): string | undefined {
    return this.#voices.language;
  }

  override inLanguage(language: string): TtsService {
    const others = this.services.map((service) => service.inLanguage(language));
    return others.every((other, index) => other === this.services[index]) ? this : new TtsInTurn(others);
  }

  override speaks(language: string): boolean {
    return this.services.every((service) => service.speaks(language));
  }

  protected override createVoice(sampleRate: number, listener: VoiceListener): Voice {
    return this.#voices.create(sampleRate, listener);
  }
}
