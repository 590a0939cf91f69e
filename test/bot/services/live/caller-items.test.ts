import { LLMContext } from '../../../../src/bot/conversation/llm-context.js';
import type { Turn } from '../../../../src/bot/pipeline/frames/index.js';
import { CallerItems } from '../../../../src/bot/services/live/caller-items.js';

const TURN = {} as Turn;

/** Items whose words go into a context, and into a list of what was told anew. */
function heard() {
  const context = new LLMContext();
  const told: string[] = [];
  const items = new CallerItems(false, {
    interim: (text) => void told.push(`~${text}`),
    final: (text) => void told.push(text),
    late: (text, late) => {
      if (context.addLateWords(late, text)) told.push(`late ${text}`);
    },
  });
  const answer = (words: string) => {
    context.addCallerWords(words, TURN);
    items.answer(TURN);
  };
  const words = () => context.messages.map((message) => ('content' in message ? message.content : ''));
  return { items, told, answer, words };
}

test('late words of two pieces stand in their order, whichever was known before', () => {
  const { items, told, answer, words } = heard();
  items.addInterim('a', 'one');
  items.addInterim('b', 'two');
  answer('two');
  items.addTranscript('a', 'One.');
  expect(words()).toEqual(['One. two']);
  items.addTranscript('b', 'Two.');
  expect(words()).toEqual(['One. Two.']);
  expect(told).toEqual(['~one', '~two', 'late One.']);
});

test('late words take the place of what was known of them, however it was written; what they correct is told', () => {
  const { items, told, answer, words } = heard();
  items.addInterim('a', ' hello');
  items.addInterim('a', ' their');
  answer('hello their');
  items.addTranscript('a', 'Hello there.');
  expect(words()).toEqual(['Hello there.']);
  expect(told.at(-1)).toBe('late Hello there.');
});

test('words that stood before them stay', () => {
  const { items, answer, words } = heard();
  items.addTranscript('a', 'One.');
  answer('1 2 3 One.');
  items.addTranscript('b', 'Two.');
  expect(words()).toEqual(['1 2 3 One. Two.']);
});

test('what is told of an item that was passed over does not count', () => {
  const { items, told } = heard();
  items.add('a');
  expect(items.passOver()).toEqual(['a']);
  items.addInterim('a', 'Hm');
  items.addTranscript('a', 'Hm.');
  expect(told).toEqual([]);
});

describe('another session hears the same again', () => {
  test('before it is answered: only what is new is told', () => {
    const { items, told, answer, words } = heard();
    items.addTranscript('a', 'What is there?');
    items.clear(true);
    items.addInterim('a', 'What is');
    items.addTranscript('a', 'What was there?');
    items.addTranscript('b', 'Please.');
    answer('What is there? Please.');
    expect(told.filter((text) => !text.startsWith('~') && text !== '')).toEqual(['What is there?', 'Please.']);
    expect(words()).toEqual(['What is there? Please.']);
  });

  test('after it was answered: its words take the place of those', () => {
    const { items, told, answer, words } = heard();
    items.addTranscript('a', 'What is there?');
    answer('What is there?');
    items.clear(true);
    items.addTranscript('a', 'What was there?');
    items.addTranscript('b', '');
    expect(words()).toEqual(['What was there?']);
    expect(told).toEqual(['What is there?']);
    expect(items.takeEmpty()).toEqual(['b']);
  });
});
