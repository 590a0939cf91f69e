import { durationOf } from '../scenario/fields.js';
import type { StepOptions, StepTiming } from '../scenario/scenario-options.js';
import type { BotSpeech } from './bot-speech.js';

/** Something that the caller did. Times are milliseconds since the Unix epoch. */
export interface CallerAct {
  readonly from: number;
  readonly to: number;
  readonly does: { say: string } | { play: string; words?: string } | { press: string } | { hangUp: true };
}

/** The caller waits no longer for a bot that says nothing (see `QUIET_MS` of the caller's ear). */
const PATIENT_MS = 4_500;
/** So long before the bot began to speak the caller begins to listen whether it has finished. */
const EARLY_MS = 500;

/**
 * What the caller did, at a pace that follows the bot: what was said or done over the bot's words comes with those words, what came
 * after the bot had finished waits until it has finished.
 */
export function stepsOf(acts: readonly CallerAct[], bot: BotSpeech, answeredAt: number): StepOptions[] {
  let doneAt = answeredAt;
  return acts
    .toSorted((one, other) => one.from - other.from)
    .flatMap((act) => {
      const steps = stepOf(act, bot, doneAt);
      doneAt = act.to;
      return steps;
    });
}

function stepOf({ from, does }: CallerAct, bot: BotSpeech, doneAt: number): StepOptions[] {
  const pause = pauseBefore(from, bot, doneAt);
  const isOver = bot.isHeardAt(from);
  const waitsByItself = 'say' in does || 'play' in does;
  const hasSpoken = isOver || bot.stretches.some(({ to }) => to > doneAt && to <= from);
  if (!hasSpoken) return [{ ...does, after: durationOf(from - doneAt) }];
  if (!isOver && (waitsByItself || 'hangUp' in does)) return [...pause, ...afterTurn(does)];
  const moment = bot.momentOf(from);
  const timing: StepTiming = moment
    ? { during: moment.during, after: durationOf(moment.afterMs), orFinished: true }
    : { after: durationOf(from - doneAt - waitIn(pause)) };
  return [...pause, { ...does, ...timing }];
}

/** A caller whose steps are done hangs up when the bot has finished. */
const afterTurn = (does: CallerAct['does']): StepOptions[] => ('hangUp' in does ? [] : [does]);

/** When the bot said several things, with pauses in between, or came late: until it began the last of them. */
function pauseBefore(from: number, bot: BotSpeech, doneAt: number): Array<{ wait: `${number}ms` }> {
  const since = bot.stretches.filter((stretch) => stretch.to > doneAt && stretch.from < from);
  const last = since.at(-1);
  if (!last || (since.length < 2 && last.from - doneAt < PATIENT_MS)) return [];
  const ms = last.from - doneAt - EARLY_MS;
  return ms <= 0 ? [] : [{ wait: durationOf(ms) }];
}

const waitIn = ([pause]: Array<{ wait: `${number}ms` }>): number => (pause ? Number.parseInt(pause.wait, 10) : 0);
