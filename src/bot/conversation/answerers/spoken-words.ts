/** A text in small letters, without accents, apostrophes and punctuation, its words between single spaces. */
export function wordsOnly(text: string): string {
  return text
    .normalize('NFD')
    .replace(/[\p{Mark}'’]/gu, '')
    .toLowerCase()
    .replace(/[^\p{Letter}\p{Number}]+/gu, ' ')
    .trim();
}

/** What was understood, ready to be searched. */
export interface SpokenWords {
  /** As {@link wordsOnly} writes it, with a space at each end. */
  readonly text: string;
  readonly count: number;
  /** Where questions stand in `text`: from and to, where the ears have written question marks. */
  readonly questions: ReadonlyArray<readonly [from: number, to: number]>;
}

const SENTENCE = /[^.!?…]+[.!?…]*/g;

/** The words of a text, and which of them are a question by its punctuation. */
export function spokenWords(spoken: string): SpokenWords {
  let text = ' ';
  const questions: Array<[number, number]> = [];
  for (const [sentence] of spoken.matchAll(SENTENCE)) {
    const words = wordsOnly(sentence);
    if (!words) continue;
    const from = text.length - 1;
    text += `${words} `;
    if (/\?[.!…]*$/.test(sentence)) questions.push([from, text.length]);
  }
  return { text, count: text === ' ' ? 0 : text.trim().split(' ').length, questions };
}

/** Where the last `count` words of a {@link SpokenWords.text} begin: the space before them. */
export function beforeLast(text: string, count: number): number {
  let at = text.length - 1;
  for (let left = count; left > 0 && at > 0; left -= 1) at = text.lastIndexOf(' ', at - 1);
  return at;
}
