import type { HangupCause } from '../network/hangup-causes.js';

/** Why a room ends a call, beside the causes of the telephone network. Intended ends have the code of a normal end. */
export const ROOM_HANGUP_CAUSES = {
  ejected: { code: 4000, name: 'Removed From Room', cause: 'NORMAL_CLEARING', status: 'completed' },
  roomOver: { code: 4000, name: 'Room Over', cause: 'NORMAL_CLEARING', status: 'completed' },
  roomDeleted: { code: 4000, name: 'Room Deleted', cause: 'NORMAL_CLEARING', status: 'completed' },
  roomExpired: { code: 6000, name: 'Room Expired', cause: 'ALLOTTED_TIMEOUT', status: 'completed' },
  transferFailed: { code: 6030, name: 'Transfer Failed', cause: 'NORMAL_CLEARING', status: 'failed' },
  notForwarded: { code: 6020, name: 'Held Call Not Forwarded', cause: 'RECOVERY_ON_TIMER_EXPIRE', status: 'failed' },
} as const satisfies Record<string, HangupCause>;
