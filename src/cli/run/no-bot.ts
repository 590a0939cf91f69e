import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { isClone, packageRoot } from '../../terminal/package-root.js';

/** What bot files are called where nothing names one. */
const NAMES = ['bot.ts', 'bot.mts', 'bot.js', 'bot.mjs'];

/** A file in this directory that is probably a bot. */
export const botFileIn = (directory: string): string | undefined =>
  NAMES.find((name) => existsSync(join(directory, name)));

/** Makes a project, which does not belong into a clone of voicebot. @param directory in which it is typed */
export function initCommand(directory: string): string {
  const isInClone = isClone && !relative(packageRoot, directory).startsWith('..');
  return `npx voicebot init ${isInClone ? relative(directory, join(packageRoot, '..', 'my-bot')) : 'my-bot'}`;
}

/** For a run that was given no bot. */
export function noBotLine(directory: string): string {
  const file = botFileIn(directory);
  return file
    ? `No bot was named, so this is the bundled demo.\n  For the one in this folder: npx voicebot run ${file}`
    : `There is no bot in this folder, so this is the bundled demo.\n  Make one of your own with: ${initCommand(directory)}`;
}
