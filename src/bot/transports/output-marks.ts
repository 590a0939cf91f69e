import { type Deferred, deferred } from '../../base/async/deferred.js';
import { ControlFrame } from '../pipeline/frames/index.js';

/** Stands in the queue behind what the bot has said so far. */
export class SpeechMark extends ControlFrame {
  readonly reached: Deferred<void> = deferred();
}

/** Keys whose tones are to be played behind what the bot has said so far, also when it is interrupted. */
export class KeyPresses extends ControlFrame {
  readonly pressed: Deferred<void> = deferred();

  constructor(readonly digits: string) {
    super();
  }
}
