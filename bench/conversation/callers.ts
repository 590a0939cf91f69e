/** The carrier of the bench, and callers who talk with the bots. */
import { setTimeout as delay } from 'node:timers/promises';
import { BenchCarrier } from '../processes/carrier.js';
import { commonTime } from '../processes/clock.js';
import { dist } from '../processes/dist.js';
import { Metronome } from '../processes/metronome.js';
import { answer, usage } from '../processes/questions.js';
import { takeLoopDelay } from './loop-delay.js';
import { type Answer, TalkingLine } from './talking-line.js';

const { withDeadline } = await dist<typeof import('../../src/base/async/deadline.js')>('base/async/deadline.js');
const carrier = new BenchCarrier();

/** Longest wait for anything of a bot, in milliseconds. */
const LIMIT_MS = 10_000;
/** How long the bot has been speaking when it is interrupted, in milliseconds. */
const LISTENED_MS = 120;
const INTERRUPTION_MS = 240;
/** Callers come within this time, in milliseconds. */
const ARRIVAL_MS = 5_000;

/** On the clock that all processes have in common, in milliseconds. */
export interface HeardTimes {
  firstFrames: number[];
  clears: number[];
}

export interface Talk {
  answers: number;
  unanswered: number;
  frames: number;
  /** From the caller's last sound to the bot's first, in milliseconds. */
  waits: number[];
  /** As of {@link Answer}. */
  gaps: number[];
  lateness: number[];
  gapsHeard: number;
  endedCalls: number;
}

let lines: TalkingLine[] = [];
let metronome: Metronome | undefined;
let isTalking = false;
let talks: Array<Promise<void>> = [];
let record: Array<{ answer: Answer; waitMs: number | undefined; stoppedAt: number }> = [];

const questions = {
  /** One caller who interrupts the bot in the middle of every answer. */
  async interrupt(url: string, turns: number): Promise<HeardTimes> {
    const times: HeardTimes = { firstFrames: [], clears: [] };
    const line = await call(url);
    const metronome = new Metronome([line], 1);
    try {
      await withLimit(line.listen().begun, 'greeting');
      for (let turn = 0; turn <= turns; turn += 1) {
        await delay(LISTENED_MS);
        const cleared = withLimit(line.cleared(), 'clear').then((at) => {
          times.clears.push(commonTime(at));
          return line.listen();
        });
        cleared.catch(() => {}); // told below
        await line.speak(INTERRUPTION_MS);
        times.firstFrames.push(commonTime(await withLimit((await cleared).begun, 'answer')));
      }
    } finally {
      metronome.stop();
      await line.close();
    }
    return times;
  },

  /** So many callers call, and talk with the bots until {@link hangUp}. */
  async talk(url: string, count: number): Promise<void> {
    isTalking = true;
    metronome = new Metronome(lines, count);
    for (let index = 0; index < count; index += 1) {
      const line = await call(url);
      lines.push(line);
      const talk = converse(line).catch((error: Error) => {
        if (isTalking) console.error(error.message);
      });
      talks.push(talk);
      await delay(ARRIVAL_MS / count);
    }
  },

  /** What the callers hear from now on, in so many milliseconds. */
  async measure(windowMs: number): Promise<Talk> {
    const startsAt = performance.now();
    record = [];
    takeLoopDelay();
    await delay(windowMs + LIMIT_MS); // the last answers are heard to their end
    const turns = record.filter(({ stoppedAt }) => stoppedAt >= startsAt && stoppedAt < startsAt + windowMs);
    const answers = turns.filter(({ waitMs }) => waitMs !== undefined).map(({ answer }) => answer);
    return {
      answers: answers.length,
      unanswered: turns.length - answers.length,
      frames: answers.reduce((sum, { frames }) => sum + frames, 0),
      waits: turns.flatMap(({ waitMs }) => waitMs ?? []),
      gaps: answers.flatMap(({ gaps }) => gaps),
      lateness: answers.flatMap(({ lateness }) => lateness),
      gapsHeard: answers.reduce((sum, { gapsHeard }) => sum + gapsHeard, 0),
      endedCalls: lines.filter((line) => !line.isOpen).length,
    };
  },

  async hangUp(): Promise<void> {
    isTalking = false;
    metronome?.stop();
    await Promise.all(lines.map((line) => line.close()));
    await Promise.all(talks);
    lines = [];
    talks = [];
  },

  usage,
  loopDelay: takeLoopDelay,
};
export type Callers = typeof questions;

answer(questions);

async function call(url: string): Promise<TalkingLine> {
  const line = new TalkingLine(carrier.callAt(url));
  await line.opened;
  return line;
}

/** Hears the bot out, speaks, and listens, again and again. */
async function converse(line: TalkingLine): Promise<void> {
  await withLimit(line.listen().begun, 'greeting');
  while (isTalking && line.isOpen) {
    await line.quiet(300 + 700 * Math.random());
    const answer = line.listen();
    const stoppedAt = await line.speak(800 + 1_200 * Math.random());
    const waitMs = await withLimit(answer.begun, 'answer').then(
      (at) => at - stoppedAt,
      () => undefined,
    );
    record.push({ answer, waitMs, stoppedAt });
  }
}

const withLimit = <T>(promise: Promise<T>, what: string): Promise<T> =>
  withDeadline(promise, LIMIT_MS, () => new Error(`no ${what} within ${LIMIT_MS} ms`));
