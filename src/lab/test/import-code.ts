import { rmSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { compiledPath, prepareBot } from '../../runner/bots/bot-source.js';

let imports = 0;

/**
 * A module of the project as it is now, however often it was imported before.
 * @param file absolute path
 * @param parts gets what was read of it, and of the files of the project that it imports
 */
export async function importCode(
  file: string,
  parts: Map<string, string | undefined>,
): Promise<Readonly<Record<string, unknown>>> {
  imports += 1;
  const { code } = await prepareBot(file, { keepsJavaScript: true, read: parts });
  if (code === undefined) return await import(`${pathToFileURL(file).href}?${imports}`);
  process.setSourceMapsEnabled(true); // so that lines are those of the file
  const compiled = compiledPath(file, process.pid);
  writeFileSync(compiled, code);
  try {
    return await import(`${pathToFileURL(compiled).href}?${imports}`);
  } finally {
    rmSync(compiled, { force: true });
  }
}

/** Where in a file an error was thrown; undefined where its stack does not say. */
export function lineIn(error: unknown, file: string): number | undefined {
  const { stack = '' } = Object(error) as Error;
  const line = stack.split(`${file}:`)[1]?.match(/^\d+/)?.[0];
  return line === undefined ? undefined : Number(line);
}
