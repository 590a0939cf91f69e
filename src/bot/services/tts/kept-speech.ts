import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FliteOrder } from './flite-worker.js';

/** Where the processes of a test keep what flite has said; undefined: nowhere. */
let folder: string | undefined;
let written = 0;

/**
 * Has this process look in a folder for what flite is to say before it has flite say it, and keep there what was said. For tests whose
 * bots, each in a process of its own, say the same sentences again and again: making them takes longer than anything else they do.
 * @param directory that only these processes use
 */
export function keepSpeechIn(directory: string | undefined): void {
  folder = directory;
}

/** What was said before: mono samples. */
export function keptSpeech(order: FliteOrder): Int16Array<ArrayBuffer> | undefined {
  if (folder === undefined) return undefined;
  try {
    return new Int16Array(new Uint8Array(readFileSync(join(folder, nameOf(order)))).buffer);
  } catch {
    return undefined;
  }
}

/** A reader finds all of it or nothing. Where it cannot be written it is said again next time. */
export async function keepSpeech(order: FliteOrder, pcm: Int16Array): Promise<void> {
  if (folder === undefined) return;
  const path = join(folder, nameOf(order));
  written += 1;
  const partial = `${path}.${process.pid}.${written}`;
  const bytes = Buffer.from(new Uint8Array(pcm.buffer, pcm.byteOffset, pcm.byteLength));
  await writeFile(partial, bytes, { mode: 0o600 })
    .then(() => rename(partial, path))
    .catch(() => {});
}

const nameOf = ({ voice, text, sampleRate }: FliteOrder): string =>
  createHash('sha256')
    .update(JSON.stringify([voice, sampleRate, text]))
    .digest('hex');
