import { VoicebotError } from '../../base/errors.js';

/** @returns VB_TUNNEL_FAILED: who asks for a call comes again, as while the tunnel is being opened */
export const dialsLater = (): VoicebotError =>
  new VoicebotError('VB_TUNNEL_FAILED', 'no call is placed before this run has its number', {
    hint: 'Answer its question in its terminal',
  });
