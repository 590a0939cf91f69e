// Whether `dist` is what the sources of this clone say.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const INPUTS = ['src', 'package.json', 'tsconfig.json', 'templates/demo/bot.ts'];

/** Zero for a file that is not there. */
export const changedAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** When the youngest file or folder at or below `path` changed; a deleted file makes its folder young. */
export function newest(path) {
  const own = changedAt(path);
  if (!statSync(path).isDirectory()) return own;
  return readdirSync(path).reduce((latest, name) => Math.max(latest, newest(join(path, name))), own);
}

/** The file that is written last when all is compiled. */
export const lastCompiled = (root) => join(root, 'dist', 'cli', 'main.js');

export const isCompiled = (root) =>
  changedAt(lastCompiled(root)) > Math.max(...INPUTS.map((path) => newest(join(root, path))));
