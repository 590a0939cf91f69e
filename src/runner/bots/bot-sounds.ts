import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { decodeWav } from '../../audio/wav.js';
import { VoicebotError } from '../../errors.js';

/** `call.play('hello.wav')`, and the same with `new URL('./hello.wav', import.meta.url)`. What has variables in it is known in the call only. */
const PLAYED = /\.play\(\s*(new URL\(\s*)?(['"`])([^'"`$\n]+\.wav)\2/gi;

/**
 * Reads the sound files that a bot names where it plays them: a caller would be the first to learn that one cannot be read.
 * @param read files the bot is made of, by absolute path, with what is in them; gets a sound file that cannot be read, so that the bot is
 *   loaded again when that is mended
 * @throws VoicebotError VB_WAV_INVALID
 */
export function checkSounds(read: Map<string, string | undefined>): void {
  for (const [path, content = ''] of [...read]) {
    for (const { index, 1: isUrl, 3: name = '' } of content.matchAll(PLAYED)) {
      const before = content.slice(0, index).split('\n');
      if (/\/\/|^\s*\*/.test(before.at(-1) ?? '')) continue; // a comment
      const file = isUrl ? fileURLToPath(new URL(name, pathToFileURL(path))) : resolve(name);
      try {
        decodeWav(readFileSync(file));
      } catch (cause) {
        read.set(file, undefined);
        const { message, hint } = cause as VoicebotError;
        throw new VoicebotError('VB_WAV_INVALID', `${name}, played by ${basename(path)}:${before.length}: ${message}`, {
          hint:
            hint ??
            'is the path right? It is relative to the working directory; with new URL(path, import.meta.url), to the bot file',
          cause,
        });
      }
    }
  }
}
