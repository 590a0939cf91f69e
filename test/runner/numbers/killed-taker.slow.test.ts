import { entries, expectPutBack, NUMBERS, proxy, SHAPES, start, stored, useTakers, WRITES } from './killed-takers.js';

useTakers();

test('a whole life leaves everything byte for byte as it was', async () => {
  const before = await stored();
  const { exit, line } = start(NUMBERS, 'whole');
  for (const _ of NUMBERS) expect([await line(), await line()]).toEqual(['taken', 'restored']);
  await exit;
  expect(proxy.writes).toBe(WRITES);
  expect(await stored()).toBe(before);
  expect(entries()).toEqual([]);
}, 60_000);

/**
 * After each write with each number, but for those in killed-taker.test.ts; before each with one: what the provider has then is the
 * same as after the one before.
 */
const MOMENTS = NUMBERS.flatMap((number, place) =>
  [1, 2, 3].flatMap((nth) => [
    ...(nth === ((place + 2) % 3) + 1 ? [[SHAPES[place], nth, 'before', number] as const] : []),
    ...(nth === place + 1 ? [] : [[SHAPES[place], nth, 'after', number] as const]),
  ]),
);

test.each(MOMENTS)(
  'with %s: killed at write %d, %s it is carried out, leaves what the next puts back exactly',
  (_shape, nth, when, number) => expectPutBack(nth, when, number),
  60_000,
);
