import { VoicebotError } from '../errors.js';

/** Says which file, which line and why, as far as the loader's own error tells. */
export function botLoadError(botFile: string, { message, stack }: { message: string; stack: string }): VoicebotError {
  const place = findPlace(botFile, `${message}\n${stack}`);
  const reason = message.split('\n', 1)[0];
  return new VoicebotError('VB_BOT_LOAD_FAILED', `${place}: ${reason}`, {
    hint: 'a bot file exports `async function bot(args)`; `voicebot run` without a file runs the demo bot',
    cause: stack,
  });
}

/** The first place inside the bot's file that the error names, else the file alone. */
function findPlace(botFile: string, text: string): string {
  const places = text.matchAll(/(?:file:\/\/)?(\/[^\s():]+|[A-Z]:[^\s():]+):(\d+)/g);
  const line = [...places].find(([, file]) => file === botFile)?.[2];
  return line ? `${botFile}:${line}` : botFile;
}
