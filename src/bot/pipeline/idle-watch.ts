import { SilenceWatch } from '../../call/silence-watch.js';
import {
  BotStartedSpeakingFrame,
  BotStoppedSpeakingFrame,
  DtmfFrame,
  type Frame,
  InterimTranscriptionFrame,
  TranscriptionFrame,
  UserWordsFrame,
} from './frames/index.js';

/**
 * Calls `onIdle` once when the bot has not spoken, no words of the caller were understood and no key was pressed for `limitMs`; 0 means never.
 * A voice alone does not count: it may be noise, or music.
 */
export class IdleWatch {
  readonly #silence: SilenceWatch;
  #isBotSpeaking = false;
  #excuses = 0;

  constructor(limitMs: number, onIdle: () => void) {
    const isExcused = () => this.#isBotSpeaking || this.#excuses > 0;
    this.#silence = new SilenceWatch({ limitMs, isExcused, onSilence: onIdle });
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

  /** Until the returned function is called, once, idleness means nothing: the limit begins afresh then. */
  excuse(): () => void {
    this.#excuses += 1;
    return () => {
      this.#excuses -= 1;
      this.#silence.activity();
    };
  }

  stop(): void {
    this.#silence.stop();
  }
}

function isUserActivity(frame: Frame): boolean {
  if (frame instanceof TranscriptionFrame || frame instanceof InterimTranscriptionFrame)
    return frame.text.trim() !== '';
  return frame instanceof UserWordsFrame || frame instanceof DtmfFrame;
}
