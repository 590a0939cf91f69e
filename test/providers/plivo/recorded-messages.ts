import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const FIXTURES = path.resolve(import.meta.dirname, '../../fixtures');

/** One recorded message, by path below `test/fixtures` without `.json`. */
export function recordedMessage(name: string): string {
  return readFileSync(path.join(FIXTURES, `${name}.json`), 'utf8').trimEnd();
}

/** Every recorded message of a folder below `test/fixtures`, in the order of their names. */
export function recordedMessages(folder: string): string[] {
  return readdirSync(path.join(FIXTURES, folder))
    .sort()
    .map((file) => recordedMessage(`${folder}/${path.parse(file).name}`));
}
