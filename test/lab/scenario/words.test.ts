import { WordPattern } from '../../../src/lab/scenario/words.js';

test.each([
  ['closed on Sunday', 'We are CLOSED, on sunday!'],
  ["we're open", 'We’re open.'],
  ['rock n roll', "rock 'n' roll"],
  ['ten', 'at ten-thirty'],
  ['Luigi', "Welcome to Luigi's."],
  ['Luigi kitchen', 'Luigi’s kitchen'],
  ["Luigi's", 'at Luigis'],
  ["O'Brien", "at O'BRIEN'S"],
  ['they', "They'll come"],
  ['12 34', 'dial 12-34'],
  ['Straße', 'in der STRASSE'.replace('SS', 'ß')],
  ['ﬁve', 'five'],
  ['営業 中', '「営業」、中。'],
  ['你好', '你好世界'],
  ['世界', '你好，世界。'],
  ['営業中', 'ただいま営業中です'],
  ['ありがとう', 'どうもありがとうございます'],
  ['สวัสดี', 'สวัสดีครับ'],
  ['3時', '午後3時まで'],
  ['ガラス', 'ｶﾞﾗｽ'],
  ['ガラス', 'カ\u3099ラス'],
  ['ข้าว', 'กินข้าวไหม'],
  ['हिन्दी', 'यह हिन्दी है'],
  [/clos(e|ed)\b/i, 'We are Closed.'],
  ['/^we are/i', 'We are closed'],
  ['/a.b/s', 'a\nb'],
  ['/costs|error/gi', 'It COSTS nothing'],
])('%s is in: %s', (words, text) => {
  expect(new WordPattern(words).isIn(text)).toBe(true);
});

test.each([
  ['open', 'We opened'],
  ["Luigi's", 'Luigi'],
  ['can', "I can't"],
  ['Brien', "O'Brien"],
  ['ข้าว', 'ขาว'],
  ['你好', '你们好'],
  ['3時', '午後13時'],
  ['closed on Sunday', 'closed Sunday'],
  ['on sunday closed', 'closed on Sunday'],
  [/closed/, 'Closed'],
  ['/closed/', 'Closed'],
  ['closed', ''],
])('%s is not in: %s', (words, text) => {
  expect(new WordPattern(words).isIn(text)).toBe(false);
});

test('an expression with a state is looked for from the beginning each time', () => {
  const pattern = new WordPattern(/open/gy);
  expect([pattern.isIn('we open'), pattern.isIn('we open')]).toEqual([true, true]);
});

test('tells where the words are in a text, and what comes behind them, whatever stands between', () => {
  const pattern = new WordPattern('yes no');
  expect(pattern.placeIn('Oh -- yes, no!')).toEqual({ from: 6 / 14, to: 13 / 14 });
  expect(pattern.placeIn('no yes')).toBeUndefined();
  expect(pattern.behindIn('«Yes» — no. ———————— Yes')).toBe('. ———————— Yes');
  expect(new WordPattern(/a+/).behindIn('baac')).toBe('c');
  expect(new WordPattern('/.*/').placeIn('')).toEqual({ from: 0, to: 0 });
});

test('a word is found to the end of what stands behind its apostrophe', () => {
  expect(new WordPattern('to Luigi').behindIn("Welcome to Luigi's. Hello.")).toBe('. Hello.');
});

test('is shown as it was written', () => {
  expect(['a b', '/a b/i', /c/].map((words) => String(new WordPattern(words)))).toEqual(['"a b"', '/a b/i', '/c/']);
});

test('words without a letter or a digit are nothing to look for; an expression must be one', () => {
  expect(new WordPattern(' …! ').isEmpty).toBe(true);
  expect(new WordPattern('a').isEmpty).toBe(false);
  expect(() => new WordPattern('/(/')).toThrow(SyntaxError);
});
