import type { TimelineEvent } from '../../../src/call/timeline.js';
import { receivedKeys } from '../../../src/lab/scenario/received-keys.js';
import { at } from './stories.js';

const ANSWERED_AT = 1_000_000;
const press = (what: string, atMs = 0) => ({ does: 'press' as const, what, atMs });
const key = (ms: number, keys: string) => at(ms, { type: 'keys', direction: 'in', keys });
const recording = (ms: number, is: 'paused' | 'resumed') => at(ms, { type: 'recording', is });
const received = (events: TimelineEvent[], ...pressed: string[]) =>
  receivedKeys(
    events,
    pressed.map((what, no) => press(what, 1_000 * no)),
    ANSWERED_AT,
  );

test('keys that are not masked are those of the events, whatever was pressed', () => {
  expect(received([key(10, '1'), key(20, '#')], '1', '2', '#')).toBe('1#');
  expect(received([at(10, { type: 'keys', direction: 'out', keys: '5' })], '1')).toBe('');
});

test('masked ones are those that the caller has pressed, where as many have come', () => {
  expect(received([key(10, '•'), key(20, '••')], '4', '7', '*')).toBe('47*');
  expect(received([key(10, '•')], '4', '7')).toBe('•');
  expect(received([key(10, '•')])).toBe('•');
});

test('keys that were pressed while the recording was paused are received too', () => {
  const paused = [key(0, '1'), recording(500, 'paused'), recording(2_500, 'resumed'), key(3_000, '9')];
  expect(received(paused, '1', '4', '7', '9')).toBe('1479');
  expect(received(paused, '1', '4', '7', '9', '9')).toBe('19••');
});
