import { UnusedMessages } from '../../../../src/bot/transports/stream/unused-messages.js';
import type { TimelineEntry } from '../../../../src/call/timeline.js';

function counting() {
  const notes: string[] = [];
  const note = (entry: TimelineEntry) => {
    if (entry.type === 'wire') notes.push(`${entry.name}: ${entry.detail ?? ''}`);
  };
  return { notes, unused: new UnusedMessages({ note, during: (_, work) => work() }) };
}

test('the first of a kind is noted when it comes, and how many there were at the end', () => {
  const { notes, unused } = counting();
  for (let n = 0; n < 3_000; n += 1) unused.count('media of the outbound track');
  unused.count('malformed', 'not JSON');
  for (let n = 0; n < 2; n += 1) unused.count('error', 'incorrectPayload');
  const first = ['media of the outbound track: ', 'malformed: not JSON', 'error: incorrectPayload'];
  expect(notes).toEqual(first);
  unused.tell();
  const last = ['media of the outbound track: 3000 in all', 'error: incorrectPayload, 2 in all'];
  expect(notes).toEqual([...first, ...last]);
});

test('a far end that makes up kinds fills neither memory nor timeline', () => {
  const { notes, unused } = counting();
  for (let n = 0; n < 3_000; n += 1) unused.count(`kind ${n}`);
  expect(notes).toHaveLength(21);
  unused.tell();
  expect(notes.slice(21)).toEqual(['others: 2980 in all']);
});

test('without a timeline nothing is told', () => {
  const unused = new UnusedMessages(undefined);
  unused.count('malformed');
  expect(() => unused.tell()).not.toThrow();
});
