import { type Deferred, deferred } from '../../base/async/deferred.js';
import { ControlFrame, type OutputAudioFrame, SystemFrame, type Turn } from '../pipeline/frames/index.js';

/** Follows all frames of a turn of the bot. When it arrives at the end of the pipeline, all that is to be heard of the turn has reached the playout. */
export class TurnEndFrame extends ControlFrame {
  constructor(readonly turn: Turn) {
    super();
  }
}

/** Travels upstream when a turn of the bot has been played, or was interrupted. */
export class TurnPlayedFrame extends SystemFrame {
  constructor(readonly turn: Turn) {
    super();
  }
}

/** When it arrives at the end of the pipeline, all audio before it has reached the playout. */
export class FlushMarkerFrame extends ControlFrame {
  readonly passed: Deferred<void> = deferred();
}

/** The message for a caller who waits: played at once, past a busy model and a busy voice. */
export class WaitMessageFrame extends SystemFrame {
  constructor(readonly audio: OutputAudioFrame) {
    super();
  }
}

/** The bot ends the call by other means: the conversation asks the model and says nothing more. */
export class StopConversationFrame extends SystemFrame {}

/** A screening assistant has answered: the conversation asks the model and says nothing until {@link RestartConversationFrame}. */
export class HoldConversationFrame extends SystemFrame {}

/** The person has come on: the conversation begins anew, with the greeting, and knows nothing of what was said before. */
export class RestartConversationFrame extends SystemFrame {
  /** @param words what the person has come on with; may be empty */
  constructor(readonly words: string) {
    super();
  }
}
