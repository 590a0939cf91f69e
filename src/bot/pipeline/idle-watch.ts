import { SilenceWatch } from '../../call/silence-watch.js';
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
  readonly #silence: SilenceWatch;
  #isBotSpeaking = false;

  constructor(limitMs: number, onIdle: () => void) {
    this.#silence = new SilenceWatch({ limitMs, isExcused: () => this.#isBotSpeaking, onSilence: onIdle });
  }

  start(): void {
    this.#silence.start();
  }

  see(frame: Frame): void {
    if (frame instanceof BotStartedSpeakingFrame) this.#isBotSpeaking = true;
    else if (frame instanceof BotStoppedSpeakingFrame) this.#isBotSpeaking = false;
    else if (!isUserActivity(frame)) return;
    this.#silence.activity();
  }

  stop(): void {
    this.#silence.stop();
  }
}

function isUserActivity(frame: Frame): boolean {
  return (
    frame instanceof UserStartedSpeakingFrame || frame instanceof UserStoppedSpeakingFrame || frame instanceof DtmfFrame
  );
}
