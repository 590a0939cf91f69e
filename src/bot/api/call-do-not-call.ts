import type { CallDirection } from '../../call/call.js';
import type { DoNotCallOutcome, DoNotCallWay } from '../../call/do-not-call.js';
import type { CallRunnerLink } from '../../call/runner-link.js';
import type { Conversation } from '../conversation/conversation.js';
import { doNotCallNote } from '../conversation/do-not-call-note.js';
import { languageAskedIn } from '../conversation/do-not-call-phrases.js';
import { type OwnSentence, ownSentence } from '../conversation/own-sentences.js';
import { Utterances } from '../conversation/utterances.js';
import { DtmfFrame } from '../pipeline/frames/index.js';
import { type Language, languageOf } from '../pipeline/language.js';
import type { CallOpening } from './call-opening.js';
import type { CallerFrame, CallPipeline } from './call-pipeline.js';
import type { DoNotCallOptions } from './do-not-call-options.js';

/** What a call is to {@link CallDoNotCall}. */
export interface DoNotCallScene {
  readonly options: DoNotCallOptions;
  readonly runner: CallRunnerLink | undefined;
  readonly hasVoice: boolean;
  readonly pipeline: Pick<CallPipeline, 'interrupt' | 'language' | 'over' | 'isOver'>;
  readonly opening: Pick<CallOpening, 'underWay'>;
  /** Where there is one. */
  conversation(): Pick<Conversation, 'inform'> | undefined;
  tell(how: DoNotCallWay, outcome: DoNotCallOutcome): void;
  warn(error: Error): void;
}

/** "Do not call me again" in one call: hears it, has the number put on the list, and only then says so. */
export class CallDoNotCall {
  readonly #utterances = new Utterances((words) => this.#judge(words));
  /** How it was spoken, where it was. */
  #heardIn: Language | undefined;
  #asked: Promise<DoNotCallOutcome> | undefined;

  /** What the model has to be told, where the conversation has not begun. */
  #note: string | undefined;

  constructor(
    private readonly call: { readonly direction: CallDirection; say(text: string): Promise<boolean> },
    private readonly scene: DoNotCallScene,
  ) {
    // who says it and hangs up at once has asked for it
    void scene.pipeline.over.then(() => this.#utterances.end());
  }

  /** Resolves when what was asked for so far is done; never rejects. */
  get settled(): Promise<unknown> | undefined {
    return this.#asked;
  }

  /** A key or words of the other party's. A key that asks for it means nothing else. */
  hear(frame: CallerFrame): void {
    if (frame instanceof DtmfFrame) this.#press(frame);
    else if (this.#listens) this.#utterances.hear(frame);
  }

  /** The number was, or is being, put on the list for an earlier bot of the call, which could not say so any more. */
  resume(): void {
    const { runner } = this.scene;
    const before = runner?.askedNotToBeCalled;
    if (!before || this.#asked) return;
    if ('isPending' in before) {
      this.#asked = this.#ask(before.how, undefined, false); // no function of this bot's model waits for it
      return;
    }
    this.#asked = Promise.resolve('listed' as const);
    this.#note = doNotCallNote('listed', this.#isTold(undefined));
    if (before.toldAt === undefined && !before.isSettled)
      this.#asked = this.#say('listed', undefined).then(() => 'listed' as const);
  }

  /** A conversation begins: the model learns what was done before it. */
  introduce(): void {
    const conversation = this.scene.conversation();
    if (!conversation || this.#note === undefined) return;
    conversation.inform(this.#note);
    this.#note = undefined;
  }

  /**
   * Puts the other party on the list, once in a call. Never rejects.
   * @param say as of {@link DoNotCallOptions}; default: what the bot's options say
   */
  ask(how: DoNotCallWay, say?: string | false): Promise<DoNotCallOutcome> {
    const before = this.#asked;
    this.#asked = before
      ? before.then((outcome) => (outcome === 'failed' ? this.#ask(how, say) : outcome))
      : this.#ask(how, say);
    return this.#asked;
  }

  get #listens(): boolean {
    return this.scene.options.said ?? this.call.direction === 'outbound';
  }

  #press(key: DtmfFrame): void {
    if (key.isTaken || key.digit !== this.scene.options.key) return;
    key.isTaken = true;
    void this.ask('pressed');
  }

  #judge(words: string): void {
    const language = languageAskedIn(words);
    if (!language) return;
    this.#heardIn = language;
    void this.ask('said');
  }

  /** @param isCalled a function of the model's has asked for it, and tells the model what became of it */
  async #ask(how: DoNotCallWay, say: string | false | undefined, isCalled = how === 'tool'): Promise<DoNotCallOutcome> {
    const { runner, tell, warn } = this.scene;
    const missing = {
      outcome: 'failed',
      problem: new Error('no runner keeps a do-not-call list for this bot'),
    } as const;
    const { outcome, problem } = (await runner?.doNotCall?.(how)) ?? missing;
    tell(how, outcome);
    if (problem) warn(problem);
    if (!isCalled) {
      this.#note = doNotCallNote(outcome, this.#isTold(say));
      this.introduce();
    }
    const { underWay } = this.scene.opening;
    await underWay; // the number is on the list at once; that is said when the bot may speak
    if (!underWay && !isCalled && this.#isTold(say)) this.scene.pipeline.interrupt();
    await this.#say(outcome, say);
    return outcome;
  }

  #isTold(say: string | false | undefined): boolean {
    return this.scene.hasVoice && (say ?? this.scene.options.say) !== false;
  }

  async #say(outcome: DoNotCallOutcome, given: string | false | undefined): Promise<void> {
    const { scene } = this;
    const told = (isHeard: boolean) => (outcome === 'listed' ? scene.runner?.tellDoNotCall?.(isHeard) : undefined);
    if (!this.#isTold(given)) return told(false);
    const spoken = scene.pipeline.language;
    const language = spoken === undefined ? (this.#heardIn ?? 'en') : languageOf(spoken);
    const own = ownSentence(`do_not_call_${outcome}` satisfies OwnSentence, language);
    const say = given ?? scene.options.say;
    const isHeard = await this.call.say(outcome === 'listed' && typeof say === 'string' ? say : own);
    if (isHeard || !scene.pipeline.isOver) told(isHeard); // who speaks over it does not want to hear it again
  }
}
