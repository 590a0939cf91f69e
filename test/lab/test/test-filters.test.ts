import { NameFilter, parseShard, TagFilter } from '../../../src/lab/test/test-filters.js';

test.each([
  ['wrong', 'a WRONG pin', true],
  ['Wrong Pin', 'a wrong pin', true],
  ['wrong|second', 'a wrong pin', false],
  ['/wrong|second/', 'the second PIN', true],
  ['/wrong|second/', 'the Second PIN', false],
  ['/wrong|second/i', 'the Second PIN', true],
  ['/^a$/', 'a b', false],
  ['a/b/', 'x a/b/ y', true],
  ['/a', 'x/A', true],
])('the name filter %s and "%s": %s', (typed, name, fits) => {
  expect(new NameFilter(typed).fits(name)).toBe(fits);
});

test.each([
  ['menu', ['menu', 'slow'], true],
  ['menu', ['slow'], false],
  ['menu', [], false],
  ['menu,pin', ['pin'], true],
  ['menu, pin', ['pin'], true],
  ['!slow', [], true],
  ['!slow', ['menu', 'slow'], false],
  ['menu,!slow', ['menu'], true],
  ['menu,!slow', ['menu', 'slow'], false],
  ['menu,!slow', ['pin'], false],
])('the tag filter %s and %j: %s', (typed, tags, fits) => {
  expect(new TagFilter(typed).fits(tags)).toBe(fits);
});

test.each(['1/1', '2/5', '1000/1000'])('the shard %s', (typed) => {
  const { no, of } = parseShard(typed);
  expect(`${no}/${of}`).toBe(typed);
});

test.each([
  [() => new NameFilter('  '), 'must not be empty'],
  [() => new NameFilter('/(/'), 'is no regular expression'],
  [() => new TagFilter(''), 'must be tags'],
  [() => new TagFilter('menu,,slow'), 'must be tags'],
  [() => new TagFilter('two words'), 'must be tags'],
  [() => new TagFilter('!!slow'), 'must be tags'],
  [() => parseShard('0/5'), 'such as 2/5'],
  [() => parseShard('6/5'), 'such as 2/5'],
  [() => parseShard('2'), 'such as 2/5'],
  [() => parseShard('1/1001'), 'such as 2/5'],
])('what cannot be is refused: %s', (read, words) => {
  expect(read).toThrow(words);
});
