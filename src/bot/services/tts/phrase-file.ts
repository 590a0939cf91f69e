import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { renameOver } from '../../../base/process/rename-over.js';
import type { Phrase } from './phrase.js';

/** The first line of a file: all but the samples, which follow as 16-bit PCM, low byte first. */
const HEADER = z.object({
  version: z.literal(1),
  key: z.string(),
  sampleRate: z.number().int().positive(),
  digest: z.string(),
  texts: z.array(z.object({ text: z.string(), start: z.number().int().nonnegative() })).min(1),
  words: z.array(z.object({ text: z.string(), startMs: z.number(), endMs: z.number() })),
});

/** Reads a phrase; undefined when there is none, or when its file is damaged. */
export async function readPhrase(directory: string, key: string): Promise<Phrase | undefined> {
  try {
    const bytes = await readFile(pathOf(directory, key));
    const end = bytes.indexOf('\n');
    const header = HEADER.parse(JSON.parse(bytes.subarray(0, end).toString()));
    const samples = bytes.subarray(end + 1);
    if (header.key !== key || header.digest !== digestOf(samples) || samples.length % 2 !== 0) return undefined;
    const pcm = new Int16Array(samples.length / 2);
    for (let i = 0; i < pcm.length; i += 1) pcm[i] = samples.readInt16LE(2 * i);
    return { sampleRate: header.sampleRate, pcm, texts: header.texts, words: header.words };
  } catch {
    return undefined;
  }
}

/** Writes a phrase: whole or not at all, also when several processes do. */
export async function writePhrase(directory: string, key: string, phrase: Phrase): Promise<void> {
  const { sampleRate, pcm, texts, words } = phrase;
  const samples = Buffer.alloc(pcm.length * 2);
  for (const [index, sample] of pcm.entries()) samples.writeInt16LE(sample, 2 * index);
  const header = { version: 1, key, sampleRate, digest: digestOf(samples), texts, words };
  await mkdir(directory, { recursive: true });
  const path = pathOf(directory, key);
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeFile(draft, Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), samples]));
    renameOver(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

const pathOf = (directory: string, key: string) => join(directory, `${digestOf(Buffer.from(key))}.phrase`);

const digestOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
