import { type SourceToken, tokensOf } from '../../../src/lab/coverage/source-tokens.js';

const shown = (token: SourceToken): string =>
  token.kind === 'text'
    ? `"${token.parts.map((part) => ('fixed' in part ? part.fixed : `{${part.name ?? ''}}`)).join('')}"`
    : token.text;
const wordsOf = (source: string) => tokensOf(source).map(shown);

test('leaves out comments, and reads strings as they come out', () => {
  expect(wordsOf(`a /* 'x' */ = 'it\\'s\\u0021\\n\\x41' // "y"\n+ "b'c"`)).toEqual([
    'a',
    '=',
    `"it's!\nA"`,
    '+',
    `"b'c"`,
  ]);
});

test('takes a slash for a division or for a regular expression, by what stands before it', () => {
  expect(wordsOf(`a / b; x = /'[/"]/u; return /"/; f(/'/)`)).toEqual([
    'a',
    '/',
    'b',
    ';',
    'x',
    '=',
    '/…/',
    ';',
    'return',
    '/…/',
    ';',
    'f',
    '(',
    '/…/',
    ')',
  ]);
  expect(wordsOf(`(a) / 2 / 'b'`)).toEqual(['(', 'a', ')', '/', '2', '/', '"b"']);
});

test('reads what is put into a template, another template in it too, behind the text', () => {
  expect(wordsOf('`a $<b} c $<f(`d $<e}`, {g: 1})} h` + 1'.replaceAll('<', '{'))).toEqual([
    '"a {b} c {} h"',
    '(',
    'b',
    'f',
    '(',
    '"d {e}"',
    '(',
    'e',
    ')',
    ',',
    '{',
    'g',
    ':',
    '1',
    '}',
    ')',
    ')',
    '+',
    '1',
  ]);
});

test('each token has its line, behind texts and comments of several lines too', () => {
  const lines = tokensOf('a\n/* b\n*/ c `d\ne` f\n"g"').map((token) => `${shown(token)} ${token.line}`);
  expect(lines).toEqual(['a 1', 'c 3', '"d\ne" 3', 'f 4', '"g" 5']);
});

test('ends with its source, also in the middle of a text', () => {
  for (const source of ["'a", '`a $' + '{b', '`a $' + '{', '/* a', 'a /', '/[', '"\\'])
    expect(tokensOf(source).length).toBeLessThan(6);
});
