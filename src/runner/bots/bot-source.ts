import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BuildFailure, Loader, Message, Plugin } from 'esbuild';
import { VoicebotError } from '../../base/errors.js';
import { type CodePlace, exceptionAt } from '../../base/exception/exception-of.js';
import { importOptionalPackage } from '../../base/optional-package.js';
import { isAlive } from '../../base/process/is-alive.js';
import { botLoadError } from './bot-load-error.js';
import { checkSounds } from './bot-sounds.js';

/** A bot as its processes load it. */
export interface BotSource {
  /** Absolute path of the file the developer wrote. */
  readonly file: string;
  /** The same as one JavaScript module. Without it the file is imported as it is. */
  readonly code?: string;
  /** Absolute paths of the files that `code` was made of: a load error names a line of one of them. */
  readonly parts?: readonly string[];
}

export interface PrepareOptions {
  /**
   * JavaScript is compiled too, where there is a compiler, so that processes started later load what was there now.
   * Default false.
   */
  keepsJavaScript?: boolean;
  /**
   * Gets the files that were read, by absolute path, with what was in them; `undefined` for one that was looked for in
   * vain. Filled also when the bot cannot be made ready.
   */
  read?: Map<string, string | undefined>;
}

/**
 * Makes a bot file ready for its processes. TypeScript is compiled here, once, together with the local files it imports:
 * a process that brings a compiler of its own weighs about 25 MiB more. Packages stay imports, and `import.meta.url`
 * stays that of the file it is written in. The compiler is one that users install beside us.
 * @throws VoicebotError VB_BOT_LOAD_FAILED, also for a sound file that it plays, VB_CONFIG_INVALID when the file is TypeScript and there is no
 *   compiler
 */
export async function prepareBot(file: string, options: PrepareOptions = {}): Promise<BotSource> {
  const { keepsJavaScript = false, read = new Map() } = options;
  read.set(file, contentOf(file));
  if (!existsSync(file)) throw botLoadError(file, { message: 'there is no such file', stack: '' });
  const isTypeScript = /\.[mc]?tsx?$/.test(file);
  const checked = (source: BotSource): BotSource => {
    checkSounds(read);
    return source;
  };
  if (!keepsJavaScript && !isTypeScript) return checked({ file });
  const compiler = await loadCompiler().catch((cause: unknown) => {
    if (!isTypeScript) return undefined;
    throw new VoicebotError('VB_CONFIG_INVALID', `${file} is TypeScript, which needs the package tsx`, {
      hint: 'npm install tsx',
      cause,
    });
  });
  if (!compiler) return checked({ file });
  removeStrays(file);
  return checked({ file, code: await compile(compiler, file, read), parts: [...read.keys()] });
}

/** What is in a file now; `undefined` when it cannot be read. */
export function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
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

type Compiler = typeof import('esbuild');

const loadCompiler = () => importOptionalPackage('esbuild', 'tsx') as Promise<Compiler>;

async function compile(
  { build, stop }: Compiler,
  file: string,
  read: Map<string, string | undefined>,
): Promise<string> {
  compilations += 1;
  const directory = dirname(file);
  const readFile = (path: string) => {
    const content = readFileSync(path, 'utf8');
    read.set(path, content);
    return content;
  };
  try {
    const { outputFiles, metafile } = await build({
      entryPoints: [file],
      absWorkingDir: directory,
      bundle: true,
      packages: 'external',
      external: ['*.node', '*.wasm'],
      format: 'esm',
      platform: 'node',
      target: 'node20',
      sourcemap: 'inline',
      banner: { js: requireFrom(file) },
      plugins: [keepPlaces(readFile)],
      define: PLACES,
      metafile: true,
      write: false,
      logLevel: 'silent',
    });
    for (const input of Object.keys(metafile.inputs)) {
      const path = resolve(directory, input);
      if (!read.has(path)) read.set(path, contentOf(path)); // data, such as JSON, which the plugin leaves to the compiler
    }
    return outputFiles[0]?.text ?? '';
  } catch (error) {
    const { errors = [] } = error as Partial<BuildFailure>;
    for (const path of errors.flatMap((problem) => lookedFor(problem, directory))) read.set(path, contentOf(path));
    const [problem] = errors;
    if (!problem) throw error;
    const { location } = problem;
    const path = location && resolve(directory, location.file);
    const place = location && path ? compiledPlace({ ...location, file: path }) : undefined;
    throw botLoadError(
      file,
      {
        message: problem.text,
        stack: place ? `${place.file}:${place.line}` : '',
        exception: exceptionAt(problem.text, place),
      },
      path ? [path] : [],
    );
  } finally {
    compilations -= 1;
    if (compilations === 0) await stop();
  }
}

/** Where the compiler has found a mistake, in the file as the user has it. @param column from 0 */
const compiledPlace = ({ file, line, column }: CodePlace & { readonly column: number }): CodePlace => ({
  file,
  line,
  column: Math.max(0, column - (line === 1 ? placesOf(file).length : 0)) + 1,
});

/** What stands for the place of a file in its own code, which is compiled into that of another. */
const PLACES = {
  __dirname: '__voicebot_dirname',
  __filename: '__voicebot_filename',
  'import.meta.url': '__voicebot_url',
};

/** What stands before the first line of a file, in that line. */
export function placesOf(path: string): string {
  const places = {
    [PLACES.__filename]: path,
    [PLACES.__dirname]: dirname(path),
    [PLACES['import.meta.url']]: pathToFileURL(path).href,
  };
  const lines = Object.entries(places).map(([name, place]) => `const ${name} = ${JSON.stringify(place)};`);
  return lines.join('');
}

/** Each file knows where it is, as if it were not compiled. */
const keepPlaces = (readFile: (path: string) => string): Plugin => ({
  name: 'keep-places',
  setup(build) {
    build.onLoad({ filter: /\.([mc]?[jt]s|[jt]sx)$/ }, ({ path }) => {
      const loader = extname(path).slice(1).replace(/^[mc]/, '') as Loader;
      return { contents: placesOf(path) + readFile(path), loader };
    });
  },
});

/** CommonJS among the local files calls a `require`, which a module does not have. */
function requireFrom(file: string): string {
  const url = JSON.stringify(pathToFileURL(file).href);
  return `import { createRequire as createVoicebotRequire } from 'node:module'; const require = createVoicebotRequire(${url});`;
}

/** The files of which any one would have mended an import that leads nowhere. */
function lookedFor({ text, location }: Message, directory: string): string[] {
  const wanted = /^Could not resolve "(\.{0,2}\/[^"]+)"/.exec(text)?.[1];
  if (!wanted || !location) return [];
  const path = resolve(dirname(resolve(directory, location.file)), wanted);
  const stem = path.replace(/\.[mc]?[jt]sx?$/, '');
  const endings = ['ts', 'tsx', 'mts', 'cts', 'js', 'jsx', 'mjs', 'cjs', 'json'].map((ending) => `${stem}.${ending}`);
  return [...new Set([path, ...endings, join(path, 'index.ts'), join(path, 'index.js')])];
}
