import { joinPieces, writtenWords } from '../../src/base/written-words.js';

const wordsOf = (text: string) => writtenWords(text).map((word) => word.text);

test('words are what stands between spaces, where there are any', () => {
  expect(writtenWords(' Good  morning, "Ada".')).toEqual([
    { text: 'Good', from: 1, space: ' ' },
    { text: 'morning,', from: 7, space: ' ' },
    { text: '"Ada".', from: 16, space: ' ' },
  ]);
  expect(wordsOf('안녕하세요 여러분. مرحبا بكم')).toEqual(['안녕하세요', '여러분.', 'مرحبا', 'بكم']);
  expect(wordsOf('')).toEqual([]);
});

test('writing without spaces is taken apart into words, with the marks on them', () => {
  expect(wordsOf('您好，欢迎致电。')).toEqual(['您好，', '欢迎', '致电。']);
  expect(wordsOf('「OK」と(テスト)')).toEqual(['「OK」', 'と', '(テスト)']);
  expect(wordsOf('สวัสดีค่ะ ยินดีต้อนรับ')).toEqual(['สวัสดี', 'ค่ะ', 'ยินดี', 'ต้อนรับ']);
});

test.each([
  ['他说"你好"然后', '他|说|"你好"|然后'],
  ['他说"你好"，"再见"。', '他|说|"你好"，|"再见"。'],
  ["他说'你好'然后", "他|说|'你好'|然后"],
  ['("你好")"再见"', '("你好")|"再见"'],
  ['"您好 世界"。', '"您好|世界"。'],
])('straight quotes belong to what is between them: %s', (text, words) => {
  expect(wordsOf(text).join('|')).toBe(words);
});

test.each(['您好，欢迎致电 voicebot 的演示！', '5時に「予約」できます。OK？はい', 'สวัสดี ABC ค่ะ'])(
  'the words of %s are the whole of it, each where it begins, and joined it again',
  (text) => {
    const words = writtenWords(text);
    expect(words.map((word) => word.text + word.space).join('')).toBe(`${text} `);
    for (const word of words) expect(text.slice(word.from).startsWith(word.text)).toBe(true);
  },
);

test('pieces of a text are joined by spaces, but in writing without them', () => {
  expect(joinPieces([' Good morning. ', '', 'How are you?'])).toBe('Good morning. How are you?');
  expect(joinPieces(['您好！', '有什么可以帮您？'])).toBe('您好！有什么可以帮您？');
  expect(joinPieces(['您好。', 'Good morning.'])).toBe('您好。 Good morning.');
});
