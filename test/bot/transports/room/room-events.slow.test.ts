import { writeFile } from 'node:fs/promises';
import { play, playTransfers, SERVED, TRANSFERS, UNANSWERED } from './event-table.js';
import type { CallResult } from './played-call.js';
import type { TransferResult } from './played-transfer.js';

let results: Map<string, CallResult>;
let transfers: Map<string, TransferResult>;

beforeAll(async () => {
  const rows = [...UNANSWERED, ...SERVED.toReversed()]; // those that take longest first
  [results, transfers] = await Promise.all([play(rows), playTransfers(TRANSFERS)]);
  const file = process.env.EVENT_TABLE;
  if (file) await writeFile(file, JSON.stringify([...results, ...transfers], undefined, 1));
}, 400_000);

test.each(SERVED)('$title: the phone hears the bot, once, and its hanging up is the end', ({ title, direction }) => {
  const result = results.get(title);
  expect(result).toMatchObject({ greetings: 1, heardAfter: expect.any(Number), botEndedAfter: expect.any(Number) });
  expect(result?.news.filter((news) => news === 'connected')).toHaveLength(1);
  expect(result?.news.at(-1)).toBe('over caller_hung_up');
  expect(result?.endedBy).toMatch(direction === 'in' ? /^Caller/ : /^Callee/);
});

test.each(UNANSWERED)('$title: nobody has answered, and the call ends for that', ({ title, end }) => {
  const result = results.get(title);
  expect(result).toMatchObject({ greetings: 0, heardAfter: undefined, botEndedAfter: expect.any(Number) });
  expect(result?.news).not.toContain('connected');
  expect(result?.news.at(-1)).toBe(end);
});

test.each(TRANSFERS)('$title: the two talk, or the caller is told apart from one who hung up', (row) => {
  const result = transfers.get(row.title);
  expect(result).toMatchObject({ outcome: row.outcome, areTalking: row.destination === 'talks' });
  expect(result?.news.filter((news) => news.startsWith('over'))).toEqual([row.end]);
});
