import { createHash } from 'node:crypto';

/** What the participants of one call are called in its room, the same for every bot that the call has: 36 characters at most. */
export interface RoomUserIds {
  readonly bot: string;
  /** The number that the bot dials; that of the room's own call has no name. */
  readonly leg?: string;
}

/** Those of the call that a room was opened for. */
export const OWN_USER_IDS: RoomUserIds = { bot: 'voicebot' };

const BESIDE = 'voicebot-';

/** Those of a call that was dialled beside it, out of the same room. @param callId the runner's identifier of that call */
export function besideUserIds(callId: string): RoomUserIds {
  const mark = createHash('sha256').update(callId).digest('hex').slice(0, 16);
  return { bot: `${BESIDE}${mark}`, leg: `${BESIDE}leg-${mark}` };
}

/** Whether a participant is the bot or the number of a call that was dialled beside the room's own. */
export const isBeside = ({ userId }: { readonly userId?: string | undefined }): boolean =>
  userId?.startsWith(BESIDE) ?? false;
