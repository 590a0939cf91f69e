import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Absolute path of the installed package, with a trailing separator: where `templates/` and `package.json` are. */
export const packageRoot = fileURLToPath(new URL('../../../', import.meta.url));

/** The version in `package.json`. */
export function packageVersion(): string {
  return JSON.parse(readFileSync(`${packageRoot}package.json`, 'utf8')).version;
}
