import type { CallerAction } from '../../../src/lab/scenario/caller-hands.js';
import { lastLinesOf } from '../../../src/lab/scenario/caller-lines.js';
import { at, said, storyOf } from './stories.js';

const { answeredAt } = storyOf();
const act = (atMs: number, does: CallerAction['does'], what = ''): CallerAction => ({ atMs, does, what });
const received = (ms: number, keys: string) => at(ms, { type: 'keys', direction: 'in', keys });

test('what the caller did stands between what the bot said, called and pressed', () => {
  const events = [
    said(500, 'bot', 'Welcome.', 'Press one.'),
    received(2_050, '1'),
    received(2_250, '2'),
    said(3_000, 'caller', 'my balance, please'),
    at(4_000, { type: 'tool_called', call: '0', name: 'balance', input: {} }),
    at(4_400, { type: 'tool_returned', call: '0', name: 'balance', output: 7, isError: false, ms: 400 }),
    at(5_000, { type: 'keys', direction: 'out', keys: '#' }),
    said(6_000, 'caller', 'good by'),
  ];
  const acts = [
    act(2_000, 'press', '1'),
    act(2_200, 'press', '2'),
    act(3_000, 'say', 'My balance please!'),
    act(6_000, 'play', 'goodbye.wav'),
    act(8_000, 'hang_up'),
  ];
  expect(lastLinesOf(events, acts, answeredAt)).toEqual([
    '0.5 s  bot: Welcome. [not heard: Press one.]',
    '2.0 s  you press 12',
    '3.0 s  you say: My balance please!',
    '4.0 s  bot calls balance({}): returned 7',
    '5.0 s  bot presses #',
    '6.0 s  the bot understood: good by',
    '6.0 s  you play goodbye.wav',
    '8.0 s  you hang up',
  ]);
});

test('keys that no bot received are marked, also where others of the same kind were; a masked one was received', () => {
  const acts = [act(0, 'press', '1'), act(2_000, 'press', '*'), act(2_100, 'press', '1'), act(2_300, 'press', '5')];
  expect(lastLinesOf([received(2_050, '*'), received(2_150, '1')], acts.slice(1, 3), answeredAt)).toEqual([
    '2.0 s  you press *1',
  ]);
  expect(lastLinesOf([received(2_050, '5')], acts, answeredAt)).toEqual([
    '0.0 s  you press 1, which the bot did not receive',
    '2.0 s  you press *, which the bot did not receive',
    '2.1 s  you press 1, which the bot did not receive',
    '2.3 s  you press 5',
  ]);
  expect(lastLinesOf([received(2_050, '•')], [act(2_000, 'press', '4')], answeredAt)).toEqual(['2.0 s  you press 4']);
});

test('keys before and behind something that the bot says do not stand together', () => {
  const events = [received(1_000, '1'), said(1_500, 'bot', 'Your PIN, please.'), received(2_000, '47')];
  const acts = [act(1_000, 'press', '1'), act(2_000, 'press', '4'), act(2_100, 'press', '7')];
  expect(lastLinesOf(events, acts, answeredAt)).toEqual([
    '1.0 s  you press 1',
    '1.5 s  bot: Your PIN, please.',
    '2.0 s  you press 47',
  ]);
});

test('only the last ten are told, and none of a call that was not answered', () => {
  const acts = Array.from({ length: 30 }, (_, no) => act(1_000 * no, 'say', `${no}`));
  expect(lastLinesOf([], acts, answeredAt)).toHaveLength(10);
  expect(lastLinesOf([], acts, answeredAt).at(-1)).toBe('29.0 s  you say: 29');
  expect(lastLinesOf([], acts, undefined)).toEqual([]);
});
