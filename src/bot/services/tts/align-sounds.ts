import type { TimedWord } from '../../pipeline/frames/index.js';

/** A sound of a voice, as the dictionary of Carnegie Mellon names it (`pau` for a pause), and when it ends, in milliseconds. */
export interface VoiceSound {
  readonly name: string;
  readonly endMs: number;
}

/** The letters that English writes a consonant with; of the others any vowel will do. */
const LETTERS: Readonly<Record<string, string>> = {
  b: 'b',
  ch: 'ct',
  d: 'd',
  dh: 't',
  f: 'fpg',
  g: 'g',
  hh: 'hw',
  jh: 'jgd',
  k: 'ckqx',
  l: 'l',
  m: 'm',
  n: 'nk',
  ng: 'n',
  p: 'p',
  r: 'r',
  s: 'scxz',
  sh: 'stc',
  t: 't',
  th: 't',
  v: 'vf',
  w: 'wuoq',
  y: 'yue',
  z: 'zsx',
  zh: 'sgz',
};
const VOWEL_LETTERS = 'aeiouy';
const DIGITS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];
/** What it costs that a letter is written and not spoken, that a sound is spoken and not written, and that the two do not fit. */
const [UNSPOKEN, UNWRITTEN, UNFIT] = [0.7, 1, 1.6];

/** A text that is too long to be laid to its sounds at once has no times, as one in other letters has none: voices are given sentences. */
const MOST_CELLS = 1_000_000;

/** When words are spoken, by the sounds that the voice has made of them: each sound is laid to the letters that it may be written with. */
export function alignSounds(text: string, sounds: readonly VoiceSound[]): TimedWord[] {
  const words = text.match(/\S+/g) ?? [];
  const letters = words.flatMap((word, index) => [...spelled(word)].map((letter) => ({ letter, word: index })));
  const spoken = sounds
    .map(({ name, endMs }, at) => ({ name, startMs: sounds[at - 1]?.endMs ?? 0, endMs }))
    .filter(({ name }) => name !== 'pau');
  if (letters.length === 0 || letters.length * spoken.length > MOST_CELLS) return [];
  const owners = pathOf(letters, spoken);
  return words.flatMap((written, index) => {
    const own = spoken.filter((_, at) => owners[at] === index);
    const [first, last] = [own[0], own.at(-1)];
    return first && last ? [{ text: written, startMs: first.startMs, endMs: last.endMs }] : [];
  });
}

const spelled = (word: string) =>
  word
    .toLowerCase()
    .normalize('NFD')
    .replace(/\d/g, (digit) => DIGITS[Number(digit)] ?? '')
    .replace(/[^a-z]/g, '');

function cost(letter: string, sound: string): number {
  return (LETTERS[sound] ?? VOWEL_LETTERS).includes(letter) ? 0 : UNFIT;
}

/** To which word each sound belongs: the cheapest way to lay sounds to letters, in their order. */
function pathOf(
  letters: ReadonlyArray<{ letter: string; word: number }>,
  sounds: ReadonlyArray<{ name: string }>,
): number[] {
  const costs: number[][] = Array.from({ length: letters.length + 1 }, () =>
    new Array<number>(sounds.length + 1).fill(0),
  );
  const at = (i: number, j: number) => costs[i]?.[j] ?? Number.POSITIVE_INFINITY;
  const mismatch = (i: number, j: number) => cost(letters[i - 1]?.letter ?? '', sounds[j - 1]?.name ?? '');
  for (let i = 0; i <= letters.length; i += 1) {
    for (let j = 0; j <= sounds.length; j += 1) {
      if (i === 0 && j === 0) continue;
      const ways = [
        at(i - 1, j) + UNSPOKEN,
        at(i, j - 1) + UNWRITTEN,
        i > 0 && j > 0 ? at(i - 1, j - 1) + mismatch(i, j) : Number.POSITIVE_INFINITY,
      ];
      (costs[i] as number[])[j] = Math.min(...ways);
    }
  }
  const owners: number[] = [];
  let [i, j] = [letters.length, sounds.length];
  while (j > 0) {
    if (i > 0 && at(i, j) === at(i - 1, j - 1) + mismatch(i, j)) {
      i -= 1;
      j -= 1;
      owners[j] = letters[i]?.word ?? 0;
    } else if (i > 0 && at(i, j) === at(i - 1, j) + UNSPOKEN) i -= 1;
    else {
      j -= 1;
      owners[j] = letters[Math.max(0, i - 1)]?.word ?? 0;
    }
  }
  return owners;
}
