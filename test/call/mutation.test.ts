import { FUNCTIONS_URL_VARIABLE } from '../../src/call/lab-address.js';
import { currentMutation, MUTATION_VARIABLE, mutationOf, plainSentence } from '../../src/call/mutation.js';

afterEach(() => {
  delete process.env[MUTATION_VARIABLE];
  delete process.env[FUNCTIONS_URL_VARIABLE];
});

const set = (mutation: unknown, url?: string) => {
  process.env[MUTATION_VARIABLE] = JSON.stringify(mutation);
  if (url !== undefined) process.env[FUNCTIONS_URL_VARIABLE] = url;
};

test('a bot of which nothing is said is not broken', () => {
  expect(currentMutation()).toBeUndefined();
});

test('a mutation is found by its kind where a lab of this machine plays functions', () => {
  set({ kind: 'key_ignored', key: '1' }, 'http://127.0.0.1:4711/secret/functions');
  expect(mutationOf('key_ignored')).toEqual({ kind: 'key_ignored', key: '1' });
  expect(mutationOf('keys_shifted')).toBeUndefined();
});

test('no bot can be broken where no lab plays its functions, also not after one that was', () => {
  set({ kind: 'keys_shifted' });
  expect(currentMutation).toThrow('VOICEBOT_MUTATION breaks a bot on purpose, which only a test may');
  process.env[FUNCTIONS_URL_VARIABLE] = 'http://127.0.0.1:4711/secret/functions';
  expect(currentMutation()).toEqual({ kind: 'keys_shifted' });
  delete process.env[FUNCTIONS_URL_VARIABLE];
  expect(currentMutation).toThrow('which only a test may');
});

test.each(['http://10.0.0.1/functions', 'https://127.0.0.1/functions', 'http://lab.example.com', 'lab'])(
  'no bot can be broken by a lab at %s, which is not on this machine',
  (url) => {
    set({ kind: 'keys_shifted' }, url);
    expect(currentMutation).toThrow(`${FUNCTIONS_URL_VARIABLE} must be an http:// address on this machine`);
  },
);

test.each([{ kind: 'other' }, { kind: 'key_ignored' }, { kind: 'greeting_late', ms: -1 }, 'late', null])(
  'what is no mutation is refused: %j',
  (mutation) => {
    set(mutation, 'http://127.0.0.1:4711/functions');
    expect(currentMutation).toThrow('VOICEBOT_MUTATION is no mutation');
  },
);

test('a sentence is compared without capitals and marks', () => {
  expect(plainSentence('“Thank you, Ada: it’s 5.”')).toBe('thank you ada it s 5');
});
