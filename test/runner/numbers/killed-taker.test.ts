import { entries, expectPutBack, NUMBERS, SHAPES, start, stored, useTakers } from './killed-takers.js';

useTakers();

/** The others are in killed-taker.slow.test.ts. */
const MOMENTS = NUMBERS.map((number, place) => [SHAPES[place], place + 1, number] as const);

test.each(MOMENTS)(
  'with %s: killed at write %d, after it is carried out, leaves what the next puts back exactly',
  (_shape, nth, number) => expectPutBack(nth, 'after', number),
  60_000,
);

test('of two processes that take a number at the same moment, in which something was left, one wins', async () => {
  const before = await stored();
  const [number = ''] = NUMBERS;
  {
    const killed = start([number], 'hold');
    expect(await killed.line()).toBe('ready');
    killed.go();
    expect(await killed.line()).toBe('taken');
    killed.child.kill('SIGKILL');
    await killed.exit;
  }
  const both = [start([number], 'hold', '127.0.0.2'), start([number], 'hold', '127.0.0.3')];
  expect(await Promise.all(both.map(({ line }) => line()))).toEqual(['ready', 'ready']);
  for (const { go } of both) go();
  const outcome = async ({ line }: (typeof both)[number]) => {
    const first = await line();
    return first?.startsWith('left') ? line() : first;
  };
  const outcomes = await Promise.all(both.map(outcome));
  expect(outcomes.toSorted()).toEqual(['VB_NUMBER_HELD', 'taken']);
  const winner = both[outcomes.indexOf('taken')];
  const host = outcomes[0] === 'taken' ? '127.0.0.2' : '127.0.0.3';
  expect(await stored()).toContain(`http://${host}:1/rooms-dialin-webhook`);
  winner?.go();
  expect(await winner?.line()).toBe('restored');
  await Promise.all(both.map(({ exit }) => exit));
  expect(await stored()).toBe(before);
  expect(entries()).toEqual([]);
}, 60_000);
