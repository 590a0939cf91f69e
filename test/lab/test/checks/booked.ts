import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { CallCheck } from 'voicebot/testing';

/** The file STORE has the booking that the model was asked for. */
export const isStored: CallCheck = ({ environment, tools, from }) => {
  const lines = readFileSync(environment.STORE ?? '', 'utf8')
    .trim()
    .split('\n')
    .filter(Boolean);
  const { day } = Object(tools.at(-1)?.input) as { day?: string };
  assert.deepEqual(JSON.parse(lines.at(-1) ?? 'null'), { day, caller: from });
};

/** The server at BOOK_URL has one. */
export const isPosted: CallCheck = async ({ environment }, signal) => {
  const bookings = (await (await fetch(environment.BOOK_URL ?? '', { signal })).json()) as unknown[];
  return bookings.length === 1 || `the server has ${bookings.length} bookings`;
};
