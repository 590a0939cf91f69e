import {
  BotStartedSpeakingFrame,
  BotStoppedSpeakingFrame,
  DtmfFrame,
  type Frame,
  UserStartedSpeakingFrame,
  UserStoppedSpeakingFrame,
} from './frames/index.js';

/** Calls `onIdle` once when neither side has spoken and no key was pressed for `limitMs`; 0 means never. */
export class IdleWatch {
  #timer: NodeJS.Timeout | undefined;
  #isBotSpeaking = false;

  constructor(
    readonly limitMs: number,
    private readonly onIdle: () => void,
  ) {}

  start(): void {
    if (this.limitMs > 0) this.#timer = setTimeout(() => this.#check(), this.limitMs);
  }

  see(frame: Frame): void {
    if (frame instanceof BotStartedSpeakingFrame) this.#isBotSpeaking = true;
    else if (frame instanceof BotStoppedSpeakingFrame) this.#isBotSpeaking = false;
    else if (!isUserActivity(frame)) return;
    this.#timer?.refresh();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #check(): void {
    if (this.#isBotSpeaking) this.#timer?.refresh();
    else this.onIdle();
  }
}

function isUserActivity(frame: Frame): boolean {
  return (
    frame instanceof UserStartedSpeakingFrame || frame instanceof UserStoppedSpeakingFrame || frame instanceof DtmfFrame
  );
}
