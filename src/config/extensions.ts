import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { errorText } from '../base/error-text.js';
import { type ExtensionProblem, type ExtensionSource, loadExtensions } from '../providers/registry/extensions.js';
import { SETTINGS } from './settings.js';

/** The extensions that a person has named, and where. */
export interface NamedExtensions {
  readonly raw: unknown;
  /** For messages: `VOICEBOT_EXTENSIONS in .env`. */
  readonly place: string;
}

/**
 * Loads the extensions of a folder: packages that are installed there, and modules below or beside it.
 * @throws VoicebotError VB_EXTENSION_INVALID naming everything that is wrong with any of them
 */
export async function useNamedExtensions(named: NamedExtensions | undefined, directory: string): Promise<void> {
  if (!named) return;
  let names: readonly string[];
  try {
    names = SETTINGS.extensions.parse(named.raw);
  } catch {
    return; // told with what is wrong with the other settings
  }
  const found = names.map((name) => sourceOf(name, directory, named.place));
  const problems = found.filter((one): one is ExtensionProblem => 'text' in one);
  const sources = found.filter((one): one is ExtensionSource => 'url' in one);
  await loadExtensions(sources, problems);
}

function sourceOf(name: string, directory: string, place: string): ExtensionSource | ExtensionProblem {
  if (name.startsWith('.')) {
    const path = resolve(directory, name);
    if (existsSync(path)) return { name, url: pathToFileURL(path).href };
    return {
      text: `${name} (${place}) is not there: ${path}`,
      hint: 'Correct the path, which is from the folder of the project',
    };
  }
  try {
    return { name, url: pathToFileURL(createRequire(join(directory, 'package.json')).resolve(name)).href };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'MODULE_NOT_FOUND') return { text: `${name} (${place}) has no module to import: ${errorText(error)}` };
    return {
      text: `${name} (${place}) is not installed`,
      hint: `Install it in this folder: npm install ${packageOf(name)}`,
    };
  }
}

const packageOf = (name: string) => name.split('/', name.startsWith('@') ? 2 : 1).join('/');
