import type { TypedSentences } from '../../call/stand-ins.js';
import { BotStartedSpeakingFrame, BotStoppedSpeakingFrame, type Frame } from '../../pipeline/frames/index.js';

/** Stands in for speech to text: what is typed counts as said. What is typed while the bot speaks counts when it has finished. */
export class StandInEar {
  #isBotSpeaking = false;
  readonly #waiting: string[] = [];
  readonly #take = (text: string) => {
    this.#waiting.push(text);
    this.#tell();
  };

  constructor(
    private readonly typed: TypedSentences | undefined,
    private readonly said: (text: string) => void,
  ) {
    typed?.on('sentence', this.#take);
  }

  see(frame: Frame): void {
    if (frame instanceof BotStartedSpeakingFrame) this.#isBotSpeaking = true;
    if (!(frame instanceof BotStoppedSpeakingFrame)) return;
    this.#isBotSpeaking = false;
    this.#tell();
  }

  close(): void {
    this.typed?.off('sentence', this.#take);
  }

  #tell(): void {
    if (!this.#isBotSpeaking) for (const text of this.#waiting.splice(0)) this.said(text);
  }
}
