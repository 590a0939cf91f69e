import type { WireItem } from '../wire/wire-item.js';
import { TOLERANCE_MS } from './delays.js';

/** What is said on a stream when something of ours was done, and what that was. */
const CONFIRMATIONS: Readonly<Record<string, string>> = {
  clearedAudio: 'clearAudio',
  playedStream: 'checkpoint',
  mark: 'mark',
};
/** Each of them is confirmed. The end of playing is not, where it was cleared before. */
const EACH = 'clearAudio';

/** Whether a message of a stream says that something was done, and does not come by itself. */
export const confirms = (name: string): boolean => Object.hasOwn(CONFIRMATIONS, name);

/** Whether a field of a confirmation says what we said when we asked for it, such as the name of a mark. */
export const isAsAsked = (name: string, path: string, value: string, items: readonly WireItem[]): boolean =>
  items.some(
    (item) =>
      item.channel === 'stream' &&
      item.direction === 'out' &&
      item.name === CONFIRMATIONS[name] &&
      item.fields[path]?.includes(value) === true,
  );

/**
 * Whether something that we asked for was not confirmed: people decide by when they speak, or press a key, whether it is asked for at all.
 * @param name of the confirmation
 * @param items of one step
 */
export function isConfirmationMissing(name: string, items: readonly WireItem[]): boolean {
  const request = CONFIRMATIONS[name];
  const said = items.filter(({ channel }) => channel === 'stream');
  const asked = said.filter((item) => item.direction === 'out' && item.name === request);
  const confirmations = said.filter((item) => item.direction === 'in' && item.name === name);
  if (request !== EACH) return asked.length > 0 && confirmations.length === 0;
  return asked.some(({ stream, at }) => {
    const later = said.filter((item) => item.stream === stream && item.at >= at && item.direction === 'in');
    const isOver = (later.at(-1)?.at ?? at) - at < TOLERANCE_MS; // the stream ended before it could be confirmed
    return !isOver && !later.some((item) => item.name === name);
  });
}
