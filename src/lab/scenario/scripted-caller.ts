import { basename } from 'node:path';
import type { DtmfDigit } from '../../base/audio/dtmf-digit.js';
import { FRAME_MS } from '../../base/audio/frame.js';
import { errorText } from '../../base/error-text.js';
import type { TimelineEvent } from '../../call/timeline.js';
import { BotTalk } from './bot-talk.js';
import type { Failure } from './call-story.js';
import type { CallerAction, CallerHands } from './caller-hands.js';
import { type CallerPlayer, type CallerTurn, whyUnsatisfied } from './caller-player.js';
import type { CallerStep } from './caller-steps.js';
import { CallersTurn } from './callers-turn.js';
import { LineEar, type Patience } from './line-ear.js';
import { ONE_ROUND, type StepFrame, StepProgress } from './step-progress.js';
import type { WordPattern } from './words.js';

const FRAME_BYTES = 160;

/** A caller who has done everything hangs up on a bot that has finished; one that has not answered yet is given longer than in between. */
const LAST_TURN: Patience = { afterSpeechMs: 1_000, afterNothingMs: 10_000 };
/** Where the bot is to end the call: it pauses before its goodbye, and its hanging up takes a moment. */
const BOT_ENDS: Patience = { afterSpeechMs: 5_000, afterNothingMs: 10_000 };

/** Keys that are pressed before the bot has the call are lost, so they wait for that; at most so long, in milliseconds. */
const STREAM_LIMIT_MS = 5_000;

/** A stretch of doing: each value is what is said in the next 20 ms; undefined for nothing. */
type Doing = Generator<Uint8Array | undefined, void, void>;

interface SpokenStep {
  /** mu-law, 8000 Hz. */
  readonly sound: Promise<Uint8Array>;
  readonly words: string | undefined;
  /** That it is read from. */
  readonly file?: string;
}

interface When {
  readonly during?: WordPattern | undefined;
  readonly after?: number | undefined;
  readonly talkOver?: boolean | undefined;
  readonly orFinished?: boolean | undefined;
}

/**
 * Does what a scenario says the caller does, 20 ms at a time. Its only clock is the line, so that a call does the same things at the same
 * moments however busy the machine is; only the words of the bot come by the clock of the machine.
 */
export class ScriptedCaller {
  /** Steps that could not be done. */
  readonly failures: Failure[] = [];
  /** What the caller has done so far, in order. */
  readonly acts: CallerAction[] = [];
  readonly talk: BotTalk;
  readonly ear = new LineEar();
  readonly #turn = new CallersTurn(this.ear);
  readonly #doing: Doing;
  readonly #progress: StepProgress;
  /** A caller in place of steps, and what they have done. */
  readonly #player: CallerPlayer | undefined;
  readonly #turns: CallerTurn[] = [];
  #stepDoneMs = 0;
  /** When the caller was done with what the bot may answer: hearing its words is no such thing. */
  #turnFromMs = 0;
  #isOver = false;
  /** Whether a bot hears the caller. */
  #isHeard = false;

  constructor(
    caller: readonly CallerStep[] | CallerPlayer,
    private readonly hands: CallerHands,
    private readonly signal: AbortSignal,
    /** Whether the bot is to end the call. Default false. */
    private readonly isBotToEnd = false,
  ) {
    this.talk = new BotTalk(hands.characterMs);
    this.#player = 'next' in caller ? caller : undefined;
    this.#progress = new StepProgress('next' in caller ? [] : caller, this.talk);
    this.#doing = 'next' in caller ? this.#play(caller) : this.#perform();
  }

  /** Everything is done, or cannot be. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Where the caller stands: `hear "Your balance" (caller[2])`; undefined when all steps are done. */
  get place(): string | undefined {
    return this.#progress.place;
  }

  /** What of the steps was not done in a call that is over: see {@link StepProgress.unfinished}. */
  unfinished(end: string, atMs: number): Failure | undefined {
    return this.#isOver ? undefined : this.#progress.unfinished(end, atMs);
  }

  /**
   * Asks a caller in place of steps, who has not hung up when the call is over, whether they have got what they wanted.
   * @param end how the call ended @param atMs when, since the answer
   */
  async unsatisfied(end: string, atMs: number): Promise<Failure | undefined> {
    if (!this.#player || this.#isOver) return undefined;
    const moment = { talk: this.talk.lines, done: [...this.#turns], signal: this.signal };
    const why = await whyUnsatisfied(this.#player, moment);
    if (why === undefined) return undefined;
    return { field: 'caller', expected: 'that the caller succeeds', happened: `${end}: ${why}`, atMs };
  }

  /** The bot hears the caller from now on: keys reach it. */
  isHeard(): void {
    this.#isHeard = true;
  }

  /** Something has happened in the call. */
  note(event: TimelineEvent): void {
    this.talk.note(event);
    if (event.type === 'caller_joined') this.isHeard();
    this.#turn.note(event);
  }

  /**
   * Lives through the next 20 ms after the answer.
   * @param heard mu-law, 8000 Hz, 160 bytes
   * @returns what is said meanwhile, at most as long; undefined for nothing
   */
  exchange(heard: Uint8Array): Uint8Array | undefined {
    this.ear.hear(heard);
    const { value, done } = this.#isOver ? { value: undefined, done: true } : this.#doing.next();
    this.#isOver ||= done === true;
    this.ear.tick();
    return value ?? undefined;
  }

  *#perform(): Doing {
    if (!(yield* this.#doAll(this.#progress.whole))) return;
    const patience = this.isBotToEnd ? BOT_ENDS : LAST_TURN;
    yield* this.#until(() => this.#turn.isNow(this.#turnFromMs, patience));
    this.#hangUp();
  }

  /** @returns false when the rest cannot be done */
  *#doAll(frame: StepFrame): Generator<Uint8Array | undefined, boolean, void> {
    for (let step = frame.steps[frame.at]; step; frame.at += 1, step = frame.steps[frame.at])
      if (!(yield* this.#do(step, `${frame.place}[${frame.at}]`))) return false;
    return true;
  }

  *#doWithin(frame: StepFrame): Generator<Uint8Array | undefined, boolean, void> {
    this.#progress.enter(frame);
    if (!(yield* this.#doAll(frame))) return false;
    this.#progress.leave();
    return true;
  }

  /** @returns false when the rest cannot be done */
  *#do(step: CallerStep, field: string): Generator<Uint8Array | undefined, boolean, void> {
    switch (step.kind) {
      case 'say':
        yield* this.#say({ sound: this.hands.speak(step.words), words: step.words }, step);
        break;
      case 'play':
        yield* this.#say(
          { sound: Promise.resolve(this.hands.play(step.file)), words: step.words, file: step.file },
          step,
        );
        break;
      case 'press':
        if (step.after === undefined) yield* this.#until(() => this.#canPress);
        yield* this.#until(this.#isTime(step, false));
        yield* this.#press(step.keys);
        break;
      case 'hang_up':
        yield* this.#until(this.#isTime(step, false));
        this.#hangUp();
        return false;
      case 'wait':
        yield* this.#until(this.#hasPassed(step.ms));
        break;
      case 'hear':
        if (!(yield* this.#hear(step, field))) return false;
        break;
      case 'either': {
        const index = yield* this.#choose(step, field);
        if (index === undefined) return false;
        const steps = step.branches[index]?.steps ?? [];
        if (!(yield* this.#doWithin({ ...ONE_ROUND, steps, place: `${field}.either[${index}].then`, at: 0 })))
          return false;
        break;
      }
      case 'repeat': {
        const { steps, times = Number.POSITIVE_INFINITY } = step;
        for (let time = 0; time < times; time += 1) {
          const roundsLeft = step.times === undefined ? 0 : times - time - 1;
          const round = { isEndless: step.times === undefined, hasRound: time > 0, roundsLeft };
          if (!(yield* this.#doWithin({ ...round, steps, place: `${field}.repeat`, at: 0 }))) return false;
        }
      }
    }
    this.#stepDoneMs = this.ear.nowMs;
    if (!['hear', 'either', 'repeat'].includes(step.kind)) this.#turnFromMs = this.ear.nowMs;
    return true;
  }

  *#say({ sound, words, file }: SpokenStep, when: When): Doing {
    const audio = yield* this.#settled(sound);
    yield* this.#until(this.#isTime(when, true));
    if (file === undefined) this.#act('say', words ?? '');
    else this.#act('play', basename(file));
    for (let at = 0; at < audio.length; at += FRAME_BYTES) yield audio.subarray(at, at + FRAME_BYTES);
    if (words !== undefined) this.hands.said(words);
  }

  *#press(keys: Extract<CallerStep, { kind: 'press' }>['keys']): Doing {
    const beganMs = this.ear.nowMs;
    for (const { digit, atMs } of keys) {
      yield* this.#until(() => this.ear.nowMs - beganMs >= atMs);
      this.#pressOne(digit);
    }
  }

  #pressOne(digit: DtmfDigit): void {
    this.#act('press', digit);
    this.hands.press(digit);
  }

  #hangUp(): void {
    this.#act('hang_up', '');
    this.hands.hangUp();
  }

  #act(does: CallerAction['does'], what: string): void {
    this.acts.push({ atMs: this.ear.nowMs, does, what });
  }

  /** Whether there is a bot that keys reach; one that says something is there. */
  get #canPress(): boolean {
    return this.#isHeard || this.ear.lastLoudMs >= 0 || this.ear.nowMs >= STREAM_LIMIT_MS;
  }

  *#hear(
    { words, withinMs }: Extract<CallerStep, { kind: 'hear' }>,
    field: string,
  ): Generator<undefined, boolean, void> {
    return (yield* this.#hearOne([words], withinMs, `${field}.hear`)) !== undefined;
  }

  /** @returns which branch; undefined when none comes */
  *#choose(
    { branches, withinMs }: Extract<CallerStep, { kind: 'either' }>,
    field: string,
  ): Generator<undefined, number | undefined, void> {
    return yield* this.#hearOne(
      branches.map(({ words }) => words),
      withinMs,
      `${field}.either`,
    );
  }

  /** Waits for the first of several words. @returns which; undefined when none comes, and the caller hangs up */
  *#hearOne(
    all: readonly WordPattern[],
    withinMs: number,
    field: string,
  ): Generator<undefined, number | undefined, void> {
    const isLate = this.#hasPassed(withinMs);
    for (;;) {
      const index = this.talk.firstSaid(all);
      if (index !== undefined) return index;
      if (isLate()) break;
      yield undefined;
    }
    const happened = `after ${withinMs / 1_000} s the bot had said ${this.talk.wordsAt(Date.now())}`;
    this.failures.push({ field, expected: all.join(' or '), happened, atMs: this.ear.nowMs });
    this.#hangUp();
    return undefined;
  }

  /** A caller who decides by themselves. */
  *#play(player: CallerPlayer): Doing {
    const done = this.#turns;
    const fail = (expected: string, happened: string) =>
      this.failures.push({ field: 'caller', expected, happened, atMs: this.ear.nowMs });
    for (let isOver = false; !isOver; this.#stepDoneMs = this.ear.nowMs) {
      yield* this.#until(() => this.#turn.isNow(this.#stepDoneMs));
      const moment = { talk: this.talk.lines, done: [...done], signal: this.signal };
      const asked = Promise.resolve().then(() => player.next(moment));
      const turn = yield* this.#settled(
        asked.catch((error: unknown) => {
          fail('that the caller knows what to do', errorText(error));
          return { hangUp: true } as CallerTurn;
        }),
      );
      done.push(turn);
      if (turn.say !== undefined)
        yield* this.#say({ sound: this.hands.speak(turn.say), words: turn.say }, { talkOver: true });
      for (const digit of turn.press ?? '') {
        this.#pressOne(digit as DtmfDigit);
        yield* this.#until(this.#hasPassed(100));
      }
      if (turn.hangUp && turn.succeeded === false)
        fail('that the caller succeeds', turn.because ?? 'the caller did not get what they wanted');
      isOver = turn.hangUp === true;
    }
    this.#hangUp();
  }

  #isTime({ during, after, talkOver, orFinished }: When, waitsForTurn: boolean): () => boolean {
    let isInWords = during === undefined;
    let hasPassed = after === undefined || during ? () => true : this.#hasPassed(after);
    const sinceMs = this.#turnFromMs;
    const waits = waitsForTurn && !talkOver && after === undefined && during === undefined;
    return () => {
      if (!isInWords && during && this.talk.isSaying(during, Date.now())) {
        isInWords = true;
        if (after !== undefined) hasPassed = this.#hasPassed(after);
      }
      if (!isInWords) return orFinished === true && this.#turn.isNow(sinceMs);
      return hasPassed() && (!waits || this.#turn.isNow(sinceMs));
    };
  }

  /** From now on. */
  #hasPassed(ms: number): () => boolean {
    const untilMs = this.ear.nowMs + ms;
    return () => this.ear.nowMs + FRAME_MS > untilMs;
  }

  *#until(condition: () => boolean): Generator<undefined, void, void> {
    while (!condition()) yield undefined;
  }

  *#settled<T>(promise: Promise<T>): Generator<undefined, T, void> {
    let outcome: { readonly value: T } | { readonly error: unknown } | undefined;
    promise.then(
      (value) => {
        outcome = { value };
      },
      (error: unknown) => {
        outcome = { error };
      },
    );
    while (!outcome) yield undefined;
    if ('error' in outcome) throw outcome.error;
    return outcome.value;
  }
}
