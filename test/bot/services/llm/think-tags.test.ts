import { ThinkTags } from '../../../../src/bot/services/llm/think-tags.js';

/** What is given of these pieces. */
function spoken(pieces: readonly string[], mayHaveBegun = false): string {
  const tags = new ThinkTags(mayHaveBegun);
  return [...pieces.map((piece) => tags.push(piece)), tags.end()].join('');
}

const CASES: ReadonlyArray<[name: string, text: string, spoken: string]> = [
  ['a thought in front', '<think>The caller wants hours.</think>At nine.', 'At nine.'],
  ['a thought in the middle', 'At <think>hm, nine?</think>nine.', 'At nine.'],
  ['several thoughts', '<think>a</think>One <think>b</think>two <think>c</think>three.', 'One two three.'],
  ['the other names', '<thinking>a</thinking>One <reasoning>b</reasoning>two.', 'One two.'],
  ['capitals and spaces in the tag', '< Think >a</ THINK >One.', 'One.'],
  ['an empty thought', '<think></think>One.', 'One.'],
  ['no end tag', 'One. <think>The rest is thought. Nothing of it counts.', 'One. '],
  ['nothing but a thought', '<think>Shall I?</think>', ''],
  ['an end tag without a beginning', '</think>At nine.', 'At nine.'],
  ['a second end tag', '<think>a</think>One </think>two.', 'One two.'],
  ['a tag that breaks off', 'One. <thin', 'One. '],
  ['other tags and signs', 'If 2 < 3 and <b>bold</b> <thin> <thinker>.', 'If 2 < 3 and <b>bold</b> <thin> <thinker>.'],
  ['a sign at the end', 'Smaller is <', 'Smaller is <'],
];

test.each(CASES)('%s', (_, text, expected) => {
  expect(spoken([text])).toBe(expected);
});

test.each(CASES)('%s, character by character', (_, text, expected) => {
  expect(spoken([...text])).toBe(expected);
});

test.each(CASES)('%s, cut anywhere in two', (_, text, expected) => {
  for (let at = 0; at <= text.length; at += 1) expect(spoken([text.slice(0, at), text.slice(at)])).toBe(expected);
});

test('what cannot be the beginning of a tag is given at once', () => {
  const tags = new ThinkTags();
  expect(tags.push('At nine')).toBe('At nine');
  expect(tags.push(' <')).toBe(' ');
  expect(tags.push(' ten')).toBe('< ten');
  expect(tags.push(' <th')).toBe(' ');
  expect(tags.push('ree')).toBe('<three');
});

describe('of a model that has ended a thought which it had not begun', () => {
  test('this is known', () => {
    const tags = new ThinkTags();
    tags.push('Let me think. </think>At nine.');
    expect(tags.hasLackedBegin).toBe(true);
    const others = new ThinkTags();
    others.push('<think>Let me think.</think>At nine.');
    expect(others.hasLackedBegin).toBe(false);
  });

  test('the next answer is held back until its thought ends', () => {
    expect(spoken([...'Let me think. </think>At nine.'], true)).toBe('At nine.');
    expect(spoken([...'<think>Let me think. </think>At nine.'], true)).toBe('At nine.');
  });

  test('an answer without a thought is given when it is over', () => {
    expect(spoken([...'At nine.'], true)).toBe('At nine.');
  });
});
