import { cpSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../cli/voicebot.js';

/**
 * Copies parts of voicebot into a folder where every installed package is there but some.
 * @param missing names of packages, or of scopes such as `@daily-co`
 * @returns the folder
 */
export function barePackage(parts: readonly string[], missing: readonly string[]): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'voicebot-bare-')));
  for (const part of parts) cpSync(join(PACKAGE_ROOT, part), join(root, part), { recursive: true });
  const modules = join(PACKAGE_ROOT, 'node_modules');
  mkdirSync(join(root, 'node_modules'));
  for (const name of readdirSync(modules).filter((one) => !missing.includes(one) && !one.startsWith('.'))) {
    symlinkSync(join(modules, name), join(root, 'node_modules', name));
  }
  return root;
}
