import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Builds the library and compiles the processes that are measured, so that they run as plain JavaScript on `dist`: a
 * TypeScript loader would be measured along with them.
 */
export function compile(): void {
  run(join(root, 'scripts/setup.mjs'));
  run(join(root, 'node_modules/typescript/bin/tsc'), '-p', join(root, 'bench/tsconfig.json'));
}

/** Path of a compiled file, by its path in the repository without the extension. */
export const compiled = (path: string): string => join(root, 'bench/compiled', `${path}.js`);

function run(...command: string[]): void {
  const { status } = spawnSync(process.execPath, command, { cwd: root, stdio: 'inherit' });
  if (status !== 0) throw new Error(`failed: node ${command.join(' ')}`);
}
