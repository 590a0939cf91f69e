import type { EndReason } from '../call/call.js';
import { ControlFrame } from './frame.js';

/** Why a bot ends its call, as far as it may say so. */
export type BotEndReason = Extract<EndReason, 'bot_ended' | 'provider_error' | 'voicemail'>;

/** The orderly end: everything before it is played to its end, then the call is hung up and the pipeline is over. */
export class EndFrame extends ControlFrame {
  /** @param reason what the call's record says */
  constructor(readonly reason: BotEndReason = 'bot_ended') {
    super();
  }
}
