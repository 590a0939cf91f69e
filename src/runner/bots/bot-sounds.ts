import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { decodeWav } from '../../base/audio/wav.js';
import { VoicebotError } from '../../base/errors.js';

/** `call.play('hello.wav')`, and the same with `new URL('./hello.wav', import.meta.url)`. What has variables in it is known in the call only. */
const PLAYED =
  /\bcall\.play\(\s*(?:(['"`])([^'"`$:\n]+\.wav)\1\s*\)|new URL\(\s*(['"`])([^'"`$:\n]+\.wav)\3\s*,\s*import\.meta\.url\s*\))/gi;
/** In block comments, and behind `//`. */
const COMMENTED = /\/\*[\s\S]*?\*\/|(?<![:'"`])\/\/.*/g;

/**
 * Reads the sound files that a bot names where it plays them: a caller would be the first to learn that one cannot be read. One that is
 * not there yet may be made before it is played.
 * @param read files the bot is made of, by absolute path, with what is in them; gets a sound file that cannot be read, so that the bot is
 *   loaded again when that is mended
 * @throws VoicebotError VB_BOT_LOAD_FAILED
 */
export function checkSounds(read: Map<string, string | undefined>): void {
  for (const [path, content = ''] of [...read]) {
    const code = content.replaceAll(COMMENTED, (comment) => comment.replaceAll(/[^\n]/g, ' '));
    for (const { index, 2: name, 4: beside = '' } of code.matchAll(PLAYED)) {
      const file = name === undefined ? fileURLToPath(new URL(beside, pathToFileURL(path))) : resolve(name);
      const bytes = bytesOf(file);
      if (!bytes) continue;
      try {
        decodeWav(bytes);
      } catch (cause) {
        read.set(file, bytes.toString());
        const line = code.slice(0, index).split('\n').length;
        const { message, hint } = cause as VoicebotError;
        const detail = `${path}:${line}: it plays ${name ?? beside}: ${message}`;
        throw new VoicebotError('VB_BOT_LOAD_FAILED', detail, { hint, cause });
      }
    }
  }
}

/** Undefined for a file that is not there, or is no file. */
function bytesOf(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}
