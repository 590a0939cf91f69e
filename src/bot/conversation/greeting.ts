import { TTSSpeakFrame } from '../pipeline/frames/index.js';

export interface GreetingActions {
  say(frame: TTSSpeakFrame): void;
  isBotSpeaking(): boolean;
  /** The caller is muted now, or no longer. */
  changed(): void;
}

/** Says the greeting once, and knows whether the caller is muted for it. */
export class Greeting {
  #wasSaid = false;
  #isBeingSaid = false;

  /**
   * @param text undefined where the bot waits to be spoken to
   * @param isMuting whether what the caller says meanwhile does not count
   */
  constructor(
    private readonly text: string | undefined,
    private readonly isMuting: boolean,
    private readonly actions: GreetingActions,
  ) {}

  get wasSaid(): boolean {
    return this.#wasSaid;
  }

  /** Whether what the caller says does not count now. */
  get mutes(): boolean {
    return this.#isBeingSaid && this.isMuting;
  }

  say(): void {
    if (this.#wasSaid) return;
    this.#wasSaid = true;
    if (!this.text) return;
    this.#isBeingSaid = true;
    const frame = new TTSSpeakFrame(this.text);
    this.actions.say(frame);
    this.actions.changed();
    void frame.synthesised.then(() => {
      if (!this.actions.isBotSpeaking()) this.end(); // nothing of it is to be heard any more
    });
  }

  /** The bot has said what it was saying. */
  end(): void {
    if (!this.#isBeingSaid) return;
    this.#isBeingSaid = false;
    this.actions.changed();
  }

  /** Nothing more of it is said. */
  cut(): void {
    this.#isBeingSaid = false;
  }

  /** It may be said once more, to another party. */
  restart(): void {
    this.#wasSaid = false;
  }
}
