import type { EndReason } from '../../call/call.js';
import type { TransferOutcome } from '../../call/transfer-outcome.js';
import type { CarrierName } from '../../providers/registry/carrier-names.js';
import type { CallCheck } from './call-check.js';
import type { CallerPlayer } from './caller-player.js';
import type { Decibels, Duration, Percentage } from './fields.js';
import type { Judge } from './judge.js';
import type { ModelReply, ModelScript } from './model-script.js';
import type { Words } from './words.js';

/** A call as `voicebot test` makes it: who calls whom, what the caller does, what goes wrong, and what must hold. */
export interface ScenarioOptions {
  /** What it shows, in a sentence. No other scenario of the run has the same name. */
  name: string;
  /**
   * A table: the scenario is made once for each row, with the row's values in place of `${column}` in its texts. All rows have the same
   * columns; each column is used. `$${` writes `${` itself.
   */
  each?: ReadonlyArray<Readonly<Record<string, string | number | boolean>>>;
  /** For `--tag`: letters, digits, `-`, `_` and `.`. */
  tags?: readonly string[];
  /** It is not run; the text says why. */
  skip?: string | true;
  /** Of all scenarios only those run that say so. Refused where `CI` is set. */
  only?: true;
  /** Bot file, relative to the file of the scenario. Default: the one that `voicebot run` would serve. */
  bot?: string;
  /** How the call reaches the bot. Default: the project's, else `carrier`. */
  transport?: 'carrier' | 'rooms';
  /** Whose wire it goes over; `all`: once for each. Default: the project's, else `plivo`. */
  carrier?: CarrierName | 'all';
  /** The caller's number, E.164. Default `+12025550199`. */
  from?: string;
  /** The bot calls, instead of being called. */
  dialout?: DialoutOptions;
  /** More of the bot's environment, such as `OPERATOR_NUMBER`. */
  environment?: Readonly<Record<string, string>>;
  /**
   * `scripted`: a voice of this machine, {@link model} and the caller's words as text stand for the services that need keys. `real`:
   * the bot's own services. Default `scripted`.
   */
  services?: 'scripted' | 'real';
  /** What the language model answers, where services are scripted. Default: the stand-in that calls the function whose name fits. */
  model?: readonly ModelRule[] | ModelScript;
  /**
   * What functions of the bot give in this scenario, by name, in place of running: the bot checks their inputs as ever. The scenario fails
   * where one of them is not called. Default: all functions run.
   */
  tools?: Readonly<Record<string, PlayedFunctionOptions>>;
  /**
   * What the caller does, one thing after the other; then, and by default, listens until the bot has finished, and hangs up. A bot that is to
   * end the call by {@link ExpectOptions.end} is given 5 s for it.
   */
  caller?: readonly StepOptions[] | CallerPlayer;
  /** What the line does to the audio. */
  network?: NetworkOptions;
  /** What breaks during the call. */
  faults?: readonly FaultOptions[];
  /** What must hold. Default: that the call ends as calls do, and no bot fails. */
  expect?: ExpectOptions;
  /** The caller hangs up this long after the answer, and the scenario fails. Default `60s`. */
  limit?: Duration;
  /** How often it is run, 1 to 1000. Default 1. */
  runs?: number;
  /** The share of the runs that must pass. Default `100%`. */
  passRate?: Percentage;
  /** Whether it is run in real time with `--speed` too. Default false: where nothing in it needs real time, it is not. */
  realTime?: boolean;
  /** Calls after the first, one after the other, each when the one before is over and has not failed. */
  then?: FollowingCallOptions | readonly FollowingCallOptions[];
  /**
   * A command of a shell before the call, in the folder of the scenario's file and with its {@link environment}: it must end with 0 within 60 s.
   * One for each run.
   */
  before?: string;
  /** The same when the calls are over, whatever they have shown. */
  after?: string;
}

/** A call after the first one: what it does not say of `from`, `model` and `tools` is as there. */
export interface FollowingCallOptions
  extends Pick<
    ScenarioOptions,
    'from' | 'dialout' | 'model' | 'tools' | 'caller' | 'network' | 'faults' | 'expect' | 'limit'
  > {
  /** So long after the end of the call before. Default `0s`. */
  wait?: Duration;
}

/** A call that the bot makes. */
export interface DialoutOptions {
  /** The number that it calls, E.164. The sandbox's numbers act as its page says where the scenario has no caller. Default: one of its own. */
  to?: string;
  /** Custom data of the call: `call.body` in the bot. */
  body?: Readonly<Record<string, unknown>>;
  /** What the person who is called does. Default `answered`. */
  outcome?: 'answered' | 'busy' | 'declined' | 'no_answer' | 'failed';
  /** How long it rings. Default `1s`. */
  rings?: Duration;
  /** Whether a machine answers, as the carrier's detection finds out. Default false. */
  machine?: boolean;
}

/** What a function gives without running. `takes`: how long that takes; by itself, how long it is until the bot's own function runs. */
export type PlayedFunctionOptions =
  /** Anything that can be written as JSON. */
  | { returns: unknown; takes?: Duration }
  /** It throws an error with this message. */
  | { fails: string; takes?: Duration }
  | { takes: Duration };

/**
 * What the model answers when `when` is among the last words of the caller, or `after` has been called. The first rule that fits counts. With
 * `after`, `{{result}}` in `say` is what the function has given, and `{{result.items.0.name}}` a field in it.
 */
export interface ModelRule extends ModelReply {
  /** In what the caller has said since the bot's last answer. Without it and without `after` the rule always fits. */
  when?: Words;
  /** The function whose result has just come. */
  after?: string;
  /** It is not used again in the same call. Default false. */
  once?: boolean;
}

/** When a step of the caller begins. Default: as soon as the one before is done; what is said waits until the bot has finished. */
export interface StepTiming {
  /** In the middle of these words of the bot. */
  during?: Words;
  /** So long after the step before, or after the words of `during`. The caller does not wait for the bot then. */
  after?: Duration;
  /** Without waiting until the bot has finished. */
  talkOver?: boolean;
  /** With `during`: or when the bot has finished without saying those words. Default: waits for the words to the end of the call. */
  orFinished?: boolean;
}

/** One thing that the caller does. */
export type StepOptions =
  /** Says a text, in a voice that needs no key. */
  | (StepTiming & { say: string })
  /** Plays a WAV file, relative to the file of the scenario; `words` is what scripted ears hear. */
  | (StepTiming & { play: string; words?: string })
  /** Presses keys, such as `1 w2 #`: `w2` waits two seconds. */
  | (StepTiming & { press: string })
  /** Hangs up. */
  | (StepTiming & { hangUp: true })
  /** Says and does nothing. */
  | { wait: Duration }
  /** Waits until the bot has said these words, to their end. Default within `15s`; the scenario fails when they do not come. */
  | { hear: Words; within?: Duration }
  /** Waits until the bot has said one of these, and does what belongs to it. Default within `15s`; the scenario fails when none comes. */
  | { either: ReadonlyArray<{ hear: Words; then?: readonly StepOptions[] }>; within?: Duration }
  /** Does these steps again and again: so many times, or to the end of the call. */
  | { repeat: readonly StepOptions[]; times?: number };

/** What the line does to the audio of both sides, unless it says otherwise. The same in each run. */
export interface NetworkOptions {
  /** Share of the audio that is lost, in pieces of 20 ms. */
  loss?: Percentage;
  /** The caller's audio comes up to so much too late, in bursts; at most 200ms. */
  jitter?: Duration;
  /** Noise on the caller's line, so far below a voice. */
  noise?: Decibels;
  /** The caller's audio stops, and what was said meanwhile is lost where that lasts longer than 200 ms; `for` is at most 4s. */
  stalls?: ReadonlyArray<{ after: Duration; for: Duration }>;
}

/** When something breaks: so long after the answer, or in the middle of these words of the bot. One of both. */
export interface FaultTiming {
  after?: Duration;
  during?: Words;
}

/** Something that breaks. */
export type FaultOptions =
  /** The process of the bot is killed. */
  | (FaultTiming & { killBot: true })
  /** The way between the provider and the runner breaks for so long. */
  | (FaultTiming & { breakTunnel: Duration })
  /** The provider's REST API cannot be reached for so long. */
  | (FaultTiming & { breakApi: Duration });

/** What must hold. */
export interface ExpectOptions {
  /** The bot says these, in this order, and the caller hears each of them to its end. */
  heard?: Words | readonly Words[];
  /** The caller does not hear any of these. */
  notHeard?: Words | readonly Words[];
  /** The bot understands these words of the caller, in this order. */
  understood?: Words | readonly Words[];
  /** The sound of these WAV files is heard, wherever: by correlation. */
  sound?: string | readonly string[];
  /**
   * The functions that the model calls, in this order, and no others between them; an input and a result need have no more than what is
   * named. One that fails, or refuses its input, fails the scenario unless `fails` says so: `true`, or words of its error.
   */
  tools?: ReadonlyArray<
    | string
    | { name: string; input?: Readonly<Record<string, unknown>>; result?: unknown }
    | { name: string; input?: Readonly<Record<string, unknown>>; fails: true | Words }
  >;
  /** The keys that the bot presses. */
  keys?: string;
  /** The keys of the caller that reach the bot. */
  keysReceived?: string;
  /** The first transfer; `none`: there is none. */
  transfer?: 'none' | { to?: string; outcome?: TransferOutcome['status'] };
  /** The bot says first that it is a machine, and that is heard to its end; false: it does not say so. */
  disclosed?: boolean;
  /** Why the call ends. */
  end?: EndReason | readonly EndReason[];
  /** From the answer to the first sound of the bot. */
  firstWordWithin?: Duration;
  /** From the caller's last sound to the first sound of the answer that they hear: each, or their median and the worst over all runs. */
  answerWithin?: Duration | { median?: Duration; worst?: Duration };
  /** A bot that is talked over is silent this soon after the caller has begun. */
  stopsWithin?: Duration;
  /** Longest that the caller hears nothing and says nothing. */
  silentAtMost?: Duration;
  /** From the answer to the end. */
  endsWithin?: Duration;
  /** How often the bot answers before the caller has finished, at most. */
  cutOffs?: number;
  /** How often the bot is heard before the caller has finished, at most; or for how long, all times together. */
  talkOver?: number | Duration;
  /** How often the bot is stopped by a sound of the caller that says nothing, such as a cough or "uh-huh", at most. */
  falseStops?: number;
  /** How often the bot holds its speech for such a sound and goes on: exactly so often. */
  resumes?: number;
  /** Longest that neither side is heard after the caller has spoken, or while the bot holds its speech, until the bot is heard. */
  hole?: Duration;
  /** No sentence of the bot is said twice. */
  nothingTwice?: boolean;
  /** What the model's context holds of the bot's words, the caller has heard. With scripted services. */
  contextAsHeard?: boolean;
  /**
   * Stands nowhere: in no line of the log, nothing that the bot writes, no transcript, event, record or request to a scripted model, and not in the
   * text of the call's folder. Digits are found with spaces between them as well, and as keys. At least 3 characters.
   */
  nowhere?: string | readonly string[];
  /**
   * Looks at what the call has left behind when it is over: functions, or files that export them, relative to the file of the scenario:
   * `./booked.ts` its default export, `./checks.ts#isBooked` one of several.
   */
  check?: string | CallCheck | ReadonlyArray<string | CallCheck>;
  /** Judges the talk, such as `judgedBy(model, rubric)`. */
  judge?: Judge;
}
