import { VoicebotError } from '../../base/errors.js';
import type { OptionNames } from '../../base/names/option-names.js';
import { rangeProblems } from '../../base/names/option-ranges.js';
import { type Mutation, mutationOf } from '../../call/mutation.js';

/** When the caller is not listened to: while the bot greets, or while functions run. */
export type MuteReason = 'greeting' | 'functions';

/** What it takes for the caller to interrupt the bot. */
export interface BargeInOptions {
  /** How long the caller must speak before the bot stops, in milliseconds, 0 to 5000. A cough is shorter. Default 400. */
  minSpeechMs?: number;
  /** Words that must have been understood before the bot stops, 0 to 10. Default 0: the voice is enough. */
  minWords?: number;
  /** Words such as "uh-huh" that alone do not stop the bot. With any, it stops only when words have been understood. Default none. */
  backchannels?: readonly string[];
}

/** When the caller's turn counts as over. */
export interface TurnOptions {
  /** Silence after which a finished sentence counts as the caller's whole turn, in milliseconds, 100 to 5000. Default 500. */
  silenceMs?: number;
  /** The same for a sentence that does not seem finished. Default 1200. */
  unfinishedSilenceMs?: number;
  /** How long after that silence the last words may arrive, in milliseconds, 0 to 10000. Default 1500. */
  transcriptWaitMs?: number;
}

export const BARGE_IN_OPTIONS: OptionNames<BargeInOptions> = { minSpeechMs: true, minWords: true, backchannels: true };
export const TURN_OPTIONS: OptionNames<TurnOptions> = {
  silenceMs: true,
  unfinishedSilenceMs: true,
  transcriptWaitMs: true,
};

export interface TurnTakingOptions {
  turns?: TurnOptions | undefined;
  /** False: the caller cannot interrupt the bot; what they say meanwhile counts when the bot has finished. */
  bargeIn?: BargeInOptions | false | undefined;
}

/** Monotonic, in milliseconds; undefined when unknown. */
export interface CallerTimes {
  /** The caller fell silent. */
  readonly stoppedAt: number | undefined;
  /** Their last final words arrived. */
  readonly finalAt: number | undefined;
}

export interface TurnTakingListener {
  callerStarted(): void;
  callerStopped(): void;
  /** The bot is to stop: the caller has taken the floor. */
  bargedIn(): void;
  /** The bot does not stop, because a test breaks it so. Told once. */
  wentOn?(mutation: Mutation): void;
  /** The caller has finished. */
  turnEnded(text: string, times: CallerTimes): void;
  /**
   * The caller has finished, and nothing was understood.
   * @param hasBargedIn and yet the bot was stopped
   * @param hasLostWords there were words, which the speech to text has taken back
   */
  nothingSaid(hasBargedIn: boolean, hasLostWords: boolean): void;
}

/** What the bot is doing: nothing, about to speak, speaking. */
export type BotActivity = 'idle' | 'thinking' | 'speaking';

/** Words too few to interrupt count as an answer when the bot falls silent within this time, in milliseconds. */
const AFTERTHOUGHT_MS = 2_000;
/** A voice that says nothing that is understood does not keep the turn for longer than this, in milliseconds. */
const WORDLESS_MS = 6_000;
/** Words that arrive so soon after the caller was muted were said before, in milliseconds. */
const LATE_WORDS_MS = 1_000;
/** A detector that hears speech in noise cannot keep the turn open for longer than this after the last words, in milliseconds. */
const STUCK_MS = 2_500;
const SENTENCE_END = /[.!?…。！？]["')\]]*$/;
/** Ends of a sentence that is still going on, whatever its full stop says. */
const GOES_ON = /(?:\.\.\.|…|,|\b(?:and|but|or|so|because|um+|uh+|er+|und|aber|oder|y|pero|et|mais))[.,]*$/i;

interface BargeInRules {
  readonly minSpeechMs: number;
  readonly minWords: number;
  readonly backchannels: ReadonlySet<string>;
}

/**
 * Decides from the caller's voice and words when the caller takes the floor and when they have finished. Holds no frames and
 * makes no sound; time is the process's own.
 */
export class TurnTaking {
  readonly #turns: Required<TurnOptions>;
  readonly #bargeIn: BargeInRules | undefined;
  #bot: BotActivity = 'idle';
  #isMuted = false;
  /** When the caller was last unmuted, in monotonic milliseconds. */
  #unmutedAt = Number.NEGATIVE_INFINITY;
  #isSpeaking = false;
  /** The detector has not noticed the end of the caller's last turn: its word alone does not count. */
  #isStuck = false;
  #hasBargedIn = false;
  #hasGoneOn = false;
  /** Speech without a pause, and all speech of this turn, in milliseconds. */
  #unbrokenMs = 0;
  #voicedMs = 0;
  #finals: string[] = [];
  #interim = '';
  #hasLostWords = false;
  /** The last turn was ended by words that were not final; the final ones say the same. */
  #isAheadOfFinal = false;
  #stoppedAt: number | undefined;
  #finalAt: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** @throws VoicebotError VB_CONFIG_INVALID naming every option that is out of range */
  constructor(
    { turns = {}, bargeIn = {} }: TurnTakingOptions,
    private readonly listener: TurnTakingListener,
  ) {
    const { silenceMs = 500, unfinishedSilenceMs = 1_200, transcriptWaitMs = 1_500 } = turns;
    const { minSpeechMs = 400, minWords = 0, backchannels = [] } = bargeIn || {};
    const problems = rangeProblems({
      'turns.silenceMs': [silenceMs, 100, 5_000],
      'turns.unfinishedSilenceMs': [unfinishedSilenceMs, 100, 10_000],
      'turns.transcriptWaitMs': [transcriptWaitMs, 0, 10_000],
      'bargeIn.minSpeechMs': [minSpeechMs, 0, 5_000],
      'bargeIn.minWords': [minWords, 0, 10],
    });
    if (problems.length > 0) throw new VoicebotError('VB_CONFIG_INVALID', problems.join('; '));
    this.#turns = { silenceMs, unfinishedSilenceMs, transcriptWaitMs };
    if (bargeIn === false) return;
    const words = new Set(backchannels.map(plainWords));
    this.#bargeIn = { minSpeechMs, minWords: words.size > 0 ? Math.max(1, minWords) : minWords, backchannels: words };
  }

  /** Whether the caller is speaking, or has not finished. */
  get isCallersTurn(): boolean {
    return this.isSpeaking || this.#timer !== undefined || this.#text !== '';
  }

  /** Whether the caller is speaking now. */
  get isSpeaking(): boolean {
    return this.#isSpeaking && !this.#isStuck;
  }

  /** The bot does something else now. */
  set bot(activity: BotActivity) {
    if (this.#bot === activity) return;
    this.#bot = activity;
    if (activity !== 'idle' || this.#text === '' || this.#hasBargedIn) return;
    // Said while the bot spoke, and not enough to stop it.
    const isLate = performance.now() - (this.#stoppedAt ?? this.#finalAt ?? 0) > AFTERTHOUGHT_MS;
    if (this.#bargeIn && (isLate || this.#isBackchannel())) this.forget();
    else if (!this.#isSpeaking) this.#awaitEnd();
  }

  /** What the caller says does not count, and what they were saying is forgotten. */
  set isMuted(isMuted: boolean) {
    if (this.#isMuted === isMuted) return;
    this.#isMuted = isMuted;
    if (!isMuted) {
      this.#unmutedAt = performance.now();
      return;
    }
    const wasSpeaking = this.#isSpeaking;
    this.#isSpeaking = false;
    this.forget();
    if (wasSpeaking) this.listener.callerStopped();
  }

  /** Takes what a detector says about the next `ms` of the caller's audio. */
  hear(isSpeech: boolean, ms: number): void {
    if (this.#isMuted) return;
    if (isSpeech) this.#hearVoice(ms);
    else if (this.#isSpeaking) this.#hearSilence();
  }

  /** Words that will not change. */
  addFinal(text: string): void {
    const wasSaidBefore = this.#wasSaidBefore();
    this.#isAheadOfFinal = false;
    if (this.#isMuted || wasSaidBefore) return;
    this.#finals.push(text.trim());
    this.#interim = '';
    this.#finalAt = performance.now();
    this.#onWords();
  }

  /** Words that may change. */
  addInterim(text: string): void {
    if (this.#isMuted || this.#wasSaidBefore()) return;
    this.#hasLostWords ||= plainWords(this.#interim) !== '' && text.trim() === '';
    this.#interim = text.trim();
    this.#onWords();
  }

  /** Nothing more is decided. */
  stop(): void {
    this.#isMuted = true;
    this.forget();
  }

  /** Whether words that arrive now belong to what has been dealt with. */
  #wasSaidBefore(): boolean {
    if (this.#voicedMs > 0) return false;
    return this.#isAheadOfFinal || performance.now() - this.#unmutedAt < LATE_WORDS_MS;
  }

  get #text(): string {
    return [...this.#finals, this.#interim].filter(Boolean).join(' ');
  }

  #hearVoice(ms: number): void {
    if (!this.#isSpeaking) {
      this.#isSpeaking = true;
      this.#unbrokenMs = 0;
      this.#clearTimer();
      this.listener.callerStarted();
    }
    if (this.#isStuck) return;
    this.#unbrokenMs += ms;
    this.#voicedMs += ms;
    this.#considerBargeIn();
    if (this.#text === '' && this.#timer === undefined) this.#wait(WORDLESS_MS);
  }

  #hearSilence(): void {
    this.#isSpeaking = false;
    this.#isStuck = false;
    this.#stoppedAt = performance.now();
    this.listener.callerStopped();
    this.#awaitEnd();
  }

  #onWords(): void {
    this.#considerBargeIn();
    if (!this.#isSpeaking) this.#awaitEnd();
    else if (this.#interim === '') this.#wait(STUCK_MS);
    else this.#clearTimer();
  }

  #considerBargeIn(): void {
    if (this.#bot === 'idle' || this.#hasBargedIn || !this.#bargeIn || !this.#mayBargeIn(this.#bargeIn)) return;
    const mutation = mutationOf('interruptions_off');
    if (mutation) this.#goOn(mutation);
    else {
      this.#hasBargedIn = true;
      this.listener.bargedIn();
    }
  }

  #goOn(mutation: Mutation): void {
    if (!this.#hasGoneOn) this.listener.wentOn?.(mutation);
    this.#hasGoneOn = true;
  }

  #mayBargeIn({ minSpeechMs, minWords }: BargeInRules): boolean {
    const words = plainWords(this.#text);
    if (this.#bot === 'thinking') return words !== ''; // a noise is no reason to think again
    const isLongEnough = this.#unbrokenMs >= minSpeechMs || (words !== '' && this.#voicedMs >= minSpeechMs);
    if (this.#voicedMs === 0 || !isLongEnough) return false;
    return minWords === 0 || (words.split(' ').filter(Boolean).length >= minWords && !this.#isBackchannel());
  }

  #isBackchannel(): boolean {
    return this.#bargeIn?.backchannels.has(plainWords(this.#text)) ?? false;
  }

  /** Sets the timer for the end of the turn, as the words stand. */
  #awaitEnd(): void {
    const { silenceMs, unfinishedSilenceMs, transcriptWaitMs } = this.#turns;
    const text = this.#text;
    const isComplete = text !== '' && this.#interim === '';
    const isFinished = SENTENCE_END.test(text) && !GOES_ON.test(text);
    const waitMs = isComplete ? (isFinished ? silenceMs : unfinishedSilenceMs) : silenceMs + transcriptWaitMs;
    const since = this.#stoppedAt ?? performance.now();
    this.#wait(Math.max(0, since + waitMs - performance.now()));
  }

  #wait(ms: number): void {
    this.#clearTimer();
    this.#timer = setTimeout(() => this.#endTurn(), ms);
  }

  #endTurn(): void {
    this.#timer = undefined;
    const text = this.#text;
    if (this.#bot !== 'idle' && !this.#hasBargedIn && text !== '') return; // counts when the bot has finished
    const times = { stoppedAt: this.#stoppedAt, finalAt: this.#finalAt };
    const hasBargedIn = this.#hasBargedIn;
    const hasLostWords = this.#hasLostWords;
    const isAheadOfFinal = this.#interim !== '';
    this.forget();
    this.#isAheadOfFinal = isAheadOfFinal;
    this.#isStuck = this.#isSpeaking;
    if (text !== '') this.listener.turnEnded(text, times);
    else this.listener.nothingSaid(hasBargedIn, hasLostWords);
  }

  #clearTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** What the caller was saying does not count any more. */
  forget(): void {
    this.#clearTimer();
    this.#finals = [];
    this.#interim = '';
    this.#hasLostWords = false;
    this.#unbrokenMs = 0;
    this.#voicedMs = 0;
    this.#hasBargedIn = false;
    this.#stoppedAt = undefined;
    this.#finalAt = undefined;
  }
}

/** Without marks and capitals. */
function plainWords(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}'\s-]/gu, '')
    .replace(/\s+/g, ' ')
    .trim();
}
