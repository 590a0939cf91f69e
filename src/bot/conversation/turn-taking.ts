import type { EndOfTurnFrame } from '../pipeline/frames/index.js';
import { AskedWords } from './asked-words.js';
import { BargeIn, type BotActivity } from './barge-in.js';
import { CallerWords } from './caller-words.js';
import { Release } from './release.js';
import type { TurnEnding } from './release-rule.js';
import { type CheckedTurnTaking, checkTurnTaking, type ModelHearing, type TurnTakingOptions } from './turn-options.js';
import type { TurnTakingListener } from './turn-taking-listener.js';
import { BREATH_MS, ONSET_MS, TurnVoice } from './turn-voice.js';

/** Words that arrive so soon after the caller was muted were said before, in milliseconds. */
const LATE_WORDS_MS = 1_000;
/** Words of a sentence that goes on are answered so long before it is due, in milliseconds, and no sooner: they are likely to change. */
const ASKED_BEFORE_MS = 900;

/**
 * Decides from the caller's voice and words when the caller takes the floor and when they have finished. Holds no frames and
 * makes no sound; time is the process's own, and counts from sounds, not from when a detector tells of them.
 */
export class TurnTaking {
  #turns: CheckedTurnTaking['turns'];
  readonly #bargeIn: BargeIn;
  readonly #words = new CallerWords();
  readonly #voice = new TurnVoice();
  #release: Release;
  #model: ModelHearing = 'reads';
  #isMuted = false;
  /** When the caller was last unmuted, in monotonic milliseconds. */
  #unmutedAt = Number.NEGATIVE_INFINITY;
  #isSpeaking = false;
  /** The detector has not noticed the end of the caller's last turn: its word alone does not count. */
  #isStuck = false;
  #hadWords = false;
  /** Words came while the bot said nothing: they are answered, whatever the bot says meanwhile. */
  #wereAddressed = false;
  /** The speech to text says that the turn is over. */
  #isCertain = false;
  /** When the caller's last sound was, and when their last final words came; monotonic, in milliseconds. */
  #stoppedAt: number | undefined;
  #finalAt: number | undefined;
  /** When the last sound of the turn before was; monotonic, in milliseconds. */
  #lastStoppedAt: number | undefined;
  readonly #asked: AskedWords;
  #timer: NodeJS.Timeout | undefined;
  #askTimer: NodeJS.Timeout | undefined;

  /** @throws VoicebotError VB_CONFIG_INVALID naming every option that is out of range */
  constructor(
    private readonly options: TurnTakingOptions,
    private readonly listener: TurnTakingListener,
  ) {
    const { turns, bargeIn } = checkTurnTaking(options);
    this.#turns = turns;
    this.#release = new Release(turns);
    this.#asked = new AskedWords(listener);
    this.#bargeIn = new BargeIn(bargeIn, {
      held: () => listener.held(),
      wentOn: () => listener.wentOn(),
      bargedIn: (isSoon) => this.#onBargedIn(isSoon),
      mutated: (mutation) => listener.mutated(mutation),
    });
  }

  /** The last words of the bot's that the caller has heard are a question. */
  set wasAsked(wasAsked: boolean) {
    this.#release.wasAsked = wasAsked;
  }

  /** The model hears the caller itself: their voice is a turn, whether its words are known or not, and no words are waited for. */
  set model(model: ModelHearing) {
    if (this.#model === model) return;
    this.#model = model;
    const modelHears = model !== 'reads';
    this.#voice.isHeardByModel = modelHears;
    const { turns, bargeIn } = checkTurnTaking(this.options, modelHears);
    this.#turns = turns;
    this.#release = new Release(turns);
    this.#bargeIn.changeRules(model === 'takes_turns' ? undefined : bargeIn, modelHears);
  }

  /** Whether the caller is speaking, or has not finished. */
  get isCallersTurn(): boolean {
    return this.isSpeaking || this.#timer !== undefined || this.#words.text !== '';
  }

  /** Whether the caller is speaking now. */
  get isSpeaking(): boolean {
    return this.#isSpeaking && !this.#isStuck;
  }

  /** The bot does something else now. */
  set bot(activity: BotActivity) {
    if (this.#bargeIn.bot === activity) return;
    this.#bargeIn.bot = activity;
    if (activity !== 'idle' || this.#isSpeaking || this.#words.text === '' || this.#bargeIn.hasBargedIn) return;
    // Said while the bot spoke, and not enough to stop it.
    if (this.#wereAddressed || this.#bargeIn.isAnswer(this.#words.plain, this.#wordsAgeMs, this.#release.wasAsked))
      this.#awaitEnd();
    else this.#passOver();
  }

  /** What the caller says does not count, and what they were saying is forgotten. */
  set isMuted(isMuted: boolean) {
    if (this.#isMuted === isMuted) return;
    this.#isMuted = isMuted;
    this.listener.muted(isMuted);
    if (!isMuted) {
      this.#unmutedAt = performance.now();
      return;
    }
    const wasSpeaking = this.#isSpeaking;
    this.#isSpeaking = false;
    this.forget();
    this.#bargeIn.goOn();
    if (wasSpeaking) this.listener.callerStopped(performance.now());
  }

  /**
   * Takes what a detector says about the next `ms` of the caller's audio.
   * @param hangoverMs how long after the caller's last sound it tells that they are silent, in milliseconds
   */
  hear(isSpeech: boolean, ms: number, hangoverMs: number): void {
    if (this.#isMuted) return;
    this.#voice.hangoverMs = hangoverMs;
    if (isSpeech) this.#hearVoice(ms);
    else if (this.#isSpeaking) this.#hearSilence(hangoverMs);
  }

  /** Words that will not change. */
  addFinal(text: string): void {
    if (this.#isMuted || this.#wasSaidBefore()) return;
    const now = performance.now();
    const isAfterVoice = this.#stoppedAt !== undefined && !this.#isSpeaking;
    this.#release.ears.noteFinal(text, isAfterVoice ? now - (this.#stoppedAt as number) : undefined);
    const before = this.#words.plain;
    if (!this.#words.addFinal(text, this.#voice.sinceWordsMs > 0, this.#voice.count > this.#words.finalCount)) {
      if (this.#words.plain !== before) this.#onWords(); // those that might change are taken back
      return;
    }
    this.#finalAt = now;
    this.#onWords();
  }

  /** Words that may change. */
  addInterim(text: string): void {
    if (this.#isMuted || this.#wasSaidBefore()) return;
    this.#release.ears.noteInterim(text);
    if (this.#words.addInterim(text, this.#voice.sinceWordsMs > 0)) this.#onWords();
  }

  /** What the speech to text itself says of the end of a turn: that it is perhaps over, that it is, or that the caller goes on. */
  addEndOfTurn(is: EndOfTurnFrame['is']): void {
    if (is === 'taken' && this.#timer !== undefined && !this.isSpeaking) this.#endTurn();
    if (this.#isMuted || is === 'taken' || this.#words.text === '') return;
    this.#isCertain = is === 'certain';
    if (is === 'revoked') {
      this.#asked.overtake();
      if (!this.#isSpeaking) this.#awaitRelease();
      return;
    }
    this.#mayHaveFinished();
    if (!this.#isSpeaking) this.#awaitEnd();
  }

  /** Nothing more is decided. */
  stop(): void {
    this.#isMuted = true;
    this.forget();
    this.#bargeIn.goOn();
  }

  /** Whether words that arrive now were said while the caller was muted. */
  #wasSaidBefore(): boolean {
    return this.#voice.totalMs === 0 && performance.now() - this.#unmutedAt < LATE_WORDS_MS;
  }

  #hearVoice(ms: number): void {
    if (!this.#isSpeaking) this.#hearOnset();
    if (this.#isStuck) return;
    this.#voice.hear(ms);
    this.#considerBargeIn();
    if (this.#timer !== undefined) return;
    this.#wait(this.#voice.wordlessLeftMs(this.#words.isFinal && this.#release.ears.hasInterims));
  }

  #hearOnset(): void {
    this.#forgetLongAgo();
    this.#isSpeaking = true;
    this.#isCertain = false;
    this.#clearTimers();
    this.#voice.begin();
    const { text, plain } = this.#words;
    if (text !== '' && this.#stoppedAt !== undefined && this.#release.endingOf(text) !== 'goes_on')
      this.#release.pauses.begin(this.#voice.onsetAt - this.#stoppedAt, plain);
    this.#bargeIn.voiceBegins();
    this.listener.callerStarted();
  }

  #hearSilence(hangoverMs: number): void {
    this.#isSpeaking = false;
    this.#isStuck = false;
    this.#voice.end();
    this.#stoppedAt = Math.max(performance.now() - hangoverMs, this.#voice.onsetAt + ONSET_MS);
    this.#bargeIn.voiceEnds(this.#stoppedAt);
    this.listener.callerStopped(this.#stoppedAt);
    this.#awaitEnd();
  }

  #onWords(): void {
    if (this.#words.text !== '') this.#hadWords = true;
    this.#wereAddressed ||= this.#bargeIn.bot === 'idle' && this.#words.text !== '';
    this.#voice.noteWords(this.#isSpeaking);
    const plain = this.#words.plain;
    this.#asked.follow(plain);
    this.#release.pauses.follow(plain);
    this.#considerBargeIn();
    if (!this.#isSpeaking) this.#awaitEnd();
    else this.#wait(this.#voice.longestMs(this.#words.isFinal));
  }

  /** Words too few to stop the bot do not count when a voice comes long after them. */
  #forgetLongAgo(): void {
    if (this.#words.text === '' || this.#wereAddressed || !this.#bargeIn.isWaiting) return;
    if (!this.#bargeIn.isAnswer(this.#words.plain, this.#wordsAgeMs, true)) this.#passOver();
  }

  get #wordsAgeMs(): number {
    return performance.now() - (this.#stoppedAt ?? this.#finalAt ?? 0);
  }

  #considerBargeIn(): void {
    if (!this.#bargeIn.isWaiting) return; // for each piece of audio: the words need not be put together
    this.#bargeIn.consider({
      words: this.#words.plain,
      onsetAt: this.#voice.onsetAt,
      unbrokenMs: this.#isSpeaking ? this.#voice.unbrokenMs : 0,
      voicedMs: this.#voice.totalMs,
    });
  }

  #onBargedIn(isSoon: boolean): void {
    const hadNotFinished = isSoon && this.#lastStoppedAt !== undefined;
    if (hadNotFinished) this.#release.pauses.note(this.#voice.onsetAt - (this.#lastStoppedAt as number));
    this.listener.bargedIn(hadNotFinished);
  }

  /** How long until so much silence has passed since the caller's last sound, in milliseconds. */
  #dueIn(silenceMs: number): number {
    const now = performance.now();
    return Math.max(0, (this.#stoppedAt ?? now) + silenceMs - now);
  }

  /** Sets the timers for the end of the turn, as the words stand. */
  #awaitEnd(): void {
    const { text } = this.#words;
    if (text === '') {
      this.#wait(this.#dueIn(this.#voice.isTurn ? this.#release.holdMs('unmarked', true) : this.#release.wordlessMs));
      return;
    }
    const { ending, dueIn } = this.#awaitRelease();
    if (ending !== 'goes_on' || dueIn <= ASKED_BEFORE_MS) this.#mayHaveFinished();
    else this.#askTimer = setTimeout(() => this.#mayHaveFinished(), dueIn - ASKED_BEFORE_MS);
  }

  /** Sets the timer for the end of a turn that has words. */
  #awaitRelease(): { ending: TurnEnding; dueIn: number } {
    const ending = this.#isCertain ? 'answer' : this.#release.endingOf(this.#words.text);
    const dueIn = this.#dueIn(this.#release.holdMs(ending, this.#areWordsSettled()));
    this.#wait(dueIn);
    return { ending, dueIn };
  }

  /** Whether all that was said has its final words. */
  #areWordsSettled(): boolean {
    if (this.#voice.isHeardByModel) return true;
    if (!this.#words.isFinal) return false;
    const isAfterSound = this.#finalAt !== undefined && this.#finalAt >= (this.#stoppedAt ?? 0) - BREATH_MS;
    return isAfterSound || this.#voice.sinceWordsMs < BREATH_MS;
  }

  #mayHaveFinished(): void {
    if (!this.#turns.askEarly || this.#bargeIn.bot !== 'idle') return;
    this.#asked.ask(this.#words, { stoppedAt: this.#stoppedAt, finalAt: this.#finalAt });
  }

  #wait(ms: number): void {
    this.#clearTimers();
    this.#timer = setTimeout(() => this.#endTurn(), ms);
  }

  #endTurn(): void {
    this.#clearTimers();
    const { text, plain } = this.#words;
    if (this.#bargeIn.isWaiting && text !== '') {
      if (this.#wereAddressed || !this.#bargeIn.isBackchannel(plain)) return; // counts when the bot has finished
      this.#passOver();
      this.listener.nothingSaid(false, false);
      return;
    }
    const times = { stoppedAt: this.#stoppedAt, finalAt: this.#finalAt };
    const [hasBargedIn, hadWords] = [this.#bargeIn.hasBargedIn, this.#hadWords];
    const isTurn = plain !== '' || (this.#voice.isTurn && !this.#bargeIn.isWaiting);
    if (isTurn) {
      this.#lastStoppedAt = this.#stoppedAt ?? performance.now();
      this.#release.pauses.endTurn();
    } else {
      this.#asked.overtake();
      this.listener.passedOver();
    }
    this.#words.endTurn();
    this.#asked.take();
    this.#reset();
    this.#isStuck = this.#isSpeaking;
    if (isTurn) this.listener.turnEnded(text, times);
    else this.listener.nothingSaid(hasBargedIn, hadWords);
  }

  #clearTimers(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#askTimer);
    this.#timer = undefined;
  }

  /** What the caller has said is not answered; nor are its final words, which may be on their way. */
  #passOver(): void {
    this.#asked.overtake();
    this.listener.passedOver();
    this.#words.endTurn();
    this.#reset();
  }

  /** What the caller was saying does not count any more. */
  forget(): void {
    this.#asked.overtake();
    this.#words.forget();
    this.#reset();
  }

  #reset(): void {
    this.#clearTimers();
    this.#voice.endTurn();
    this.#hadWords = false;
    this.#wereAddressed = false;
    this.#isCertain = false;
    this.#bargeIn.endTurn();
    this.#release.pauses.forget();
    this.#stoppedAt = undefined;
    this.#finalAt = undefined;
  }
}
