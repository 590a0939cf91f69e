import type { DoNotCallOutcome } from '../../call/do-not-call.js';
import { CallDetails } from './call-details.js';
import type { CallDoNotCall } from './call-do-not-call.js';
import type { CallKeeping } from './call-keeping.js';

/** What the other party may wish of a call: that nothing is kept, and that it is the last one. */
export abstract class CallWishes extends CallDetails {
  /** @internal */
  protected abstract readonly keeping: CallKeeping;
  /** @internal */
  protected abstract readonly list: CallDoNotCall;

  /**
   * Puts the other party's number on the do-not-call list, and tells them so: it is there, and in every runner, before they hear it. Once in a
   * call; what the bot's option `doNotCall` has done already is not done again. Never rejects.
   * @param say what they hear; default: what the option says; false: nothing
   */
  doNotCall(say?: string | false): Promise<DoNotCallOutcome> {
    return this.list.ask('tool', say);
  }

  /** Keeps nothing of what follows: audio, what is said and pressed, what functions of the model take and return. */
  pauseRecording(): void {
    this.keeping.pause();
  }

  /** Keeps everything again. */
  resumeRecording(): void {
    this.keeping.resume();
  }

  /** Keeps nothing more of the call, and has removed what there is, as the caller wishes; the bot's voice tells them so. */
  stopRecording(): void {
    this.keeping.stop();
  }
}
