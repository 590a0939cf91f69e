import { readFile } from 'node:fs/promises';
import { decodeWav } from '../../base/audio/wav.js';
import { VoicebotError } from '../../base/errors.js';
import { OutputAudioFrame } from '../pipeline/frames/index.js';

/** What a caller can be played: audio of any length and rate. */
export type Sound = OutputAudioFrame | readonly OutputAudioFrame[];

/** What a machine that has too much to do says of any file. */
const PASSING = ['EAGAIN', 'EBUSY', 'EMFILE', 'ENFILE', 'ENOMEM', 'EIO'];

/**
 * What is in a WAV file: mono, or the first channel of several.
 * @throws VoicebotError VB_WAV_INVALID for a file that cannot be read
 */
export async function soundIn(file: string | URL): Promise<OutputAudioFrame> {
  const data = await readFile(file).catch((cause: NodeJS.ErrnoException) => {
    if (PASSING.includes(cause.code ?? '')) throw cause;
    throw new VoicebotError('VB_WAV_INVALID', `${file}: ${cause.message}`, { cause });
  });
  const { channels, sampleRate } = decodeWav(data);
  return new OutputAudioFrame(channels[0], sampleRate);
}
