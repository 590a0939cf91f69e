import { MutatedSpeech } from '../../../../src/bot/services/tts/mutated-speech.js';
import { FUNCTIONS_URL_VARIABLE } from '../../../../src/call/lab-address.js';
import { MUTATION_VARIABLE, type Mutation } from '../../../../src/call/mutation.js';

beforeEach(() => {
  process.env[FUNCTIONS_URL_VARIABLE] = 'http://127.0.0.1:4711/secret/functions';
});
afterEach(() => {
  delete process.env[MUTATION_VARIABLE];
  delete process.env[FUNCTIONS_URL_VARIABLE];
});

function speechOf(mutation: Mutation): MutatedSpeech {
  process.env[MUTATION_VARIABLE] = JSON.stringify(mutation);
  const speech = MutatedSpeech.ofThisProcess(() => undefined);
  if (!speech) throw new Error('it is not mutated');
  return speech;
}

test('the first sentence that is long enough is said twice, and no other', () => {
  const speech = speechOf({ kind: 'sentence_twice' });
  expect(speech.whole('Hello! This is the bank. Press a key.')).toBe(
    'Hello! This is the bank. This is the bank. Press a key.',
  );
  expect(speech.whole('You are rich now.')).toBe('You are rich now.');
});

test('the second sentence of a call is missing, whether it comes at one go or word by word', () => {
  expect(speechOf({ kind: 'sentence_missing' }).whole('Hello! This is the bank. Press 1.')).toBe('Hello! Press 1.');
  const speech = speechOf({ kind: 'sentence_missing' });
  const said = ['Hel', 'lo! Th', 'is is the ', 'bank. Pr', 'ess 1.'].map((text) => speech.write(text));
  expect([...said, speech.end()].join('')).toBe('Hello! Press 1.');
  const calls = speechOf({ kind: 'sentence_missing' });
  expect([calls.whole('Hello!'), calls.whole('This is the bank.'), calls.whole('Press 1.')]).toEqual([
    'Hello!',
    '',
    'Press 1.',
  ]);
});

test('a goodbye is missing wherever it is said', () => {
  const speech = speechOf({ kind: 'goodbye_missing', sentences: ['goodbye'] });
  expect(speech.whole('Thank you. Goodbye!').trim()).toBe('Thank you.');
  expect(speech.whole('GOODBYE.')).toBe('');
});

test('what was being written when the caller interrupted it is not said later, and what comes in between does not disturb it', () => {
  const speech = speechOf({ kind: 'sentence_twice' });
  expect(speech.write('One moment')).toBe('');
  expect(speech.whole('I am looking.')).toBe('I am looking. I am looking.');
  expect(speech.end()).toBe('One moment');
  speech.write('Never said');
  speech.forget();
  expect(speech.end()).toBe('');
});

test('a mutation of another kind leaves the voice alone', () => {
  process.env[MUTATION_VARIABLE] = JSON.stringify({ kind: 'keys_shifted' });
  expect(MutatedSpeech.ofThisProcess(() => undefined)).toBeUndefined();
});
