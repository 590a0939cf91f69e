import type { CreateVoiceDetector } from '../../base/audio/voice-detector.js';
import { ProviderError } from '../../base/provider-error.js';
import { noteMutation } from '../../call/mutation.js';
import {
  BotStartedSpeakingFrame,
  BotStoppedSpeakingFrame,
  CallerJoinedFrame,
  CancelFrame,
  DtmfFrame,
  EndFrame,
  ErrorFrame,
  type Frame,
  type FrameDirection,
  FunctionCallsEndedFrame,
  FunctionCallsStartedFrame,
  InputAudioFrame,
  InterimTranscriptionFrame,
  InterruptionFrame,
  LLMMessagesAppendFrame,
  LLMRunFrame,
  type OutputAudioFrame,
  StartFrame,
  TranscriptionFrame,
  TTSSpeakFrame,
  Turn,
  UserStartedSpeakingFrame,
  UserStoppedSpeakingFrame,
} from '../pipeline/frames/index.js';
import { FrameProcessor } from '../pipeline/index.js';
import { StopConversationFrame, TurnEndFrame, TurnPlayedFrame, WaitMessageFrame } from './conversation-frames.js';
import { IdleCaller, type IdleOptions } from './idle-caller.js';
import type { LLMContext } from './llm-context.js';
import { LLMContextFrame } from './llm-context-frame.js';
import { type CallerTimes, type MuteReason, TurnTaking, type TurnTakingOptions } from './turn-taking.js';
import { VoiceActivity } from './voice-activity.js';
import { WaitMessage } from './wait-message.js';

export interface UserAggregatorOptions extends TurnTakingOptions {
  readonly context: LLMContext;
  readonly createDetector: CreateVoiceDetector;
  readonly greeting: string | undefined;
  readonly greetsByItself: boolean;
  readonly mute: readonly MuteReason[];
  readonly idle: IdleOptions | undefined;
  /** How long the caller waits for an answer before the wait message, in milliseconds; 0 means for ever. */
  readonly holdAfterMs: number;
  holdLine(): OutputAudioFrame;
  apology(): OutputAudioFrame;
  /** What happens after the apology. @returns whether the caller is with another person now */
  afterApology(): Promise<boolean>;
}

export interface UserAggregatorListener {
  /** A turn of the bot has been said, or was interrupted. */
  turnOver(turn: Turn, wasInterrupted: boolean): void;
  callerSaid(text: string): void;
  bargedIn(): void;
  failed(error: ProviderError): void;
  /** The model is asked nothing more. */
  stopped(): void;
}

/** Behind the speech-to-text: collects the caller's words, decides whose turn it is, and asks the model for answers. */
export class UserAggregator extends FrameProcessor {
  readonly #taking: TurnTaking;
  readonly #idle: IdleCaller | undefined;
  readonly #voice: VoiceActivity;
  /** Turns of the bot that are being answered or said. */
  readonly #turns = new Set<Turn>();
  #turnCount = 0;
  #isBotSpeaking = false;
  #isCallerThere = false;
  #hasGreeted = false;
  #isGreeting = false;
  /** Functions that run, by the identifier of their call, and whether they mute the caller. */
  readonly #functions = new Map<string, boolean>();
  /** The model is to be asked when the caller has finished. */
  #isRunWanted = false;
  readonly #hold: WaitMessage;
  #failure: ProviderError | undefined;
  #isOver = false;

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
      callerStopped: () => {
        this.#hold.quietNow();
        this.broadcast(() => new UserStoppedSpeakingFrame());
        this.#update();
      },
      bargedIn: () => this.#bargeIn(),
      wentOn: (mutation) => noteMutation(this.timeline, mutation),
      turnEnded: (text, times) => this.#onCallersTurn(text, times),
      nothingSaid: (hasBargedIn) => this.#onNothingSaid(hasBargedIn),
    });
    this.#voice = new VoiceActivity(options.createDetector, {
      heard: (isSpeech, ms) => this.#taking.hear(isSpeech, ms),
      replaced: (error) => this.report(error),
      failed: (error) => this.broadcast(() => new ErrorFrame(error, true, this.name)),
    });
    this.#hold = new WaitMessage(options.holdAfterMs, () => this.push(new WaitMessageFrame(options.holdLine())));
    this.#idle =
      options.idle &&
      new IdleCaller(options.idle, {
        ask: (prompt) => this.say(prompt),
        giveUp: (goodbye) => this.#sayGoodbye(goodbye),
      });
  }

  override process(frame: Frame, direction: FrameDirection): void {
    if (this.#take(frame)) return;
    if (frame instanceof StartFrame) frame.hasFailureHandler = true;
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
    return this.#turnCount;
  }

  /** Says a text behind everything said before. */
  say(text: string): void {
    this.push(new TTSSpeakFrame(text));
  }

  /** Says the greeting, once. */
  greet(): void {
    const { greeting, mute } = this.options;
    if (this.#hasGreeted || this.#isOver) return;
    this.#hasGreeted = true;
    if (!greeting) return;
    this.#isGreeting = mute.includes('greeting');
    const frame = new TTSSpeakFrame(greeting);
    this.push(frame);
    this.#update();
    void frame.synthesised.then(() => {
      if (!this.#isBotSpeaking) this.#onGreeted(); // nothing of it is to be heard any more
    });
  }

  /** @returns whether the frame is for this processor only */
  #take(frame: Frame): boolean {
    if (frame instanceof InputAudioFrame) this.#voice.hear(frame.pcm);
    else if (frame instanceof InterimTranscriptionFrame) this.#taking.addInterim(frame.text);
    else if (frame instanceof TranscriptionFrame) this.#taking.addFinal(frame.notedIn(this.timeline).text);
    else if (frame instanceof LLMRunFrame) this.#want();
    else if (frame instanceof LLMMessagesAppendFrame) this.#append(frame);
    else if (frame instanceof TurnPlayedFrame) this.#onTurnPlayed(frame.turn);
    else if (frame instanceof StopConversationFrame) this.#stop();
    else return false;
    return true;
  }

  #see(frame: Frame): void {
    if (frame instanceof StartFrame) this.#voice.start(frame.audioInSampleRate);
    else if (frame instanceof CallerJoinedFrame) this.#onCallerJoined();
    else if (frame instanceof BotStartedSpeakingFrame) this.#isBotSpeaking = true;
    else if (frame instanceof BotStoppedSpeakingFrame) this.#onBotStopped();
    else if (frame instanceof FunctionCallsStartedFrame) this.#onFunctionsStarted(frame);
    else if (frame instanceof FunctionCallsEndedFrame) this.#onFunctionsEnded(frame);
    else if (frame instanceof DtmfFrame) this.#idle?.answered();
    else if (frame instanceof ErrorFrame) this.#onError(frame.error);
    else if (frame instanceof EndFrame || frame instanceof CancelFrame) this.#stop();
    else if (!(frame instanceof InterruptionFrame)) return;
    this.#update();
  }

  get #isInMutingFunction(): boolean {
    return [...this.#functions.values()].includes(true);
  }

  #onCallerJoined(): void {
    this.#isCallerThere = true;
    if (this.#failure) this.#considerApology();
    else if (this.options.greetsByItself) this.greet();
  }

  #onBotStopped(): void {
    this.#isBotSpeaking = false;
    this.#hold.quietNow();
    if (this.#isGreeting) this.#onGreeted();
  }

  #onGreeted(): void {
    this.#isGreeting = false;
    this.#update();
  }

  #onFunctionsStarted({ calls, mutesCaller }: FunctionCallsStartedFrame): void {
    for (const { id } of calls) this.#functions.set(id, mutesCaller);
  }

  #onFunctionsEnded({ results }: FunctionCallsEndedFrame): void {
    for (const { callId } of results) this.#functions.delete(callId);
    if (this.#failure) this.#considerApology();
  }

  #bargeIn(): void {
    this.listener.bargedIn();
    this.#onInterrupted();
    this.interrupt();
    this.#update();
  }

  #onInterrupted(): void {
    this.#isGreeting = false;
    for (const turn of this.#turns) this.listener.turnOver(turn, true);
    this.#turns.clear();
  }

  #onCallersTurn(text: string, { stoppedAt, finalAt }: CallerTimes): void {
    this.#idle?.answered();
    this.options.context.addCallerWords(text);
    const turn = this.#newTurn();
    if (stoppedAt !== undefined) turn.mark('callerStopped', stoppedAt);
    if (finalAt !== undefined) turn.mark('finalTranscript', finalAt);
    this.#run(turn);
    this.listener.callerSaid(text);
  }

  /** A bot that was stopped by a noise goes on. */
  #onNothingSaid(hasBargedIn: boolean): void {
    if (hasBargedIn) this.#goOn();
    this.#update();
  }

  #goOn(): void {
    const { context } = this.options;
    const rest = context.takeUnheard();
    if (rest) this.say(rest);
    else if (rest === undefined || context.isUnanswered) this.#isRunWanted = true;
  }

  #append({ messages, run }: LLMMessagesAppendFrame): void {
    this.options.context.append(...messages);
    if (run) this.#want();
  }

  #want(): void {
    this.#isRunWanted = true;
    this.#update();
  }

  #newTurn(): Turn {
    this.#turnCount += 1;
    return new Turn(this.#turnCount);
  }

  #run(turn: Turn): void {
    this.#isRunWanted = false;
    this.#turns.add(turn);
    if (turn.times.callerStopped === undefined) this.#hold.quietNow();
    this.push(new LLMContextFrame(this.options.context, turn));
    this.push(new TurnEndFrame(turn));
    this.#update();
  }

  #onTurnPlayed(turn: Turn): void {
    if (!this.#turns.delete(turn)) return;
    this.listener.turnOver(turn, false);
    this.#update();
  }

  /** Brings everything that waits for something into line with what is going on. */
  #update(): void {
    if (this.#isOver) return;
    const taking = this.#taking;
    const { mute } = this.options;
    const isInFunction = this.#functions.size > 0;
    taking.isMuted = this.#isGreeting || this.#isInMutingFunction || (isInFunction && mute.includes('functions'));
    const isThinking = this.#turns.size > 0 || isInFunction;
    taking.bot = this.#isBotSpeaking ? 'speaking' : isThinking ? 'thinking' : 'idle';
    if (this.#isRunWanted && !taking.isCallersTurn) {
      this.#run(this.#newTurn());
      return;
    }
    this.#hold.isWaiting = isThinking && !this.#isBotSpeaking && !taking.isSpeaking && !this.#isInMutingFunction;
    if (this.#idle) {
      this.#idle.isQuiet = this.#isCallerThere && !isThinking && !this.#isBotSpeaking && !taking.isCallersTurn;
    }
  }

  #sayGoodbye(goodbye: string | undefined): void {
    if (goodbye) this.say(goodbye);
    this.push(new EndFrame());
    this.#stop();
  }

  /** Everything else has been reported already, and the conversation goes on. */
  #onError(error: Error): void {
    if (!(error instanceof ProviderError) || !error.isFinal || this.#failure || this.#isOver) return;
    this.#failure = error;
    this.listener.failed(error);
    this.#considerApology();
  }

  /** Not before the caller is there, nor while a function has them talk to another person. */
  #considerApology(): void {
    if (this.#isCallerThere && !this.#isOver && !this.#isInMutingFunction) void this.#apologise();
  }

  async #apologise(): Promise<void> {
    this.#stop();
    this.interrupt();
    this.push(this.options.apology());
    const isElsewhere = await this.options.afterApology().catch(() => false);
    this.push(new EndFrame(isElsewhere ? undefined : 'provider_error'));
  }

  #stop(): void {
    this.#isOver = true;
    this.#voice.stop();
    this.#taking.stop();
    this.#idle?.stop();
    this.#hold.stop();
    this.listener.stopped();
  }
}
