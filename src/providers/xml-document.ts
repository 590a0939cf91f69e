import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** An element of a document that is being written. */
export type XmlBuilder = ReturnType<typeof import('xmlbuilder2')['create']>;

/** Writes a carrier's document. */
export const writeResponse = (add: (response: XmlBuilder) => void): string => writeXml('Response', add);

/** Writes a document with this root. Characters that XML cannot hold are left out. */
export function writeXml(root: string, add: (root: XmlBuilder) => void): string {
  // Loaded at the first document: a process that only speaks the media stream is spared its 12 MB of memory.
  const { create } = require('xmlbuilder2') as typeof import('xmlbuilder2');
  const element = create({ version: '1.0', encoding: 'UTF-8', invalidCharReplacement: '' }).ele(root);
  add(element);
  return element.end();
}

/**
 * Text as xmlbuilder2 needs it to arrive unchanged: it takes `&copy;`, `&lt;` or `&#38;` inside a text for references
 * that are already written and leaves them, so every `&` is given as `&amp;`.
 */
export const literal = (text: string): string => text.replaceAll('&', '&amp;');
