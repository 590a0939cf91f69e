import { basename, join } from 'node:path';
import { build } from 'esbuild';

/**
 * Makes one file of a TypeScript program and all that it imports, for tests that start it many times and kill it.
 * @param source absolute path
 * @param from `import.meta.url` of the test: packages are found from there
 * @returns absolute path of the program, for Node.js
 */
export async function bundledProgram(source: string, directory: string, from: string): Promise<string> {
  const program = join(directory, basename(source).replace(/\.ts$/, '.cjs'));
  await build({
    entryPoints: [source],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    define: { 'import.meta.url': JSON.stringify(from) },
  });
  return program;
}
