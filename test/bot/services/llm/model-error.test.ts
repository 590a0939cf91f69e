import { toModelFailure } from '../../../../src/bot/services/llm/model-error.js';

const SAID = 'my card number is four one one one';
const model = { specificationVersion: 'v3', provider: 'openai.chat', modelId: 'm', doStream: async () => ({}) };
const request = { messages: [{ role: 'user', content: SAID }] };
const wordsOf = (thrown: unknown) => toModelFailure(model, thrown).error.message.replace(/^.*OpenAI: /, '');

test.each([
  [
    'a server that repeats the request in its error',
    {
      name: 'AI_APICallError',
      statusCode: 422,
      responseBody: JSON.stringify({ detail: [{ msg: 'Too long', input: request }] }),
    },
    '422, Too long',
  ],
  [
    'a server that only repeats the request',
    { name: 'AI_APICallError', statusCode: 400, message: 'Bad Request', responseBody: JSON.stringify({ request }) },
    '400',
  ],
  [
    'a prompt that the package refuses',
    {
      name: 'AI_InvalidPromptError',
      message: 'Invalid prompt: The messages do not match',
      cause: { name: 'AI_TypeValidationError', message: `Type validation failed: Value: ${JSON.stringify(request)}` },
    },
    'what was sent cannot be read',
  ],
  [
    'an answer that is not JSON',
    {
      name: 'AI_JSONParseError',
      message: `JSON parsing failed: Text: ${SAID}`,
      cause: new SyntaxError(`Unexpected token, "${SAID}"`),
    },
    'what was sent cannot be read',
  ],
  [
    'an error of the stream that shows the request',
    { message: `Overloaded: ${JSON.stringify(request)}` },
    'Overloaded:',
  ],
  ['a text', 'Overloaded', 'Overloaded'],
  ['nothing', undefined, 'undefined'],
  ['what has no text', { message: { text: SAID } }, 'the answer broke off'],
])('tells of %s without what the caller has said', (_, thrown, words) => {
  expect(wordsOf(thrown)).toBe(words);
});
