import { relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { CliContext } from './context.js';
import type { Output } from './output.js';
import { packageRoot } from './package-root.js';

const PAGE = `${packageRoot}docs/errors.md`;

const sectionOf = (code: string) => `#${code.toLowerCase()}`;

/** Where the installed package explains an error: a `file:` address with the anchor of its section. */
export const errorDocs = (code: string): string => `${pathToFileURL(PAGE)}${sectionOf(code)}`;

/** Writes the code of an error: as a link to {@link errorDocs} where the terminal makes links, on others with the path. */
export async function showCode(code: string, output: Output, { stderr, directory }: CliContext): Promise<void> {
  const { createSupportsHyperlinks } = await import('supports-hyperlinks');
  if (createSupportsHyperlinks(stderr)) return output.link(code, errorDocs(code));
  const [path] = [relative(directory, PAGE), PAGE].toSorted((a, b) => a.length - b.length);
  output.line(output.paint.dim(stderr.isTTY ? `  ${code}: ${path}${sectionOf(code)}` : `  ${code}`));
}
