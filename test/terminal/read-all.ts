import type { Readable } from 'node:stream';

/** What has been written to a stream since it was asked last: from Node.js 26 on, `read()` gives one piece of it at a time. */
export function readAll(stream: Readable): string {
  let text = '';
  for (let piece = stream.read(); piece !== null; piece = stream.read()) text += String(piece);
  return text;
}
