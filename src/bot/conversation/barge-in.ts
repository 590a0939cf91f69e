import { isMadeOf } from '../../call/backchannels.js';
import { type Mutation, mutationOf } from '../../call/mutation.js';
import { SoftStop, type SoftStopListener } from './soft-stop.js';
import type { BargeInRules } from './turn-options.js';

/** What the bot is doing: nothing, about to speak, speaking. */
export type BotActivity = 'idle' | 'thinking' | 'speaking';

/** A voice that is heard while the bot has the floor, and what is understood of it. */
export interface CallersVoice {
  /** As plain words. */
  readonly words: string;
  /** When it began; monotonic, in milliseconds. */
  readonly onsetAt: number;
  /** Without a pause, and in all; in milliseconds. */
  readonly unbrokenMs: number;
  readonly voicedMs: number;
}

export interface BargeInListener extends SoftStopListener {
  /** The caller has taken the floor. @param isSoon the bot had not begun to be heard, or only just */
  bargedIn(isSoon: boolean): void;
  /** The bot does not stop, because a test breaks it so. Told once. */
  mutated(mutation: Mutation): void;
}

/** Words too few to interrupt count as an answer when the bot falls silent within this time, in milliseconds. */
const AFTERTHOUGHT_MS = 2_000;
/** The same for a backchannel such as "okay", where the bot's last sentence is a question. */
const AFTERTHOUGHT_BACKCHANNEL_MS = 700;
/** Who speaks so soon after the bot has begun to be heard had not finished, in milliseconds. */
const SOON_MS = 700;
/** A voice of which no words are known interrupts after so long without a pause, in milliseconds: a cough and "uh-huh" are shorter. */
const VOICE_MS = 900;
/** The same where the bot had not begun to be heard, or only just: who speaks had not finished. */
const SOON_VOICE_MS = 400;
/** Sounds rather than words, in any language; each letter once: "hmm" is "hm". */
const HUMS = new Set(
  'm mh hm mhm um uhm uh uhuh uh-uh uh-huh uhhuh m-hm huh hum a ah aha ha haha o oh eh er erm ä äh ähm euh'.split(' '),
);

/** Decides when a caller stops the bot: a voice holds its speech, words that are no backchannel end it. */
export class BargeIn {
  readonly #softStop: SoftStop;
  #bot: BotActivity = 'idle';
  /** When the bot began to be heard, since it was idle; monotonic, in milliseconds. */
  #heardSince: number | undefined;
  #hasBargedIn = false;
  /** What was understood of the voice so far. */
  #understood = '';
  #isMutationTold = false;

  /** A voice alone is enough: its words are not known while it is heard. */
  #isByVoice = false;

  /** @param rules undefined: the caller cannot interrupt */
  constructor(
    private rules: BargeInRules | undefined,
    private readonly listener: BargeInListener,
  ) {
    this.#softStop = new SoftStop(listener);
  }

  /** @param isByVoice a voice alone is enough */
  changeRules(rules: BargeInRules | undefined, isByVoice: boolean): void {
    this.rules = rules;
    this.#isByVoice = isByVoice;
  }

  get bot(): BotActivity {
    return this.#bot;
  }

  set bot(activity: BotActivity) {
    this.#bot = activity;
    if (activity === 'speaking') this.#heardSince ??= performance.now();
    if (activity !== 'idle') return;
    this.#heardSince = undefined;
    this.#softStop.renew();
    this.goOn(); // else what it says next would be held
  }

  /** Whether the bot was stopped in this turn of the caller's. */
  get hasBargedIn(): boolean {
    return this.#hasBargedIn;
  }

  /** Whether what the caller says now is answered when the bot has finished, and not sooner. */
  get isWaiting(): boolean {
    return this.#bot !== 'idle' && !this.#hasBargedIn;
  }

  /** Whether the words are a backchannel, or several. */
  isBackchannel(words: string): boolean {
    return this.rules !== undefined && isMadeOf(words, this.rules.backchannels);
  }

  /** Whether words of so long ago, which did not stop the bot, are an answer now that it has finished. */
  isAnswer(words: string, ageMs: number, wasAsked: boolean): boolean {
    if (!this.rules) return true;
    return this.isBackchannel(words) ? wasAsked && ageMs <= AFTERTHOUGHT_BACKCHANNEL_MS : ageMs <= AFTERTHOUGHT_MS;
  }

  voiceBegins(): void {
    this.#softStop.hearVoice();
  }

  /** @param stoppedAt when the caller's last sound was, monotonic, in milliseconds */
  voiceEnds(stoppedAt: number): void {
    this.#softStop.hearSilence(stoppedAt);
  }

  /** The voice goes on, or something was understood of it, while what the caller says {@link isWaiting}. */
  consider(voice: CallersVoice): void {
    if (!this.rules) return;
    if (voice.words !== this.#understood) this.#softStop.renew();
    this.#understood = voice.words;
    const barges = this.#barges(voice, this.rules);
    if (!barges && !this.#holds(voice, this.rules)) return;
    const mutation = mutationOf('interruptions_off');
    if (mutation) this.#tellMutation(mutation);
    else if (barges) this.#bargeIn(this.#isSoon(voice));
    else this.#softStop.hold();
  }

  /** What holds the bot, if anything does, does not count. */
  goOn(): void {
    this.#softStop.goOn();
  }

  /** The caller's turn is over. */
  endTurn(): void {
    this.#hasBargedIn = false;
  }

  #bargeIn(isSoon: boolean): void {
    this.#hasBargedIn = true;
    this.#softStop.drop();
    this.listener.bargedIn(isSoon);
  }

  #holds(voice: CallersVoice, { minSpeechMs }: BargeInRules): boolean {
    return voice.unbrokenMs > 0 && voice.unbrokenMs >= (this.#isSoon(voice) ? 0 : minSpeechMs);
  }

  #barges(voice: CallersVoice, { minWords }: BargeInRules): boolean {
    const { words, voicedMs, unbrokenMs } = voice;
    if (this.#isByVoice && words === '') return unbrokenMs >= (this.#isSoon(voice) ? SOON_VOICE_MS : VOICE_MS);
    // who says "yes" before they have been answered is not listening yet
    if (words === '' || (this.#isSoon(voice) ? isHum(words) : this.isBackchannel(words))) return false;
    return this.#bot === 'thinking' || (voicedMs > 0 && words.split(' ').length >= minWords);
  }

  /** Whether the bot had not begun to be heard, or only just. */
  #isSoon({ onsetAt }: CallersVoice): boolean {
    return this.#heardSince === undefined || onsetAt - this.#heardSince <= SOON_MS;
  }

  #tellMutation(mutation: Mutation): void {
    if (!this.#isMutationTold) this.listener.mutated(mutation);
    this.#isMutationTold = true;
  }
}

const isHum = (words: string): boolean => isMadeOf(words.replace(/(\p{L})\1+/gu, '$1'), HUMS);
