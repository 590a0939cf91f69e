import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ERROR_SUMMARIES, type ErrorFields, VoicebotError, type VoicebotErrorOptions } from '../../base/errors.js';
import type { Exception } from '../../base/exception/exception.js';
import type { CodePlace } from '../../base/exception/exception-of.js';
import { shellWord } from '../../base/process/shell-word.js';

const NO_ESPEAK_HINT = 'use flite(), a voice that needs no key, or the voice of a provider, such as cartesia()';

export interface LoadFailure {
  readonly message: string;
  readonly stack: string;
  /** The error that the bot file has thrown, when it is one of ours. */
  readonly known?: ErrorFields;
  /** Where in the user's files. */
  readonly exception?: Exception;
}

/** A bot file that does not load, with the place where it fails. */
export class BotLoadError extends VoicebotError {
  constructor(
    detail: string,
    readonly exception: Exception | undefined,
    options: VoicebotErrorOptions = {},
  ) {
    super('VB_BOT_LOAD_FAILED', detail, options);
  }
}

/**
 * What to send to another process of an error that is one of ours. Goes by name and code: the bot file may import another
 * copy of this package than the one that runs it.
 */
export function knownError(error: unknown): ErrorFields | undefined {
  const { name, code, message, hint }: Partial<VoicebotError> = Object(error);
  if (name !== 'VoicebotError' || !code || !Object.hasOwn(ERROR_SUMMARIES, code)) return undefined;
  return { code, message: String(message), hint };
}

/**
 * What the bot file itself refused to load with, else which file, which line and why, as far as the loader tells.
 * @param parts other files the bot is made of: one of them is named when the bot file is not
 */
export function botLoadError(
  botFile: string,
  { message, stack, known, exception }: LoadFailure,
  parts: readonly string[] = [],
): VoicebotError {
  if (known?.code === 'VB_CREDENTIALS_MISSING') {
    return VoicebotError.revive({
      ...known,
      hint: `${known.hint}; or try the bot without keys: npx voicebot run ${shellWord(relative('', botFile))} --stand-ins`,
    });
  }
  if (known) return VoicebotError.revive(known);
  const place = findPlace(botFile, parts, `${message}\n${stack}`);
  const [reason = ''] = message.split('\n', 1);
  const hasRemovedVoice = /does not provide an export named '(espeak|EspeakTTS)'/.test(reason);
  const missing = /^Cannot find package '([^']+)'/.exec(message)?.[1];
  let hint =
    'a bot file has `export default defineBot({ … })`, as `npx voicebot init` writes it; `voicebot run` without a file runs the demo bot';
  if (missing) hint = `npm install ${missing}`;
  else if (hasRemovedVoice) hint = NO_ESPEAK_HINT;
  return new BotLoadError(`${place}: ${reason}`, exception?.file ? exception : undefined, { hint, cause: stack });
}

/** The first place inside the bot's file that the error names, else the first in one of its parts, else the file alone. */
function findPlace(botFile: string, parts: readonly string[], text: string): string {
  const named = text.matchAll(/(?:file:\/\/)?(\/[^\s():]+|[A-Z]:[^\s():]+):(\d+)/g);
  // `file:///C:/bot.ts` is `C:\bot.ts`.
  const places = [...named].map(([, file = '', line]) => ({
    file: /^[A-Z]:/.test(file) ? file.replaceAll('/', '\\') : file,
    line,
  }));
  const place = places.find(({ file }) => file === botFile) ?? places.find(({ file }) => parts.includes(file));
  return place ? `${place.file}:${place.line}` : botFile;
}

/** Where a syntax error is, from what Node prints around it: the place, the line, and a caret below the column. */
export function placeInCheck(text: string): CodePlace | undefined {
  const [, where = '', line, before] = /^(file:\/\/\/.*|\/.*|[A-Z]:.*):(\d+)\n.*\n([ \t]*)\^/m.exec(text) ?? [];
  if (line === undefined) return undefined;
  const file = where.startsWith('file:') ? fileURLToPath(where) : where;
  return { file, line: Number(line), column: (before ?? '').length + 1 };
}
