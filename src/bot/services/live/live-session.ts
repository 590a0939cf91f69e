import type { VoicebotError } from '../../../base/errors.js';
import type { ProviderError } from '../../../base/provider-error.js';
import type { LLMContext } from '../../conversation/llm-context.js';
import { sharedHealth } from '../service-health.js';
import { CallerStream } from './caller-stream.js';
import { LiveAnswer, type LiveAnswerListener, type LiveQuestion } from './live-answer.js';
import { LiveAnswers } from './live-answers.js';
import { briefingOf, type LiveBriefing } from './live-briefing.js';
import { LiveLink } from './live-link.js';
import type { LiveMemory } from './live-memory.js';
import type { ResolvedLiveOptions } from './live-options.js';
import { LivePatience } from './live-patience.js';
import { liveName, probeLive } from './live-probe.js';
import type { LiveSessionListener } from './live-session-listener.js';
import { LiveTeller } from './live-teller.js';
import { LiveUsage } from './live-usage.js';
import type { LiveFormat, LiveManner } from './manner.js';
import { mannerOf } from './manners.js';
import type { LiveErrorEvent, LiveServerEvent } from './realtime-model.js';
import { UnknownEvents } from './server-events.js';
import { SessionSetup } from './session-setup.js';

/** How often an answer is asked for, of which nothing comes. */
const MOST_TRIES = 2;

/**
 * A session of a realtime model in one call, whose turns our conversation decides. One that breaks, is refused, or has reached its end
 * gives way to another, which is told what was said; what was asked, and what the caller has said last, is asked and heard again.
 */
export class LiveSession {
  /** How the audio of its answers is. */
  readonly output: LiveFormat;
  readonly #manner: LiveManner;
  readonly #setup: SessionSetup;
  readonly #link: LiveLink;
  readonly #teller: LiveTeller;
  readonly #caller: CallerStream;
  readonly #answers: LiveAnswers;
  readonly #unknown: UnknownEvents;
  readonly #usage: LiveUsage;
  #context: LLMContext | undefined;
  #briefing: LiveBriefing | undefined;
  /** The session is there. */
  #isReady = false;
  /** It has been told what it is for. */
  #isSetUp = false;
  /** It has taken that. */
  #isAccepted = false;
  /** And what the conversation is about. */
  #isBriefed = false;
  /** It ends soon. */
  #isLeaving = false;
  #isOver = false;

  /** @param sampleRate of the caller's audio, in hertz */
  constructor(
    private readonly options: ResolvedLiveOptions,
    sampleRate: number,
    private readonly listener: LiveSessionListener,
  ) {
    this.#manner = mannerOf(options.model);
    const { input, output } = this.#manner.formats(sampleRate);
    this.output = output;
    this.#setup = new SessionSetup(options, this.#manner, { input, output });
    this.#link = new LiveLink(
      options.model,
      {
        opened: () => this.#onOpen(),
        event: (event) => this.#onEvent(event),
        lost: () => this.#usage.ended(),
        mended: (error) => listener.troubled(error),
        gaveUp: (error) => this.#giveUp(error),
      },
      options.isReplaceable,
      this.#manner.namesMessages,
    );
    this.#teller = new LiveTeller(this.#manner, this.#link);
    this.#usage = new LiveUsage(options, (usage) => listener.used?.(usage));
    this.#unknown = new UnknownEvents(this.#manner.passedOver, (kind) => listener.unknown(kind));
    const { answerTimeoutMs: limitMs, isReplaceable } = options;
    const patience = new LivePatience(options.model.modelId, limitMs, isReplaceable);
    this.#answers = new LiveAnswers(patience, this.#manner, output, {
      isSlow: (answer) => listener.slow?.(answer),
      isLate: (answer, hasBegun) => this.#onLate(answer, hasBegun),
      begins: () => {
        this.#link.markWorking();
        this.#caller.answered();
      },
      isTooLong: (answer) => {
        this.listener.troubled(this.#link.failure('one answer is too long to be listened to, and is cut off'));
        this.drop(answer);
      },
      isOver: (answer) => this.#onOver(answer),
      failure: (words) => this.#link.failure(words),
    });
    this.#caller = new CallerStream(
      sampleRate,
      this.#manner,
      input,
      this.#link,
      listener,
      () => !this.#answers.areWanted,
    );
  }

  /** What the session knows. */
  get memory(): LiveMemory {
    return this.#teller.memory;
  }

  /** Connects, unless the vendor must know before what the conversation is about. */
  open(): void {
    if (this.#manner.isChangeable) this.#link.open();
  }

  /** What the conversation is about. */
  introduce(context: LLMContext): void {
    if (this.#context === context || this.#isOver) return;
    this.#context = context;
    void briefingOf(context).then(
      (briefing) => {
        this.#briefing = briefing;
        if (!this.#link.isOpen) this.#link.open();
        else this.#configure();
      },
      (error) => this.#giveUp(this.#link.failure((error as Error).message).asFinal()),
    );
  }

  /** The next samples of the caller's. */
  write(pcm: Int16Array): void {
    if (!this.#isOver) this.#caller.write(pcm);
  }

  /** Another language is spoken from here on. @returns a warning, once for each language that their words are not written down in */
  speak(language: string): VoicebotError | undefined {
    return this.#setup.speak(language, () => {
      if (this.#manner.isChangeable && this.#isSetUp) this.#link.send(this.#setup.event(this.#briefing, false));
    });
  }

  /** Whether what the caller says does not count. */
  mute(isMuted: boolean): void {
    if (this.#caller.mute(isMuted)) this.#addUnwanted();
  }

  /** Is told when the caller's voice begins and ends. */
  get caller(): Pick<CallerStream, 'begin' | 'stop'> {
    return this.#caller;
  }

  /** What the caller has said is not answered. */
  passOver(): void {
    if (this.#caller.passOver()) this.#addUnwanted();
  }

  /** The session answers what is not to be answered. */
  #addUnwanted(): void {
    if (!this.#isReady || this.#isOver) return;
    const unwanted = LiveAnswer.unwanted();
    this.#answers.add(unwanted);
    this.#answers.drop(unwanted);
  }

  /** Asks for an answer; one that cannot come is over at once, with its failure. */
  ask(question: LiveQuestion, listener: LiveAnswerListener): LiveAnswer {
    const answer = new LiveAnswer(question, listener);
    this.#answers.add(answer);
    if (this.#isOver) this.#answers.fail(this.#link.failure('there is no session').asFinal());
    else if (this.#canAsk) this.#put(answer);
    else if (!this.#link.isOpen && !this.#context) this.#link.open();
    return answer;
  }

  /** An answer is not wanted any more, or the rest of it. */
  drop(answer: LiveAnswer): void {
    if (answer.isOver || this.#isOver) answer.isDropped = true;
    else if (answer.isAsked) {
      this.#answers.drop(answer);
      this.#link.send({ type: 'response-cancel' });
      // whatever it says of it from now on, it says after it was told
      if (this.#manner.hearing === 'bracketed') this.#teller.cutUnheard(answer);
      this.#considerLeaving();
    } else {
      answer.isDropped = true;
      this.#answers.finish(answer, { status: 'dropped' });
    }
  }

  /** What the caller has heard of an answer, and hears no more of it: the session remembers no more. */
  heard(answer: LiveAnswer, heardMs: number, text: string, wasInterrupted: boolean): void {
    if (!wasInterrupted) return;
    answer.heardMs = heardMs;
    this.#teller.cut(answer, text);
  }

  /** Ends it in good order; nothing more is told. */
  close(): void {
    this.#usage.ended();
    this.#isOver = true;
    this.#caller.settle();
    this.#answers.stop();
    this.#link.close();
  }

  /** Others go on in its place: what it was asked fails, and nothing more is told. */
  giveUp(): void {
    this.close();
    this.#answers.fail(this.#link.failure('the session was given up').asFinal());
  }

  get #canAsk(): boolean {
    return this.#isReady && (this.#isBriefed || !this.#context) && this.#answers.mayAsk;
  }

  #onOpen(): void {
    this.#usage.opened();
    this.#isReady = this.#isSetUp = this.#isBriefed = this.#isLeaving = false;
    this.#caller.lost();
    this.#teller.clear();
    if (this.#manner.isChangeable || this.#briefing || !this.#context) this.#configure();
  }

  #configure(): void {
    if (!this.#manner.isChangeable && this.#isSetUp) {
      this.#renew('a session that was made for what the bot said first gives way to that of the conversation');
      return;
    }
    this.#isSetUp = true;
    this.#isAccepted = false;
    this.#link.send(this.#setup.event(this.#briefing));
    for (const part of this.#briefing?.parts ?? []) this.memory.own(part.key);
    this.#isBriefed = this.#briefing !== undefined;
    this.#askWaiting();
  }

  #onEvent(event: LiveServerEvent): void {
    this.#usage.see(event);
    this.#caller.see(event);
    if (event.type === 'session-updated') this.#isAccepted = true;
    if (event.type === 'session-created' || event.type === 'session-updated') this.#onReady();
    else if (event.type === 'error') this.#onError(event);
    else if (event.type === 'custom') this.#onCustom(event);
    else if (!this.#answers.see(event)) this.#unknown.see(event);
  }

  #onReady(): void {
    if (this.#isReady) return;
    this.#isReady = true;
    this.#link.markAlive();
    this.#caller.ready();
    this.#askAgain();
  }

  /** Another session is asked what the one before has not answered. */
  #askAgain(): void {
    this.#answers.again(this.#link.failure('the answer broke off'));
    this.#askWaiting();
  }

  #askWaiting(): void {
    if (this.#isOver || !this.#canAsk) return;
    for (const answer of this.#answers.unasked) this.#put(answer);
  }

  /** Tells the session what it does not know, and asks it. */
  #put(answer: LiveAnswer): void {
    const { question } = answer;
    const { turn, text, isGoingOn } = question;
    answer.isAsked = true;
    answer.tries += 1;
    const isVoice = turn !== undefined && this.#caller.isTurn && this.#isAnswered(turn);
    if (isVoice) this.memory.own(turn, () => this.#caller.itemsOf(turn), true);
    const hasResults = this.#teller.tell(this.#context?.parts ?? [], question.note);
    this.memory.own(question.key, () => answer.items.keys());
    this.#answers.watch(answer);
    if (isVoice) this.#caller.endTurn(turn);
    if (text !== undefined) this.#teller.say(text);
    else if (this.#manner.hearing === 'bracketed') {
      if (!isVoice && !(isGoingOn && hasResults)) this.#link.sendRaw(this.#manner.askForText);
    } else this.#link.send({ type: 'response-create' });
    answer.askedBy = this.#link.lastName;
  }

  /** Whether the turn answers what the caller has said, and the session has not heard that yet. */
  #isAnswered(turn: object): boolean {
    return this.#context?.parts.some(({ key }) => key === turn) === true && !this.memory.knows(turn);
  }

  #onOver(answer: LiveAnswer): void {
    this.#caller.settle();
    if (answer.isDropped && answer.items.size > 0) this.#teller.cutUnheard(answer);
    this.#askWaiting();
    this.#considerLeaving();
  }

  #onError(event: LiveErrorEvent): void {
    const { code = '', clientEventId: name } = event;
    if (this.#manner.harmless.includes(code) || this.#manner.mayFail?.test(name ?? '')) return;
    const failure = this.#link.failureOf(event);
    const failed = this.#answers.askedBy(name);
    if (this.#manner.endings.includes(code)) this.#link.renew(failure);
    else if (this.#manner.isChangeable && !this.#isAccepted) this.#refuse(failure);
    else if (failed) this.#answers.finish(failed, { status: 'failed', failure });
    else this.listener.troubled(failure);
  }

  #onCustom({ rawType: kind, raw }: Extract<LiveServerEvent, { type: 'custom' }>): void {
    this.#unknown.seeKind(kind);
    if (kind === this.#manner.soundIsWhole) this.#answers.soundIsWhole();
    this.memory.cancelled(this.#manner.cancelledOf?.(raw) ?? []);
    if (!this.#manner.farewells.includes(kind)) return;
    this.#isLeaving = true;
    this.#considerLeaving();
  }

  /** Another session takes the place of one that ends soon, in a moment when nothing is said. */
  #considerLeaving(): void {
    if (this.#isLeaving && !this.#answers.areWanted) this.#renew('the session has reached its time limit');
  }

  #renew(words: string): void {
    this.#link.renew(this.#link.failure(words));
  }

  #onLate(answer: LiveAnswer, hasBegun: boolean): void {
    const { answerTimeoutMs, isReplaceable } = this.options;
    const words = hasBegun ? 'the answer stopped in the middle' : `no answer for ${answerTimeoutMs} ms`;
    if (isReplaceable || (!hasBegun && answer.tries >= MOST_TRIES)) {
      this.#refuse(this.#link.failure(words));
    } else this.#renew(words);
  }

  /** Another session would do no better. */
  #refuse(failure: ProviderError): void {
    this.#link.close();
    this.#giveUp(failure.asFinal());
  }

  #giveUp(error: ProviderError): void {
    if (this.#isOver) return;
    this.#usage.ended();
    this.#isOver = true;
    const { model } = this.options;
    sharedHealth.failed(liveName(model), error, () => probeLive(model), error.retryAfterMs);
    this.#answers.fail(error);
    this.listener.troubled(error);
  }
}
