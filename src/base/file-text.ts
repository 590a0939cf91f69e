import { readFileSync } from 'node:fs';

/** Reads a file in UTF-8, or in UTF-16 with a byte order mark, as Windows PowerShell writes it; without the mark. */
export function fileText(path: string): string {
  const bytes = readFileSync(path);
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  return new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8').decode(bytes);
}
