import { VoicebotError } from '../../base/errors.js';

export const mebibytes = (bytes: number) => `${Math.ceil(bytes / 2 ** 20)} MiB`;

/** Why a process is not used that has taken too much already. */
export const tooLarge = (file: string, residentBytes: number) =>
  new VoicebotError('VB_BOT_LOAD_FAILED', `${file} takes ${mebibytes(residentBytes)} of memory before its first call`, {
    hint: 'allow its processes more with VOICEBOT_BOT_MEMORY_MIB',
  });
