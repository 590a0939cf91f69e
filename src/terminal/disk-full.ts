import { VoicebotError } from '../base/errors.js';

/** No space on the disk, or none of the user's quota. */
const CODES = ['ENOSPC', 'EDQUOT'];
/** Watching files runs out of something else, and says the same. */
const WATCHING = /watch/i;

/**
 * The error of a disk that is full, out of what the system has thrown.
 * @param path what was to be written, where the system does not say it
 * @returns undefined for any other error
 */
export function diskFull(error: unknown, path?: string): VoicebotError | undefined {
  const { code = '', syscall = '', path: where = path }: NodeJS.ErrnoException = Object(error);
  if (!CODES.includes(code) || WATCHING.test(syscall)) return undefined;
  return new VoicebotError('VB_DISK_FULL', `nothing more can be written${where ? ` to ${where}` : ''} (${code})`, {
    hint: 'Free some space, or keep the state on another disk: VOICEBOT_HOME=…',
    cause: error,
  });
}
