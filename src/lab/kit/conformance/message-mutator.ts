/** Longest message made, in UTF-16 units: at most 48 KB as UTF-8, so a socket with a 64 KB limit takes every one. */
const MAX_LENGTH = 16_000;

/**
 * An endless source of damaged messages: each is one of `corpus` with one to three mutations of its text or of its JSON
 * value. The same corpus and seed give the same messages, so a failure can be repeated. A few come out undamaged in
 * meaning, and some are a valid `stop`.
 * @param seed any integer
 */
export function createMessageMutator(corpus: readonly string[], seed: number): () => string {
  const random = createRandom(seed);
  return () => {
    let text = random.pick(corpus);
    for (let rounds = random.below(3); rounds >= 0; rounds -= 1) {
      text = random.below(2) === 0 ? mutateText(text, random) : mutateValue(text, random);
    }
    return text.slice(0, MAX_LENGTH);
  };
}

interface Random {
  /** An integer from 0 to `limit - 1`. */
  below(limit: number): number;
  pick<T>(items: readonly T[]): T;
}

/** Mulberry32: 32 bits of state are plenty for test data. */
function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const below = (limit: number) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
  return { below, pick: <T>(items: readonly T[]) => items[below(items.length)] as T };
}

const ODD_TEXT = [
  '\u0000',
  '\ufeff',
  '\ud800',
  '\udfff',
  '\u202e',
  '\u2028',
  '📞',
  'é',
  '"',
  '\\',
  '\\u12',
  '{',
  '}',
  '[',
  '=',
];
const ODD_NUMBERS = ['1e999', '-1e999', '9'.repeat(400), '-0', '1e-400', '0.1', '00', 'NaN', '9007199254740993'];

const TEXT_MUTATIONS: ReadonlyArray<(text: string, random: Random) => string> = [
  function flipBit(text, random) {
    const at = random.below(text.length);
    return text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ (1 << random.below(8))) + text.slice(at + 1);
  },
  function truncate(text, random) {
    return text.slice(0, random.below(text.length));
  },
  function dropPart(text, random) {
    const at = random.below(text.length);
    return text.slice(0, at) + text.slice(at + 1 + random.below(20));
  },
  function repeatPart(text, random) {
    const at = random.below(text.length);
    const part = text.slice(at, at + 1 + random.below(200));
    return text.slice(0, at) + part.repeat(1 + random.below(8)) + text.slice(at);
  },
  function repeatAll(text, random) {
    return text + random.pick(['', '\n', ',']) + text;
  },
  function insertOddText(text, random) {
    const at = random.below(text.length);
    return text.slice(0, at) + random.pick(ODD_TEXT) + text.slice(at);
  },
  function replaceNumber(text, random) {
    const numbers = [...text.matchAll(/\d+/g)];
    if (numbers.length === 0) return text;
    const found = random.pick(numbers);
    return text.slice(0, found.index) + random.pick(ODD_NUMBERS) + text.slice(found.index + found[0].length);
  },
  function nestDeeply(text, random) {
    const depth = 1 + random.below(1_000); // what JSON.stringify can still write after three rounds
    const [opening, closing] = random.pick([
      ['[', ']'],
      ['{"event":', '}'],
      ['{"start":', '}'],
    ] as const);
    return opening.repeat(depth) + text + closing.repeat(depth);
  },
];

function mutateText(text: string, random: Random): string {
  return text === '' ? random.pick(ODD_TEXT) : random.pick(TEXT_MUTATIONS)(text, random);
}

const ODD_VALUES: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1e308,
  2 ** 53,
  '',
  '0',
  '../..',
  'a\u0000b',
  '\ud800',
  'x'.repeat(5_000),
  '=',
  'A===',
  [],
  {},
  [[[[]]]],
  { toString: 1, valueOf: null },
  { length: 1e9 },
  { event: 'media' },
];
const ODD_KEYS = ['__proto__', 'constructor', 'toString', 'length', '', 'event', 'media', 'start', 'payload'];

/** Changes one property somewhere inside the message; text that is no JSON object is changed as text. */
function mutateValue(text: string, random: Random): string {
  let root: unknown;
  try {
    root = JSON.parse(text);
  } catch {
    return mutateText(text, random);
  }
  const parents = containersOf(root);
  if (parents.length === 0) return JSON.stringify(random.pick(ODD_VALUES));
  const parent = random.pick(parents);
  const keys = Object.keys(parent);
  const key = keys.length > 0 ? random.pick(keys) : 'event';
  const value = parent[key];
  switch (random.below(6)) {
    case 0:
      delete parent[key];
      break;
    case 1:
      delete parent[key];
      define(parent, random.pick(ODD_KEYS), value);
      break;
    case 2:
      define(parent, random.pick(ODD_KEYS), random.pick(ODD_VALUES));
      break;
    case 3:
      parent[key] = typeof value === 'string' ? Number(value) : String(JSON.stringify(value));
      break;
    case 4:
      parent[key] = random.below(2) === 0 ? [value] : { [key]: value };
      break;
    default:
      parent[key] = random.pick(ODD_VALUES);
  }
  return JSON.stringify(root);
}

type Container = Record<string, unknown>;

/** Every object and array of a parsed message, without recursion: the message may be nested deeply. */
function containersOf(root: unknown): Container[] {
  const found: Container[] = [];
  for (const waiting = [root]; waiting.length > 0 && found.length < 100; ) {
    const value = waiting.pop();
    if (typeof value !== 'object' || value === null) continue;
    found.push(value as Container);
    waiting.push(...Object.values(value));
  }
  return found;
}

/** An own property even where the name is `__proto__`; arrays, whose `length` is special, grow instead. */
function define(target: Container, key: string, value: unknown): void {
  if (Array.isArray(target)) target.push(value);
  else Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}
