import { PASS_VALID_MS, StreamPass } from '../../../src/runner/calls/stream-pass.js';

afterEach(() => jest.useRealTimers());

test('admits its own token until it is used', () => {
  const pass = new StreamPass();
  expect(pass.admits(pass.token)).toBe(true);
  expect(pass.admits(pass.token)).toBe(true);
  pass.use();
  expect(pass.admits(pass.token)).toBe(false);
});

test.each([
  ['nothing', ''],
  ['a letter', 'x'],
  ['a letter of two bytes', 'ü'],
  ['another token', 'A'.repeat(32)],
  ['a very long text', 'A'.repeat(10_000)],
])('does not admit %s', (_, token) => {
  const pass = new StreamPass();
  expect(pass.admits(token)).toBe(false);
  expect(pass.admits(`${pass.token}${token}`)).toBe(token === '');
  expect(pass.admits(pass.token.slice(1))).toBe(false);
});

test('does not admit the token of another', () => {
  expect(new StreamPass().admits(new StreamPass().token)).toBe(false);
});

test('makes tokens that fit into an address and do not repeat', () => {
  const tokens = Array.from({ length: 1_000 }, () => new StreamPass().token);
  expect(new Set(tokens).size).toBe(1_000);
  for (const token of tokens) expect(token).toMatch(/^[\w-]{32}$/);
});

test('expires', () => {
  jest.useFakeTimers();
  const pass = new StreamPass();
  jest.advanceTimersByTime(PASS_VALID_MS - 1);
  expect(pass.admits(pass.token)).toBe(true);
  jest.advanceTimersByTime(1);
  expect(pass.admits(pass.token)).toBe(false);
});
