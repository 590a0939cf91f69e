import { vendorMessage, wordsBeforeJson } from '../../../src/bot/services/vendor-message.js';

const SAID = 'my card number is four one one one';
const request = { messages: [{ role: 'user', content: SAID }] };

test.each([
  ['err_msg', { err_msg: 'Bad key.', request_id: 'x' }, 'Bad key.'],
  ['message', { code: 7, message: 'Bad key.' }, 'Bad key.'],
  ['error.message', { error: { message: 'Bad key.', type: 'auth' } }, 'Bad key.'],
  ['error', { error: 'Bad key.' }, 'Bad key.'],
  ['detail.message', { detail: { status: 'x', message: 'Bad key.' } }, 'Bad key.'],
  ['detail', { detail: 'Bad key.' }, 'Bad key.'],
  ['a list', [{ error: { message: 'Bad key.' } }], 'Bad key.'],
  [
    'detail[].msg',
    {
      detail: [
        { msg: 'Field required', loc: ['body', 'model'], input: request },
        { msg: 'Too long', input: SAID },
      ],
    },
    'Field required; Too long',
  ],
])('finds the message in %s', (_, body, words) => {
  expect(vendorMessage(JSON.stringify(body))).toBe(words);
});

test.each([
  ['has none of the fields', JSON.stringify({ failed: request })],
  ['has other things in them', JSON.stringify({ message: request, error: [SAID], detail: [{ input: SAID }, SAID] })],
  ['is a text', JSON.stringify(SAID)],
  ['is null', 'null'],
  ['is cut off', JSON.stringify(request).slice(0, -3)],
  ['is a list that is cut off', JSON.stringify([SAID, request]).slice(0, -3)],
  ['is a text that is cut off', JSON.stringify(SAID).slice(0, -1)],
])('tells nothing of JSON that %s', (_, body) => {
  expect(vendorMessage(body)).toBe('');
});

test('tells the start of what is not JSON, as far as none is in it', () => {
  expect(vendorMessage(' <h1>Bad\n gateway</h1> ')).toBe('<h1>Bad gateway</h1>');
  expect(vendorMessage(`data: ${JSON.stringify(request)}`)).toBe('data:');
  expect(wordsBeforeJson(`Invalid prompt: [ ${JSON.stringify(request)}]`)).toBe('Invalid prompt:');
  expect(wordsBeforeJson('unknown option [fast]')).toBe('unknown option [fast]');
  expect(vendorMessage('x'.repeat(1_000))).toHaveLength(300);
  expect(vendorMessage(JSON.stringify({ message: 'x'.repeat(1_000) }))).toHaveLength(300);
});

test('is text of one line, whatever it is written in', () => {
  expect(vendorMessage(JSON.stringify({ message: '\u001b[31mno\u202e\u0007' }))).toBe('no\ufffd');
  expect(vendorMessage('\u001b]0;title\u0007 no\u009b2J')).toBe('no');
});
