import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import type { RouteUrls } from '../../call/number-routing.js';
import { createFile } from './durable-file.js';

/** How many are remembered; the ones used last. */
const MAX_ADDRESSES = 200;

/**
 * The addresses that runners of this user have given to providers: a file each, so that two runners cannot undo each
 * other's notes. They are compared without their query.
 */
export class KnownAddresses {
  constructor(private readonly directory: string) {}

  note({ answerUrl, hangupUrl }: RouteUrls): void {
    mkdirSync(this.directory, { recursive: true, mode: 0o700 });
    for (const url of new Set([answerUrl, hangupUrl].map(withoutQuery))) {
      const path = this.#pathOf(url);
      // Its name says all that counts; what is in it is for people.
      if (!createFile(path, `${url}\n`)) utimesSync(path, new Date(), new Date());
    }
    this.#forgetOldest();
  }

  has(url: string): boolean {
    return statSync(this.#pathOf(withoutQuery(url)), { throwIfNoEntry: false }) !== undefined;
  }

  #forgetOldest(): void {
    const names = readdirSync(this.directory);
    if (names.length <= MAX_ADDRESSES) return;
    const usedAt = (name: string) => statSync(join(this.directory, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
    const oldestFirst = names.map((name) => ({ name, at: usedAt(name) })).sort((a, b) => a.at - b.at);
    for (const { name } of oldestFirst.slice(0, -MAX_ADDRESSES)) rmSync(join(this.directory, name), { force: true });
  }

  #pathOf(url: string): string {
    return join(this.directory, createHash('sha256').update(url).digest('hex').slice(0, 32));
  }
}

/** Also for messages: a query can hold what is secret. */
export function withoutQuery(url: string): string {
  if (!URL.canParse(url)) return url;
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
