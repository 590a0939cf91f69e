import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The list for language models as a site has it: at its root, and where the first page leads to, with links to pages of the site.
 * @param folder of the version, whose pages are made
 */
export function writeLlms(folder, list) {
  const pages = [...list.matchAll(/\]\((docs\/[^)]+)\.md\)/g)].map(([, page]) => `${page}.html`);
  const missing = pages.filter((page) => !existsSync(join(folder, page)));
  if (missing.length > 0) throw new Error(`llms.txt names pages that the site does not have: ${missing.join(', ')}`);
  const leading = (base) => list.replaceAll(/\]\((docs\/[^)]+)\.md\)/g, `](${base}$1.html)`);
  writeFileSync(join(folder, 'llms.txt'), leading(''));
  if (existsSync(join(folder, 'media/llms.txt'))) writeFileSync(join(folder, 'media/llms.txt'), leading('../'));
}

/** @param root of the project */
export const readLlms = (root) => readFileSync(join(root, 'llms.txt'), 'utf8');
