import type { BotEndReason } from '../../../call/call.js';
import { ControlFrame } from './frame.js';

/** The orderly end: everything before it is played to its end, then the call is hung up and the pipeline is over. */
export class EndFrame extends ControlFrame {
  /** @param reason what the call's record says */
  constructor(readonly reason: BotEndReason = 'bot_ended') {
    super();
  }
}
