import { existsSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Absolute path of the installed package, with a trailing separator: where `templates/` and `package.json` are. */
export const packageRoot = fileURLToPath(new URL('../../', import.meta.url));

/** Whether voicebot itself is a clone of its repository, and no installed package. */
export const isClone: boolean =
  !packageRoot.split(sep).includes('node_modules') && existsSync(join(packageRoot, 'scripts'));
