import { VoicebotError } from '../../base/errors.js';
import { type OptionNames, unknownOptions } from '../../base/names/option-names.js';
import { rangeProblems } from '../../base/names/option-ranges.js';
import type { DtmfFrame } from '../pipeline/frames/index.js';

/** What `call.listen` waits for, and how long. */
export interface ListenOptions {
  /**
   * Most keys to wait for, 1 to 64. Where it is more than one, `#` ends them sooner, a `#` before the first of them means nothing, and one
   * that follows the last of them within two seconds belongs to them. Default: one key, unless `words` is given.
   */
  keys?: number;
  /**
   * Whether words count. What comes first decides: once a key has been pressed, words mean nothing; once words have been understood, keys
   * wait for the next `listen`. Default: true where the bot has speech to text, unless `keys` is given.
   */
  words?: boolean;
  /** Longest silence, in milliseconds, 100 to 600000: counted anew after each key and each word. Default 10000. */
  timeoutMs?: number;
  /**
   * Whether keys count that were pressed since the last `listen`, over however many sentences: for callers who know the menu. Default
   * false: those that were pressed before the last `say` began are answers to what was said then, and do not count.
   */
  typeAhead?: boolean;
}

/** What the caller has said or pressed: one of the two. */
export interface Heard {
  /** Such as `12`; the `#` that ended them is left out. */
  readonly keys?: string;
  readonly words?: string;
}

const LISTEN_OPTIONS: OptionNames<ListenOptions> = { keys: true, words: true, timeoutMs: true, typeAhead: true };

/** Keys kept for the next listener. */
const MAX_EARLY_KEYS = 64;
/** How long more words may take after final ones that do not end an utterance, in milliseconds. */
const MORE_WORDS_MS = 1_500;
/** How soon after the last of several keys a `#` belongs to them, in milliseconds: many callers press it although nothing waits for it. */
const TRAILING_HASH_MS = 2_000;

/** What is pressed: the digit, and whether it counts no more. */
type Key = Pick<DtmfFrame, 'digit' | 'isTaken'>;

interface Listening {
  readonly maxKeys: number;
  readonly takesWords: boolean;
  readonly timeoutMs: number;
  readonly settle: (heard: Heard | undefined) => void;
  keys: string;
  words: string;
  timer: NodeJS.Timeout | undefined;
}

/** Waits for what the caller says or presses. Keys that no `listen` waits for are kept for the next one. */
export class CallerEar {
  #listening: Listening | undefined;
  #early: Key[] = [];
  /** Those that were pressed before the last sentence began. */
  #earlier: Key[] = [];
  /** When the last of as many keys as were waited for was pressed, in monotonic milliseconds; another key ends that. */
  #completedAt = Number.NEGATIVE_INFINITY;
  #isOver = false;

  /** @param hasWords whether there is speech to text */
  constructor(private readonly hasWords: boolean) {}

  /**
   * Resolves with undefined when nothing came in time, or when the call is over.
   * @throws VoicebotError VB_CONFIG_INVALID for an option that is out of range or not known, for words without speech to text,
   *   and while an earlier `listen` still waits
   */
  listen(options: ListenOptions): Promise<Heard | undefined> {
    const { keys, timeoutMs = 10_000 } = options;
    const takesWords = options.words ?? (keys === undefined && this.hasWords);
    const maxKeys = keys ?? (options.words ? 0 : 1);
    const problems = unknownOptions(options, LISTEN_OPTIONS);
    if (keys !== undefined && !(Number.isInteger(keys) && keys >= 1 && keys <= 64))
      problems.push(`keys must be 1 to 64, got ${keys}`);
    problems.push(...rangeProblems({ timeoutMs: [timeoutMs, 100, 600_000] }));
    if (takesWords && !this.hasWords) problems.push('words need speech to text: give the bot `stt`');
    if (this.#listening) problems.push('the call is being listened to already');
    if (problems.length > 0) throw new VoicebotError('VB_CONFIG_INVALID', `listen: ${problems.join('; ')}`);
    if (this.#isOver) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.#listening = { maxKeys, takesWords, timeoutMs, settle: resolve, keys: '', words: '', timer: undefined };
      this.#wait(timeoutMs);
      const early = options.typeAhead ? [...this.#earlier, ...this.#early] : this.#early;
      this.#early = [];
      this.#earlier = [];
      if (maxKeys > 0) for (const key of early) this.press(key);
    });
  }

  /** The bot begins to say something: keys pressed before count only for those who listen with `typeAhead`. */
  saying(): void {
    this.#earlier = [...this.#earlier, ...this.#early].slice(-MAX_EARLY_KEYS);
    this.#early = [];
  }

  /** @param key is taken when a `listen` acts on it; one that has been taken means nothing */
  press(key: Key): void {
    if (key.isTaken) return;
    const isTrailing = key.digit === '#' && performance.now() - this.#completedAt < TRAILING_HASH_MS;
    this.#completedAt = Number.NEGATIVE_INFINITY;
    const listening = this.#listening;
    if (isTrailing) key.isTaken = true;
    else if (!listening || listening.maxKeys === 0 || listening.words !== '')
      this.#early = [...this.#early, key].slice(-MAX_EARLY_KEYS);
    else {
      key.isTaken = true;
      this.#take(key, listening);
    }
  }

  /** The caller is saying something that may change yet. */
  hearInterim(): void {
    const listening = this.#listening;
    if (listening?.takesWords && listening.keys === '') this.#wait(listening.timeoutMs);
  }

  hear(text: string, endsUtterance: boolean): void {
    const listening = this.#listening;
    if (!listening?.takesWords || listening.keys !== '') return;
    listening.words = `${listening.words} ${text}`.trim();
    if (listening.words === '') return; // noise that nothing was understood of
    if (endsUtterance) this.#settle();
    else this.#wait(MORE_WORDS_MS);
  }

  /** The call is over. */
  close(): void {
    this.#isOver = true;
    this.#settle();
  }

  #take({ digit }: Key, listening: Listening): void {
    const isEnd = digit === '#' && listening.maxKeys > 1;
    if (isEnd && listening.keys !== '') {
      this.#settle();
      return;
    }
    if (!isEnd) listening.keys += digit;
    if (listening.keys.length < listening.maxKeys) this.#wait(listening.timeoutMs);
    else {
      if (listening.maxKeys > 1) this.#completedAt = performance.now();
      this.#settle();
    }
  }

  #wait(ms: number): void {
    clearTimeout(this.#listening?.timer);
    if (this.#listening) this.#listening.timer = setTimeout(() => this.#settle(), ms);
  }

  #settle(): void {
    const listening = this.#listening;
    if (!listening) return;
    this.#listening = undefined;
    clearTimeout(listening.timer);
    const { keys, words, settle } = listening;
    if (this.#isOver) settle(undefined);
    else if (keys !== '') settle({ keys });
    else settle(words === '' ? undefined : { words });
  }
}
