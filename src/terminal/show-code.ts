import { relative } from 'node:path';
import type { CliContext } from './context.js';
import { ERROR_PAGE, errorDocs, errorSection } from './error-docs.js';
import type { Output } from './output.js';

/** Writes the code of an error: as a link to {@link errorDocs} where the terminal makes links, on others with the path. */
export async function showCode(code: string, output: Output, { stderr, directory }: CliContext): Promise<void> {
  const { createSupportsHyperlinks } = await import('supports-hyperlinks');
  if (createSupportsHyperlinks(stderr)) return output.link(code, errorDocs(code));
  const [path] = [relative(directory, ERROR_PAGE), ERROR_PAGE].toSorted((a, b) => a.length - b.length);
  output.line(output.paint.dim(stderr.isTTY ? `  ${code}: ${path}${errorSection(code)}` : `  ${code}`));
}
