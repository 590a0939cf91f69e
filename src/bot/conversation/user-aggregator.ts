import { noteMutation } from '../../call/mutation.js';
import {
  BotStartedSpeakingFrame,
  BotStoppedSpeakingFrame,
  CallerJoinedFrame,
  CallerMutedFrame,
  CallerPassedOverFrame,
  CancelFrame,
  DtmfFrame,
  EndFrame,
  ErrorFrame,
  type Frame,
  type FrameDirection,
  FunctionCallsEndedFrame,
  FunctionCallsStartedFrame,
  HoldSpeechFrame,
  InterruptionFrame,
  type LateWords,
  LLMMessagesAppendFrame,
  LLMRunFrame,
  ResumeSpeechFrame,
  StartFrame,
  TTSSpeakFrame,
  type Turn,
  UserStartedSpeakingFrame,
  UserStoppedSpeakingFrame,
  UserWordsFrame,
} from '../pipeline/frames/index.js';
import { FrameProcessor } from '../pipeline/index.js';
import { BotTurns } from './bot-turns.js';
import { CallerListening } from './caller-listening.js';
import { CallerSigns } from './caller-signs.js';
import {
  HoldConversationFrame,
  RestartConversationFrame,
  StopConversationFrame,
  TurnPlayedFrame,
  WaitMessageFrame,
} from './conversation-frames.js';
import { Greeting } from './greeting.js';
import { ownSentence } from './own-sentences.js';
import { RunningFunctions } from './running-functions.js';
import { TurnTaking } from './turn-taking.js';
import type { UserAggregatorListener, UserAggregatorOptions } from './user-aggregator-options.js';
import { VendorFailure } from './vendor-failure.js';
import { WaitMessage } from './wait-message.js';

/** Behind the speech-to-text: collects the caller's words, decides whose turn it is, and asks the model for answers. */
export class UserAggregator extends FrameProcessor {
  readonly #taking: TurnTaking;
  readonly #signs: CallerSigns;
  readonly #listening: CallerListening;
  readonly #turns: BotTurns;
  #isBotSpeaking = false;
  #isCallerThere = false;
  readonly #greeting: Greeting;
  readonly #functions: RunningFunctions;
  /** The model is to be asked when the caller has finished. */
  #isRunWanted = false;
  readonly #hold: WaitMessage;
  readonly #failure: VendorFailure;
  #isOver = false;
  /** A screening assistant has answered, and the person has not come on. */
  #isHeld = false;

  constructor(
    private readonly options: UserAggregatorOptions,
    private readonly listener: UserAggregatorListener,
  ) {
    super();
    this.#taking = new TurnTaking(options, {
      callerStarted: () => {
        this.broadcast(() => new UserStartedSpeakingFrame());
        this.#update();
      },
      callerStopped: (stoppedAt) => {
        this.#hold.quietNow();
        this.broadcast(() => new UserStoppedSpeakingFrame(stoppedAt));
        this.#update();
      },
      mayHaveFinished: (text, times) => this.#turns.askEarly(text, times),
      overtaken: () => this.#turns.dropEarly(),
      held: () => this.push(new HoldSpeechFrame()),
      wentOn: () => this.push(new ResumeSpeechFrame()),
      bargedIn: (hadNotFinished) => this.#bargeIn(hadNotFinished),
      mutated: (mutation) => noteMutation(this.timeline, mutation),
      muted: (isMuted) => this.push(new CallerMutedFrame(isMuted), 'upstream'),
      passedOver: () => this.push(new CallerPassedOverFrame()),
      turnEnded: (text, times) => this.#onCallersTurn(text, times),
      nothingSaid: (hasBargedIn, hadWords) => this.#onNothingSaid(hasBargedIn, hadWords),
    });
    this.#turns = new BotTurns(options.context, {
      push: (frame) => this.push(frame),
      over: (...turn) => listener.turnOver(...turn),
      changed: () => this.#update(),
    });
    this.#listening = new CallerListening(options.createDetector, this.#taking, {
      words: () => {
        this.#signs.words();
        this.push(new UserWordsFrame());
      },
      timeline: () => this.timeline,
      late: (late, text) => this.#addLateWords(late, text),
      replaced: (error) => this.report(error),
      failed: (error) => this.broadcast(() => new ErrorFrame(error, true, this.name)),
    });
    this.#functions = new RunningFunctions(options.mute.includes('functions'));
    this.#failure = new VendorFailure({
      // not before the caller is there, to a screening assistant, or while a function has them talk to another person
      mayApologise: () => this.#isCallerThere && !this.#isOver && !this.#isHeld && !this.#functions.muteCaller,
      failed: (error) => listener.failed(error),
      apologise: () => {
        this.#stop();
        this.interrupt();
        this.push(options.apology());
        return options.afterApology();
      },
      end: (reason) => this.push(new EndFrame(reason)),
    });
    this.#greeting = new Greeting(options.greeting, options.mute.includes('greeting'), {
      say: (frame) => this.push(frame),
      isBotSpeaking: () => this.#isBotSpeaking,
      changed: () => this.#update(),
    });
    this.#hold = new WaitMessage(options.holdAfterMs, () => this.push(new WaitMessageFrame(options.holdLine())));
    this.#signs = new CallerSigns(options, {
      ask: this.say,
      giveUp: (goodbye) => this.#sayGoodbye(goodbye),
      pressing: () => this.#takeFloor(),
      pressed: (text) => this.#onKeys(text),
      nothingPressed: () => this.#update(),
    });
  }

  override process(frame: Frame, direction: FrameDirection): void {
    if (this.#take(frame)) return;
    if (frame instanceof StartFrame) {
      this.#turns.pipeline = frame;
      frame.hasFailureHandler = true;
    }
    if (frame instanceof InterruptionFrame) {
      this.#taking.forget();
      this.#onInterrupted(); // before its turns are said to be over
    }
    this.push(frame, direction);
    this.#see(frame);
  }

  override cleanup(): void {
    this.#stop();
  }

  /** Reports the failure of an event handler; the conversation goes on. */
  report(error: Error): void {
    this.push(new ErrorFrame(error, false, 'Conversation'), 'upstream');
  }

  /** How many turns the bot has begun. */
  get turnCount(): number {
    return this.#turns.count;
  }

  /** Says a text behind everything said before. */
  say = (text: string): void => this.push(new TTSSpeakFrame(text));

  /** Says the greeting, once. */
  greet(): void {
    if (!this.#isOver && !this.#isHeld) this.#greeting.say();
  }

  /** @returns whether the frame is for this processor only */
  #take(frame: Frame): boolean {
    if (this.#listening.take(frame)) return true;
    if (frame instanceof LLMRunFrame) this.#want();
    else if (frame instanceof LLMMessagesAppendFrame) this.#append(frame);
    else if (frame instanceof TurnPlayedFrame) this.#turns.played(frame.turn);
    else return false;
    return true;
  }

  #see(frame: Frame): void {
    if (frame instanceof StartFrame) this.#listening.start(frame.audioInSampleRate);
    else if (frame instanceof CallerJoinedFrame) this.#onCallerJoined();
    else if (frame instanceof BotStartedSpeakingFrame) this.#isBotSpeaking = true;
    else if (frame instanceof BotStoppedSpeakingFrame) this.#onBotStopped();
    else if (frame instanceof FunctionCallsStartedFrame) this.#functions.begin(frame);
    else if (frame instanceof FunctionCallsEndedFrame) this.#functions.end(frame);
    else if (frame instanceof DtmfFrame) this.#signs.press(frame);
    else if (frame instanceof ErrorFrame && !this.#isOver) this.#failure.take(frame.error);
    else if (frame instanceof HoldConversationFrame) this.#holdOn();
    else if (frame instanceof RestartConversationFrame) this.#restart(frame.words);
    else if ([StopConversationFrame, EndFrame, CancelFrame].some((of) => frame instanceof of)) this.#stop();
    else if (!(frame instanceof InterruptionFrame)) return;
    this.#update();
  }

  /** Only the model has heard them when it was asked. */
  #addLateWords(late: LateWords, text: string): void {
    if (this.options.context.addLateWords(late, text)) this.listener.callerSaid(text);
  }

  /** The caller presses keys: the bot stops for them as for words. */
  #takeFloor(): void {
    if (this.#isBotSpeaking || this.#turns.areOpen) this.#bargeIn(false);
  }

  #onKeys(text: string): void {
    this.#isRunWanted = false;
    this.#takeFloor();
    this.#turns.dropEarly(); // it did not know of them
    this.options.context.addCallerWords(text);
    if (this.#taking.isCallersTurn && this.#signs.hasWords) this.#want();
    else this.#begin();
  }

  #onCallerJoined(): void {
    this.#isCallerThere = true;
    if (!this.#failure.isKnown && this.options.greetsByItself) this.greet();
  }

  #onBotStopped(): void {
    this.#isBotSpeaking = false;
    this.#hold.quietNow();
    this.#greeting.end();
  }

  /** @param hadNotFinished what the bot has begun to say is an answer to half of what the caller says: it is forgotten */
  #bargeIn(hadNotFinished: boolean): void {
    this.listener.bargedIn();
    const turns = this.#onInterrupted();
    this.interrupt();
    for (const turn of hadNotFinished ? turns : []) this.options.context.forgetTurn(turn);
    this.#update();
  }

  #onInterrupted(): readonly Turn[] {
    this.#greeting.cut();
    return this.#turns.interrupt();
  }

  #onCallersTurn(...[text, times]: Parameters<BotTurns['take']>): void {
    this.#signs.answered();
    if (this.#signs.isPressing) this.#turns.dropEarly(); // one answer to both is wanted
    if (times.stoppedAt === undefined) this.#hold.quietNow();
    const begin = this.#turns.take(text, times);
    if (this.#signs.isPressing) this.#want();
    else this.#begin(begin);
    if (text) this.listener.callerSaid(text);
  }

  /** A bot that was stopped by a noise goes on. Words that were there, and are no more, it asks for. */
  #onNothingSaid(hasBargedIn: boolean, hadWords: boolean): void {
    const { context } = this.options;
    const rest = hasBargedIn ? context.takeUnheard() : '';
    if (rest) this.say(rest);
    else if (rest === undefined || (hasBargedIn && context.isUnanswered)) this.#isRunWanted = true;
    else if (hadWords && !this.#isBotSpeaking && !this.#turns.areOpen)
      this.say(ownSentence('not_understood', context.language));
    this.#update();
  }

  #append({ messages, run }: LLMMessagesAppendFrame): void {
    this.#turns.dropEarly(); // it did not know of them
    this.options.context.append(...messages);
    if (run) this.#want();
  }

  #want(): void {
    this.#isRunWanted = true;
    this.#update();
  }

  /** @param begin begins a turn of the bot; undefined for one that answers the context as it is */
  #begin(begin?: () => void): void {
    this.#isRunWanted = false;
    if (!begin) this.#hold.quietNow(); // no caller has waited since they spoke
    (begin ?? (() => this.#turns.begin()))();
    this.#update();
  }

  /** Brings everything that waits for something into line with what is going on. */
  #update(): void {
    this.#failure.consider(); // the caller may be there to hear it now
    if (this.#isOver || this.#isHeld) return;
    const taking = this.#taking;
    const isInFunction = !this.#functions.isEmpty;
    const isMuted = this.#greeting.mutes || this.#functions.mutes;
    taking.model = this.#turns.model;
    taking.isMuted = isMuted;
    const isThinking = this.#turns.areOpen || isInFunction;
    const isBusy = isThinking || this.#isBotSpeaking;
    taking.bot = this.#isBotSpeaking ? 'speaking' : isThinking ? 'thinking' : 'idle';
    const isCallersTurn = taking.isCallersTurn || this.#signs.isPressing;
    if (this.#isRunWanted && !isCallersTurn) {
      this.#begin();
      return;
    }
    this.#hold.isWaiting = isThinking && !this.#isBotSpeaking && !taking.isSpeaking && !this.#functions.muteCaller;
    this.#signs.scene = {
      isQuiet: this.#isCallerThere && !isBusy,
      isCallersTurn,
      isMuted,
      holdsKeys: isInFunction || (this.options.bargeIn === false && isBusy),
    }; // last: a turn may begin
  }

  #sayGoodbye(goodbye: string | undefined): void {
    if (goodbye) this.say(goodbye);
    this.push(new EndFrame());
    this.#stop();
  }

  /** The last words of the bot's that the caller has heard are a question. */
  set wasAsked(wasAsked: boolean) {
    this.#taking.wasAsked = wasAsked;
  }

  /** A caller who is no person is neither asked nor answered. */
  #holdOn(): void {
    this.#isHeld = true;
    this.#isRunWanted = false;
    this.#hold.isWaiting = false;
    this.#turns.dropEarly();
    this.#signs.scene = { isQuiet: false, isCallersTurn: false, isMuted: true, holdsKeys: false };
  }

  /** The person hears the greeting; where there is none, the model answers what they have come on with. */
  #restart(words: string): void {
    const greets = this.#greeting.wasSaid || this.options.greetsByItself;
    this.#isHeld = false;
    this.#greeting.restart();
    this.options.context.restart(words);
    if (words) this.listener.callerSaid(words);
    if (!this.options.greeting) this.#isRunWanted ||= words !== '';
    else if (greets) this.greet();
    this.#update();
  }

  #stop(): void {
    this.#isOver = true;
    this.#turns.dropEarly();
    this.#listening.stop();
    this.#taking.stop();
    this.#signs.stop();
    this.#hold.stop();
    this.listener.stopped();
  }
}
