import { randomNumbers } from '../hearing/random.js';
import { dist } from '../processes/dist.js';
import type { CallScript, EarsOptions, ScriptedTurn, Stretch } from './call-script.js';
import { CALLER_RMS, type HumanSound } from './human-sounds.js';
import { BACKCHANNELS, GOING_ON, LONG, MEDIUM, SEEMS_FINISHED, SHORT } from './sentences.js';
import { effects, type NoiseColor, steadyNoise } from './sound-effects.js';

const { encodeMulaw } = await dist<typeof import('../../src/base/audio/mulaw.js')>('base/audio/mulaw.js');

/** Longest silence within a stretch, in milliseconds. */
const LONGEST_GAP_MS = 200;
const PUNCTUATING: EarsOptions = { finalMs: 400, interimMs: 200, punctuates: true };
const PLAIN: EarsOptions = { ...PUNCTUATING, punctuates: false };
const LATE: EarsOptions = { finalMs: 800, interimMs: 600, punctuates: true };
export const EARS = { '': PUNCTUATING, ' unpunctuated': PLAIN, ' late': LATE } as const;
type EarsName = keyof typeof EARS;

const QUIET_MS = 700;
/** After what should not have stopped the bot, it has so long to go on, in milliseconds. */
const RESUME_MS = 3_500;
const ANSWER_WORDS = 7;
/** An answer in the middle of which something happens. */
const LONG_ANSWER_WORDS = 14;
const INTO_ANSWER_MS = 1_200;

/** The groups of calls, by name. @param n turns of each of the larger rows */
export class Scripts {
  readonly #random = randomNumbers(5);
  readonly #sounds: readonly HumanSound[];
  readonly #used = new Map<string, number>();

  constructor(
    all: readonly HumanSound[],
    private readonly n: number,
  ) {
    this.#sounds = all.filter(({ longestGapMs }) => longestGapMs <= LONGEST_GAP_MS);
  }

  /** Calls of ten plain sentences. */
  plain(): CallScript[] {
    const calls = (ears: EarsName, count: number) =>
      this.#calls(count, 10, ears, ANSWER_WORDS, () => [this.#turn(`plain${ears}`, [this.#sentence()], 0)]);
    return [...calls('', this.n), ...calls(' unpunctuated', this.n), ...calls(' late', this.n / 2)];
  }

  /** Sentences with a pause in them, six to a call. */
  pauses(): CallScript[] {
    const calls = (ears: EarsName, share: number) =>
      [300, 500, 700].flatMap((pauseMs) =>
        this.#calls(share * this.n, 6, ears, ANSWER_WORDS, (index) => [
          this.#turn(`pause ${pauseMs}${ears}`, this.#pair(index % 2 === 0 ? GOING_ON : SEEMS_FINISHED), pauseMs),
        ]),
      );
    return [...calls('', 1 / 2), ...calls(' unpunctuated', 1 / 4), ...calls(' late', 1 / 8)];
  }

  /** Longer pauses after words that go on. */
  goingOn(): CallScript[] {
    return [900, 1_100].flatMap((pauseMs) =>
      this.#calls(this.n / 2, 5, '', ANSWER_WORDS, () => [
        this.#turn(`goes on ${pauseMs}`, this.#pair(GOING_ON), pauseMs),
      ]),
    );
  }

  /** Longer pauses after a sentence that seems finished: three in each call, each counted by its place. */
  finished(): CallScript[] {
    return [900, 1_100].flatMap((pauseMs) =>
      this.#calls(0.75 * this.n, 3, '', ANSWER_WORDS, (_, place) => [
        this.#turn(`finished ${['first', 'second', 'third'][place]}`, this.#pair(SEEMS_FINISHED), pauseMs),
      ]),
    );
  }

  longPauses(): CallScript[] {
    return [1_300, 1_500].flatMap((pauseMs) =>
      this.#calls(this.n / 4, 2, '', ANSWER_WORDS, () => [
        this.#turn(`finished ${pauseMs}`, this.#pair(SEEMS_FINISHED), pauseMs),
      ]),
    );
  }

  /** The caller speaks over the bot, with words. */
  interruptions(): CallScript[] {
    return this.#calls(this.n, 5, '', LONG_ANSWER_WORDS, () => [
      this.#turn(undefined, [this.#stretch(SHORT, 700, 1_300)], 0),
      { ...this.#turn('interruption', [this.#stretch(MEDIUM, 1_300, 2_000)], 0), intoAnswerMs: INTO_ANSWER_MS },
    ]);
  }

  /** Sounds that are no words, over the bot. */
  sounds(): CallScript[] {
    const made = effects(this.#sounds, Math.round(1.25 * this.n));
    return this.#calls(made.length, 4, '', LONG_ANSWER_WORDS, (index) => {
      const { kind, pcm } = made[index] as (typeof made)[number];
      return this.#over(`sound ${kind}`, { audio: encoded(pcm), text: '' });
    });
  }

  /** "Uh-huh" and its like, which the ears understand, over the bot. */
  backchannels(): CallScript[] {
    return this.#calls(0.6 * this.n, 4, '', LONG_ANSWER_WORDS, (index) => {
      const { audio } = this.#stretch(SHORT, 300, 700);
      return this.#over('uh-huh', { audio, text: BACKCHANNELS[index % BACKCHANNELS.length] as string });
    });
  }

  /** Steady noise from the answer on, under the greeting. */
  noise(): CallScript[] {
    const colors: readonly NoiseColor[] = ['pink', 'white', 'brown'];
    return colors.flatMap((color) =>
      [20, 25, 30].flatMap((belowDb) =>
        [1, 2].map((seed) => ({
          ears: PUNCTUATING,
          greetingWords: 20,
          answerWords: ANSWER_WORDS,
          turns: [],
          noise: encoded(steadyNoise(color, CALLER_RMS / 10 ** (belowDb / 20), seed)),
          tailMs: 8_000,
        })),
      ),
    );
  }

  #over(row: string, stretch: Stretch): ScriptedTurn[] {
    return [
      { ...this.#turn(undefined, [this.#stretch(SHORT, 700, 1_300)], 0), quietMs: RESUME_MS },
      { ...this.#turn(row, [stretch], 0), intoAnswerMs: INTO_ANSWER_MS, isAnswered: false },
    ];
  }

  #calls(
    turns: number,
    perCall: number,
    ears: EarsName,
    answerWords: number,
    make: (index: number, place: number) => ScriptedTurn[],
  ): CallScript[] {
    const count = Math.round(turns);
    return Array.from({ length: Math.ceil(count / perCall) }, (_, call) => ({
      ears: EARS[ears],
      greetingWords: 4,
      answerWords,
      turns: Array.from({ length: Math.min(perCall, count - call * perCall) }, (_, place) =>
        make(call * perCall + place, place),
      ).flat(),
      tailMs: answerWords === LONG_ANSWER_WORDS ? 4_000 : 500,
    }));
  }

  #turn(row: string | undefined, stretches: readonly Stretch[], pauseMs: number): ScriptedTurn {
    const quietMs = QUIET_MS + Math.round(300 * this.#random());
    return { ...(row !== undefined && { row }), stretches, pauseMs, quietMs, isAnswered: true };
  }

  #sentence(): Stretch {
    const kind = Math.floor(3 * this.#random());
    if (kind === 0) return this.#stretch(SHORT, 700, 1_300);
    return kind === 1 ? this.#stretch(MEDIUM, 1_300, 2_000) : this.#stretch(LONG, 2_000, 3_500);
  }

  #pair(texts: ReadonlyArray<readonly [string, string]>): Stretch[] {
    const [first, second] = this.#next(texts, 'pairs');
    return [first, second].map((text) => ({ ...this.#stretch(SHORT, 900, 1_700), text }));
  }

  #stretch(texts: readonly string[], fromMs: number, toMs: number): Stretch {
    const text = this.#next(texts, `${fromMs} texts`);
    const fitting = this.#sounds.filter(({ durationMs }) => durationMs >= fromMs && durationMs < toMs);
    return { audio: encoded(this.#next(fitting, `${fromMs} sounds`).pcm), text };
  }

  /** All in turn, from place to place. */
  #next<T>(items: readonly T[], use: string): T {
    const at = this.#used.get(use) ?? 0;
    this.#used.set(use, at + 1);
    return items[(at * 7) % items.length] ?? (items[0] as T);
  }
}

const encoded = (pcm: Int16Array): string => Buffer.from(encodeMulaw(pcm)).toString('base64');
