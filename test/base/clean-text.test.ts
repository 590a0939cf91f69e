import { cleanText, visibleJson } from '../../src/base/clean-text.js';

test.each([
  ['colours', 'busy \u001b[31;1mnow\u001b[0m', 'busy now'],
  ['the title of a window', 'a\u001b]0;title\u0007b', 'ab'],
  ['a link', '\u001b]8;;https://example.com\u001b\\here\u001b]8;;\u001b\\', 'here'],
  ['the clipboard, not ended', 'a\u001b]52;c;aGk=', 'a;aGk='],
  ['cursor moves of eight bits', 'a\u009b2Jb', 'ab'],
  ['bell, backspace and delete', 'a\u0007\b\u007fb', 'a\ufffd\ufffd\ufffdb'],
  ['line breaks of every kind', 'a\r\nb\nc\u0085d\u2028e\vf', 'a b c d e f'],
  ['marks that turn the reading direction', '\u202egnp.\u202c+1\u2066 555\u2069\u200e\u061c', 'gnp.+1 555'],
  ['what cannot be seen', 'a\u200b\ufeff\u00ad\u2060\u{e0041}b', 'ab'],
  ['half a character', 'a\ud83d', 'a\ufffd'],
])('removes %s', (_what, text, clean) => {
  expect(cleanText(text)).toBe(clean);
});

test('keeps letters of every script, emoji of several parts, and tabs', () => {
  const text = '+1 202 555 0100\tZoë, דוד, می‌خواهم 👩‍💻';
  expect(cleanText(text)).toBe(text);
});

test('cuts what is too long, by characters, and shows that it did', () => {
  expect(cleanText('9'.repeat(5_000), 64)).toBe(`${'9'.repeat(63)}…`);
  expect(cleanText('👋👋👋', 3)).toBe('👋👋👋');
  expect(cleanText('👋👋👋👋', 3)).toBe('👋👋…');
});

test('JSON is written so that a terminal shows it, and reads as it was', () => {
  const value = { from: '\u202e\u009b2J\u007f\u001b[31m', name: 'Zoë 👋' };
  const json = visibleJson(JSON.stringify(value));
  expect(json).not.toMatch(/[\p{Cc}\p{Bidi_C}]/u);
  expect(json).toContain('Zoë 👋');
  expect(JSON.parse(json)).toEqual(value);
});
