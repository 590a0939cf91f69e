import { type Deferred, deferred } from '../async/deferred.js';
import { ControlFrame, type OutputAudioFrame, SystemFrame, type Turn } from '../pipeline/frames/index.js';

/** Stands behind everything of a turn of the bot; what arrives at the end of the pipeline has been said, or was dropped. */
export class TurnMarkFrame extends ControlFrame {
  constructor(readonly turn: Turn) {
    super();
  }
}

/** The same news on its way back. */
export class TurnSaidFrame extends SystemFrame {
  constructor(readonly turn: Turn) {
    super();
  }
}

/** Everything before it is being played when it arrives at the end of the pipeline. */
export class PlaceMarkFrame extends ControlFrame {
  readonly passed: Deferred<void> = deferred();
}

/** To be played at once, past a model and a voice that are busy. */
export class HoldLineFrame extends SystemFrame {
  constructor(readonly audio: OutputAudioFrame) {
    super();
  }
}

/** Somebody else leads the call to its end: the conversation asks and says nothing more. */
export class StandAsideFrame extends SystemFrame {}
