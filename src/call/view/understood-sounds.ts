import { isBackchannel } from '../backchannels.js';
import type { TimelineEvent } from '../timeline.js';
import { allOf } from './events.js';
import type { HeardSound } from './heard-sounds.js';

/** Words that come while the caller speaks on belong to what was said before, for so long after that. */
const LATE_WORDS_MS = 1_500;
/** Words come so long after the sound, at most. */
const LAST_WORDS_MS = 4_000;

/** Which words of the caller belong to which of their sounds. */
export class UnderstoodSounds {
  /** Whether anything was understood in the whole call. */
  readonly #isAnyKnown: boolean;
  readonly #words = new Map<HeardSound, string>();

  /** @param speech of the caller @param events in the order of their times */
  constructor(
    private readonly speech: readonly HeardSound[],
    events: readonly TimelineEvent[],
  ) {
    const said = allOf(events, 'said').filter(({ speaker, text }) => speaker === 'caller' && text.trim() !== '');
    this.#isAnyKnown = said.length > 0;
    for (const { at, startedAt, typed, text } of said) {
      const sound = startedAt === undefined || typed ? this.#soundOf(at) : this.#lastBefore(startedAt + 1);
      if (sound) this.#words.set(sound, [this.#words.get(sound), text.trim()].filter(Boolean).join(' '));
    }
  }

  /** What was understood of a sound; undefined: nothing. */
  of(sound: HeardSound): string | undefined {
    return this.#words.get(sound);
  }

  /** Whether a sound is the caller saying something: where the bot understands nothing in the whole call, every sound is. */
  areIn(sound: HeardSound): boolean {
    const words = this.of(sound);
    return this.#isAnyKnown ? words !== undefined && !isBackchannel(words) : true;
  }

  /** Whether nothing is known of what a sound says, though other words of the call were understood. */
  areMissingOf(sound: HeardSound): boolean {
    return this.#isAnyKnown && this.of(sound) === undefined;
  }

  /** Of which sound words are that came at this time. */
  #soundOf(at: number): HeardSound | undefined {
    const last = this.#lastBefore(at);
    if (!last || at - last.toMs > LAST_WORDS_MS) return undefined;
    const before = this.speech[this.speech.indexOf(last) - 1];
    const isLate = before && at < last.toMs && at - before.toMs < LATE_WORDS_MS && !this.#words.has(before);
    return isLate ? before : last;
  }

  #lastBefore(at: number): HeardSound | undefined {
    return this.speech.findLast(({ fromMs }) => fromMs < at);
  }
}
