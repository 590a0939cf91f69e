import { type OptionNames, refuseProblems } from '../../base/names/option-names.js';
import { rangeProblems } from '../../base/names/option-ranges.js';
import type { Language } from '../pipeline/language.js';
import { backchannelsOf } from './backchannels.js';
import { plainWords } from './plain-words.js';

/** What it takes for the caller to interrupt the bot. */
export interface BargeInOptions {
  /** How long the caller must speak before the bot falls silent, in milliseconds, 0 to 5000. A cough is shorter. Default 380. */
  minSpeechMs?: number;
  /** How many words that are no backchannel must have been understood before the bot gives up the rest of what it says, 0 to 10. Default 1; 0 is the same. */
  minWords?: number;
  /** Words such as "uh-huh" that alone do not stop the bot. Default: those of the conversation's language; an empty list for none. */
  backchannels?: readonly string[];
}

/** When the caller's turn counts as over. All times count from the caller's last sound. */
export interface TurnOptions {
  /** Least silence before a finished sentence is answered, in milliseconds, 100 to 5000. Default 800. */
  silenceMs?: number;
  /** The same for a sentence that goes on ("and …", half a number). Default: twice `silenceMs`. */
  unfinishedSilenceMs?: number;
  /** How much longer the last words may take to arrive, in milliseconds, 0 to 10000. Default 1500. */
  transcriptWaitMs?: number;
  /** Moves the balance: 0.5 answers sooner, 2 cuts off fewer callers. Multiplies all silences. Default 1. */
  patience?: number;
  /** False: the model is asked only when the caller has finished. Costs time and saves tokens. Default true. */
  askEarly?: boolean;
}

export const BARGE_IN_OPTIONS: OptionNames<BargeInOptions> = { minSpeechMs: true, minWords: true, backchannels: true };
export const TURN_OPTIONS: OptionNames<TurnOptions> = {
  silenceMs: true,
  unfinishedSilenceMs: true,
  transcriptWaitMs: true,
  patience: true,
  askEarly: true,
};

export interface TurnTakingOptions {
  turns?: TurnOptions | undefined;
  /** False: the caller cannot interrupt the bot; what they say meanwhile counts when the bot has finished. */
  bargeIn?: BargeInOptions | false | undefined;
  /** Whose backchannels are known now. Default: English. */
  language?: (() => Language) | undefined;
}

/** What it takes to interrupt, checked. */
export interface BargeInRules {
  readonly minSpeechMs: number;
  readonly minWords: number;
  /** As {@link plainWords} writes them. */
  readonly backchannels: ReadonlySet<string>;
}

/** What a model does of listening: it reads what was understood, or it hears the caller itself, or it decides the turns as well, and when it falls silent. */
export type ModelHearing = 'reads' | 'hears' | 'takes_turns';

export interface CheckedTurnTaking {
  readonly turns: Required<TurnOptions>;
  /** Undefined where the caller cannot interrupt. */
  readonly bargeIn: BargeInRules | undefined;
}

/** An answer that is asked for late takes its own time on top: less silence is waited for then, as a part of it. */
const UNASKED = 0.75;

/** Who hears the caller without words holds the bot so soon: it goes on when nothing comes of it, in milliseconds. */
const HOLDS_AFTER_MS = 100;

/**
 * @param modelHears the model hears the caller itself: nothing is asked early
 * @throws VoicebotError VB_CONFIG_INVALID naming every option that is out of range
 */
export function checkTurnTaking(
  { turns = {}, bargeIn = {}, language }: TurnTakingOptions,
  modelHears = false,
): CheckedTurnTaking {
  const { silenceMs = 800, transcriptWaitMs = 1_500, patience = 1, askEarly = !modelHears } = turns;
  const { unfinishedSilenceMs = 2 * silenceMs } = turns;
  const { minSpeechMs = modelHears ? HOLDS_AFTER_MS : 380, minWords = 1, backchannels } = bargeIn || {};
  const problems = rangeProblems({
    'turns.silenceMs': [silenceMs, 100, 5_000],
    'turns.unfinishedSilenceMs': [unfinishedSilenceMs, 100, 10_000],
    'turns.transcriptWaitMs': [transcriptWaitMs, 0, 10_000],
    'turns.patience': [patience, 0.5, 2],
    'bargeIn.minSpeechMs': [minSpeechMs, 0, 5_000],
    'bargeIn.minWords': [minWords, 0, 10],
  });
  if (typeof askEarly !== 'boolean') problems.push('turns.askEarly must be true or false');
  refuseProblems(problems);
  const unasked = (given: number | undefined) => (askEarly || given !== undefined ? patience : UNASKED * patience);
  const own = backchannels && new Set(backchannels.map(plainWords));
  return {
    turns: {
      silenceMs: silenceMs * unasked(turns.silenceMs),
      unfinishedSilenceMs: unfinishedSilenceMs * unasked(turns.unfinishedSilenceMs ?? turns.silenceMs),
      transcriptWaitMs,
      patience,
      askEarly,
    },
    bargeIn: bargeIn
      ? {
          minSpeechMs,
          minWords: Math.max(1, minWords),
          get backchannels() {
            return own ?? backchannelsOf(language?.());
          },
        }
      : undefined,
  };
}
