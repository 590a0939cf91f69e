import { existsSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { BuildFailure } from 'esbuild';
import { botLoadError } from './bot-load-error.js';
import { isAlive } from './is-alive.js';

/** A bot as its processes load it. */
export interface BotSource {
  /** Absolute path of the file the developer wrote. */
  readonly file: string;
  /** The same as one JavaScript module, when the file is TypeScript. */
  readonly code?: string;
}

/**
 * Makes a bot file ready for its processes. TypeScript is compiled here, once, together with the local files it imports:
 * a process that brings a compiler of its own weighs about 25 MiB more. Packages stay imports, and `import.meta.url`
 * stays that of the file it is written in.
 * @throws VoicebotError VB_BOT_LOAD_FAILED
 */
export async function prepareBot(file: string): Promise<BotSource> {
  if (!existsSync(file)) throw botLoadError(file, { message: 'there is no such file', stack: '' });
  if (!/\.[mc]?tsx?$/.test(file)) return { file };
  removeStrays(file);
  return { file, code: await compile(file) };
}

/** Where one process keeps the compiled code while it imports it: beside the source, so that packages are found from there. */
export function compiledPath(file: string, pid: number): string {
  return join(dirname(file), `.${basename(file)}.${pid}.mjs`);
}

/** Compiled code of processes that were killed together with their runner. */
function removeStrays(file: string): void {
  const prefix = `.${basename(file)}.`;
  for (const name of readdirSync(dirname(file))) {
    const pid = name.startsWith(prefix) && /^(\d+)\.mjs$/.exec(name.slice(prefix.length))?.[1];
    if (pid && !isAlive(Number(pid))) rmSync(join(dirname(file), name), { force: true });
  }
}

/** Compilations that go on: they share one compiler, which is a process of its own. */
let compilations = 0;

async function compile(file: string): Promise<string> {
  compilations += 1;
  const [{ build, stop }, { injectFileScopePlugin }] = await Promise.all([import('esbuild'), import('bundle-require')]);
  try {
    const { outputFiles } = await build({
      entryPoints: [file],
      absWorkingDir: dirname(file),
      bundle: true,
      packages: 'external',
      format: 'esm',
      platform: 'node',
      target: 'node20',
      sourcemap: 'inline',
      plugins: [injectFileScopePlugin()],
      write: false,
      logLevel: 'silent',
    });
    return outputFiles[0]?.text ?? '';
  } catch (error) {
    const [problem] = (error as Partial<BuildFailure>).errors ?? [];
    if (!problem) throw error;
    const { location } = problem;
    const place = location ? `${resolve(dirname(file), location.file)}:${location.line}` : '';
    throw botLoadError(file, { message: problem.text, stack: place });
  } finally {
    compilations -= 1;
    if (compilations === 0) await stop();
  }
}
