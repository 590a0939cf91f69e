import { ownSigner, PASS_VALID_MS, StreamPass } from '../../../../src/runner/calls/carrier/stream-pass.js';

afterEach(() => jest.useRealTimers());

const signer = ownSigner();
const passOf = (callId = 'call-1', streamNo = 1, by = signer) => new StreamPass(by, callId, streamNo);

test('admits its own token until it is used', () => {
  const pass = passOf();
  expect(pass.admits(pass.token)).toBe(true);
  expect(pass.admits(pass.token)).toBe(true);
  pass.use();
  expect(pass.admits(pass.token)).toBe(false);
});

test('admits the token that another runner with the same keys has made for the stream', () => {
  expect(passOf().admits(passOf().token)).toBe(true);
});

test.each([
  ['another call', passOf('call-2')],
  ['another stream of the call', passOf('call-1', 2)],
  ['the same stream, signed by somebody else', passOf('call-1', 1, ownSigner())],
])('does not admit the token of %s', (_, other) => {
  expect(passOf().admits(other.token)).toBe(false);
});

test.each([
  ['nothing', ''],
  ['a letter', 'x'],
  ['a letter of two bytes', 'ü'],
  ['another token', 'A'.repeat(32)],
  ['a very long text', 'A'.repeat(10_000)],
])('does not admit %s', (_, token) => {
  const pass = passOf();
  expect(pass.admits(token)).toBe(false);
  expect(pass.admits(`${pass.token}${token}`)).toBe(token === '');
  expect(pass.admits(pass.token.slice(1))).toBe(false);
});

test('does not admit a token that claims to be good for longer', () => {
  const pass = passOf();
  const [until, signature] = pass.token.split('.');
  expect(pass.admits(`${(Number.parseInt(String(until), 36) + 1).toString(36)}.${signature}`)).toBe(false);
});

test('makes tokens that fit into an address', () => {
  expect(passOf().token).toMatch(/^[\w-]{8}\.[\w-]{22}$/);
});

test('expires', () => {
  jest.useFakeTimers();
  const pass = passOf();
  jest.advanceTimersByTime(PASS_VALID_MS - 1);
  expect(pass.admits(pass.token)).toBe(true);
  jest.advanceTimersByTime(1);
  expect(pass.admits(pass.token)).toBe(false);
});
