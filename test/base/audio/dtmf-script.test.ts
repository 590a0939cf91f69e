import { dtmfScriptOf, parseDtmfScript } from '../../../src/base/audio/dtmf-script.js';

test('presses digits 100 ms apart and waits the seconds a w names', () => {
  expect(parseDtmfScript('1 w2 #')).toEqual([
    { digit: '1', atMs: 0 },
    { digit: '#', atMs: 2_100 },
  ]);
  expect(parseDtmfScript('w0.5 1 2')).toEqual([
    { digit: '1', atMs: 500 },
    { digit: '2', atMs: 600 },
  ]);
});

test('needs no spaces, and takes lower case', () => {
  expect(parseDtmfScript('w1a*w1D')).toEqual([
    { digit: 'A', atMs: 1_000 },
    { digit: '*', atMs: 1_100 },
    { digit: 'D', atMs: 2_200 },
  ]);
});

test.each([
  ['1 x', '"x" is not a key'],
  ['1 w', '"w" needs its seconds'],
  ['w 2', '"w" needs its seconds'],
  ['w2', 'there is no key in it'],
  ['', 'there is no key in it'],
  ['1\u{1F600}', 'is not a key'],
  ['w-1 2', '"w" needs its seconds'],
])('refuses %j', (script, message) => {
  expect(() => parseDtmfScript(script)).toThrow(message);
});

test.each(['1', '12#', '1w2 #', 'w0.5 12w0.25 A'])('key presses are written as they are read: %s', (script) => {
  expect(dtmfScriptOf(parseDtmfScript(script))).toBe(script);
});
