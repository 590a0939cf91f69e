import type { TypedSentences } from '../../../call/stand-ins.js';
import type { HeardBy } from '../../../call/timeline.js';
import {
  BotStartedSpeakingFrame,
  BotStoppedSpeakingFrame,
  type Frame,
  UserStartedSpeakingFrame,
  UserStoppedSpeakingFrame,
} from '../../pipeline/frames/index.js';

/**
 * Stands in for speech to text: what is typed counts as said. What is typed while the bot speaks counts when it has finished, unless
 * the caller's voice is heard over it: then it is what they say.
 */
export class StandInEar {
  #isCallerSpeaking = false;
  #isHolding = false;
  readonly #waiting: Array<Parameters<StandInEar['said']>> = [];
  readonly #take = (...sentence: Parameters<StandInEar['said']>) => {
    this.#waiting.push(sentence);
    this.#tell();
  };

  /** @param waits told of what does not count yet */
  constructor(
    private readonly typed: TypedSentences | undefined,
    private readonly said: (text: string, typedAt?: number, by?: HeardBy) => void,
    private readonly waits: (texts: string) => void = () => {},
  ) {
    typed?.on('sentence', this.#take);
  }

  see(frame: Frame): void {
    if (frame instanceof BotStartedSpeakingFrame) this.#isHolding = !this.#isCallerSpeaking;
    else if (frame instanceof BotStoppedSpeakingFrame) this.#isHolding = false;
    else if (frame instanceof UserStartedSpeakingFrame) {
      this.#isCallerSpeaking = true;
      this.#isHolding = false;
    } else if (frame instanceof UserStoppedSpeakingFrame) this.#isCallerSpeaking = false;
    else return;
    this.#tell();
  }

  close(): void {
    this.typed?.off('sentence', this.#take);
  }

  #tell(): void {
    if (!this.#isHolding) for (const sentence of this.#waiting.splice(0)) this.said(...sentence);
    else if (this.#waiting.length > 0) this.waits(this.#waiting.map(([text]) => text).join(' '));
  }
}
