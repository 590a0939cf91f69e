import { VoicebotError } from '../../../base/errors.js';
import { type OptionNames, refuseProblems, unknownOptions } from '../../../base/names/option-names.js';
import type { Phrase } from './phrase.js';

/** How much a {@link PhraseCache} keeps, and where. */
export interface PhraseCacheOptions {
  /** Most phrases kept in memory, 1 or more. Default 32. */
  maxPhrases?: number;
  /** Most audio kept in memory, in bytes. Default 10485760: eleven minutes at 8000 Hz. */
  maxBytes?: number;
  /**
   * Directory for phrases that are preloaded, so that the next process need not ask for them; it is made when it is missing.
   * What bots say otherwise is never written: it may be about a caller. Default: none.
   */
  directory?: string;
}

const OPTIONS: OptionNames<PhraseCacheOptions> = { maxPhrases: true, maxBytes: true, directory: true };

interface CachedPhrase {
  readonly phrase: Phrase;
  readonly isPreloaded: boolean;
}

/**
 * Keeps what voices have said, for all calls of a process, so that a greeting starts at once and is paid for once. The
 * phrase that was said longest ago makes room for a new one; those that were preloaded go last.
 */
export class PhraseCache {
  readonly #entries = new Map<string, CachedPhrase>();
  readonly #maxPhrases: number;
  readonly #maxBytes: number;
  readonly #directory: string | undefined;

  /** @throws VoicebotError VB_CONFIG_INVALID */
  constructor(options: PhraseCacheOptions = {}) {
    const { maxPhrases = 32, maxBytes = 10 * 1_024 * 1_024, directory } = options;
    const problems = unknownOptions(options, OPTIONS);
    if (!(maxPhrases >= 1)) problems.push(`maxPhrases must be 1 or more, got ${maxPhrases}`);
    if (!(maxBytes >= 0)) problems.push(`maxBytes must be 0 or more, got ${maxBytes}`);
    refuseProblems(problems);
    this.#maxPhrases = maxPhrases;
    this.#maxBytes = maxBytes;
    this.#directory = directory;
  }

  /** Phrases in memory. */
  get size(): number {
    return this.#entries.size;
  }

  /** A phrase in memory. @param key the voice, its settings and the text */
  get(key: string): Phrase | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#entries.delete(key); // to the end of the row
    this.#entries.set(key, entry);
    return entry.phrase;
  }

  /** Keeps a phrase in memory. */
  set(key: string, phrase: Phrase, isPreloaded = false): void {
    const wasPreloaded = this.#entries.get(key)?.isPreloaded === true;
    this.#entries.delete(key);
    if (phrase.pcm.byteLength > this.#maxBytes) return;
    this.#entries.set(key, { phrase, isPreloaded: isPreloaded || wasPreloaded });
    while (this.#entries.size > this.#maxPhrases || this.#bytes > this.#maxBytes) this.#dropOne(key);
  }

  /** A phrase that was preloaded, now or in an earlier process. A file that is damaged counts as missing. */
  async load(key: string): Promise<Phrase | undefined> {
    const known =
      this.get(key) ?? (this.#directory ? await (await phraseFiles()).readPhrase(this.#directory, key) : undefined);
    if (known) this.set(key, known, true);
    return known;
  }

  /**
   * Keeps a phrase in memory, and in the directory when there is one.
   * @throws VoicebotError VB_CONFIG_INVALID when it cannot be written
   */
  async store(key: string, phrase: Phrase): Promise<void> {
    this.set(key, phrase, true);
    const directory = this.#directory;
    if (!directory) return;
    await (await phraseFiles()).writePhrase(directory, key, phrase).catch((cause: Error) => {
      throw new VoicebotError('VB_CONFIG_INVALID', `phrases cannot be kept in ${directory}: ${cause.message}`, {
        cause,
      });
    });
  }

  get #bytes(): number {
    return [...this.#entries.values()].reduce((sum, { phrase }) => sum + phrase.pcm.byteLength, 0);
  }

  #dropOne(newest: string): void {
    const keys = [...this.#entries.keys()].filter((key) => key !== newest);
    const spoken = keys.find((key) => !this.#entries.get(key)?.isPreloaded);
    this.#entries.delete(spoken ?? keys[0] ?? newest);
  }
}

/** For the voices that are given no other. */
export const sharedPhrases = new PhraseCache();

/** Loaded when phrases are kept on disk: what checks their files is large. */
const phraseFiles = () => import('./phrase-file.js');
