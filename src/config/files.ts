import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseEnv } from 'node:util';
import { errorText } from '../base/error-text.js';
import { fileText } from '../base/file-text.js';
import { importOptionalPackage } from '../base/optional-package.js';
import type { Environment } from './environment.js';

/** Reads a `.env` file; `{}` when there is none. */
export function readEnvFile(path: string): Environment {
  return existsSync(path) ? parseEnv(fileText(path)) : {};
}

/** What the file of prices is called beside the configuration. */
export const PRICES_FILE = 'voicebot.prices.json';

/** The absolute path of the file of prices beside the configuration; undefined when none is there. */
export function pricesFileIn(directory: string): string | undefined {
  const path = join(directory, PRICES_FILE);
  return existsSync(path) ? path : undefined;
}

export interface ConfigFile {
  /** Its name, for messages. */
  readonly name: string;
  readonly values: Record<string, unknown>;
}

/** What `voicebot.config` may be called. */
export const CONFIG_FILES = ['json', 'js', 'mjs', 'ts'].map((ending) => `voicebot.config.${ending}`);

/**
 * Reads `voicebot.config.{json,js,mjs,ts}` from `directory`; a module exports its object as default.
 * @throws Error with a message for people when there are several, or when the one found is not an object
 */
export async function readConfigFile(directory: string): Promise<ConfigFile | undefined> {
  const found = CONFIG_FILES.filter((name) => existsSync(join(directory, name)));
  if (found.length > 1) throw new Error(`${found.join(' and ')} both exist; keep one`);
  const [name] = found;
  if (name === undefined) return undefined;
  const values = await load(join(directory, name)).catch((error: unknown) => {
    throw new Error(`${name} could not be read: ${errorText(error)}`);
  });
  if (typeof values !== 'object' || values === null || Array.isArray(values)) {
    throw new Error(`${name} must hold an object of settings`);
  }
  return { name, values: values as Record<string, unknown> };
}

async function load(path: string): Promise<unknown> {
  if (path.endsWith('.json')) return JSON.parse(fileText(path));
  const url = pathToFileURL(path).href;
  const module = path.endsWith('.ts') ? await importTypeScript(url) : await import(url);
  return module.default;
}

/** @throws Error naming the package that it takes */
async function importTypeScript(url: string): Promise<{ default: unknown }> {
  const tsx = (await importOptionalPackage('tsx/esm/api').catch((cause: unknown) => {
    throw new Error('TypeScript needs the package tsx: npm install tsx', { cause });
  })) as typeof import('tsx/esm/api');
  return tsx.tsImport(url, import.meta.url);
}
