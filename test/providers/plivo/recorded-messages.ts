import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const FIXTURES = path.resolve(import.meta.dirname, '../../fixtures');

/** One recorded message, by path below `test/fixtures` without `.json`. */
export function recordedMessage(name: string): string {
  return readFileSync(path.join(FIXTURES, `${name}.json`), 'utf8').trimEnd();
}

/** Every recorded message of the Plivo wire, carrier to us, in the order of their names. */
export function recordedPlivoMessages(): string[] {
  return readdirSync(path.join(FIXTURES, 'plivo/messages'))
    .sort()
    .map((file) => recordedMessage(`plivo/messages/${path.parse(file).name}`));
}
