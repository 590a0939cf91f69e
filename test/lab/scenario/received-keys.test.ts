import type { TimelineEvent } from '../../../src/call/timeline.js';
import { receivedKeys } from '../../../src/lab/scenario/received-keys.js';
import { at } from './stories.js';

const keys = (...all: readonly string[]): TimelineEvent[] =>
  all.map((one, no) => at(10 * no, { type: 'keys', direction: 'in', keys: one }));

test('keys that are not masked are those of the events, whatever was pressed', () => {
  expect(receivedKeys(keys('1', '#'), '12#')).toBe('1#');
  expect(receivedKeys([at(10, { type: 'keys', direction: 'out', keys: '5' })], '1')).toBe('');
});

test('masked ones are those that the caller has pressed, where as many have come', () => {
  expect(receivedKeys(keys('•', '••'), '47*')).toBe('47*');
  expect(receivedKeys(keys('•'), '47')).toBe('•');
  expect(receivedKeys(keys('•'), '')).toBe('•');
});
