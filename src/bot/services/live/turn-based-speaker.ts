import { unlessAborted } from '../../../base/async/deadline.js';
import { deferred } from '../../../base/async/deferred.js';
import type { ProviderError } from '../../../base/provider-error.js';
import type { CallId } from '../../../call/call-id.js';
import type { LLMContext } from '../../conversation/llm-context.js';
import { LLMContextFrame } from '../../conversation/llm-context-frame.js';
import { ownSentence } from '../../conversation/own-sentences.js';
import {
  CallerPassedOverFrame,
  CancelFrame,
  EndFrame,
  ErrorFrame,
  type Frame,
  type FrameDirection,
  InterruptionFrame,
  LLMResponseEndFrame,
  LLMResponseStartFrame,
  SpeechHeardFrame,
  StartFrame,
  type ToolCall,
  TTSSpeakFrame,
  type Turn,
  UserStartedSpeakingFrame,
  UserStoppedSpeakingFrame,
  type Utterance,
} from '../../pipeline/frames/index.js';
import { FrameProcessor } from '../../pipeline/index.js';
import { AnswerCheck, SPEAK_UP } from '../llm/answer-check.js';
import { uniqueCallId } from '../llm/call-ids.js';
import { FunctionRunner } from '../llm/function-runner.js';
import { runMutated } from '../llm/mutated-function.js';
import { playFunction } from '../llm/played-function.js';
import { noteBeginning } from '../llm/turn-notes.js';
import { inputOf, type LiveAnswer, type LiveAnswerEnd, type LiveQuestion } from './live-answer.js';
import { LiveNotes } from './live-notes.js';
import type { ResolvedLiveOptions } from './live-options.js';
import type { LiveSpeaker } from './live-service.js';
import { LiveSession } from './live-session.js';
import type { LiveSessionListener } from './live-session-listener.js';
import { LiveSpeech, type LiveSpeechOptions } from './live-speech.js';
import { UnsaidTexts } from './unsaid-texts.js';

/** A whole answer, as the conversation sees it. */
interface SpokenAnswer extends LiveAnswerEnd {
  readonly speech: LiveSpeech;
  readonly answer: LiveAnswer;
}

/** What a session tells beside its answers, and the speaker hands on. */
type SessionWords = Omit<LiveSessionListener, 'troubled' | 'unknown'>;

/** How often an answer that broke off is gone on with in one turn. */
const MOST_FAILURES = 2;

/** How soon the output tells what was heard of something, once it is interrupted, in milliseconds. */
const HEARD_LIMIT_MS = 200;

/** A session whose model answers when it is asked, behind the conversation: takes the turns of the conversation, and runs the functions of the model. */
export class TurnBasedSpeaker extends FrameProcessor implements LiveSpeaker {
  readonly #functions = new FunctionRunner({
    push: (frame, direction) => this.#pushOwn(frame, direction),
    broadcast: (create) => this.broadcast(create),
    signal: () => this.signal,
    timeline: () => this.timeline,
    play: (call, execute, signal) =>
      playFunction(this.#callId, call, () => runMutated(call.name, execute, this.timeline), signal),
  });
  readonly #notes: LiveNotes;
  /** What is heard, or will be, by utterance. */
  readonly #spoken = new Map<Utterance, LiveAnswer>();
  readonly #unsaid = new UnsaidTexts();
  /** The session is asked one thing after the other. */
  #asking: Promise<unknown> = Promise.resolve();
  #session: LiveSession | undefined;
  #context: LLMContext | undefined;
  #callId: CallId | undefined;
  #utterances = 0;

  /** @param hasVoice a voice behind it says what is to be said word for word */
  constructor(
    private readonly options: ResolvedLiveOptions,
    private readonly hasVoice: boolean,
    private readonly words: SessionWords,
  ) {
    super();
    this.#notes = new LiveNotes(options.model, () => this.timeline);
  }

  /** Undefined before the pipeline has started. */
  get session(): LiveSession | undefined {
    return this.#session;
  }

  functionsUnderWay(): Promise<void> | undefined {
    return this.#functions.underWay();
  }

  /** The pipeline starts. @param sampleRate of the caller's audio, in hertz */
  begin(sampleRate: number): void {
    this.#session = new LiveSession(this.options, sampleRate, {
      ...this.words,
      troubled: (error) => this.#tell(error),
      unknown: (kind) => this.#notes.unknown(kind),
      used: (usage) => this.#notes.used(usage),
    });
    if (this.#context) this.#session.introduce(this.#context);
    else this.#session.open();
  }

  introduce(context: LLMContext): void {
    this.#context = context;
    this.#session?.introduce(context);
  }

  override receive(frame: Frame, direction: FrameDirection): void {
    if (direction === 'downstream') {
      if (frame instanceof EndFrame) void this.#functions.end();
      else if (frame instanceof TTSSpeakFrame && !this.hasVoice) this.#unsaid.add(frame);
    }
    super.receive(frame, direction);
  }

  override process(frame: Frame, direction: FrameDirection): void | Promise<void> {
    if (frame instanceof LLMContextFrame) return this.#takeTurn(frame);
    if (frame instanceof TTSSpeakFrame && !this.hasVoice) return this.#speak(frame);
    const work = frame instanceof EndFrame && this.functionsUnderWay();
    if (work) return work.then(() => this.#pass(frame, direction));
    this.#pass(frame, direction);
  }

  override cleanup(): void {
    this.#close();
  }

  #pass(frame: Frame, direction: FrameDirection): void {
    if (frame instanceof UserStartedSpeakingFrame) this.#session?.caller.begin();
    else if (frame instanceof UserStoppedSpeakingFrame) this.#session?.caller.stop();
    else if (frame instanceof CallerPassedOverFrame) this.#session?.passOver();
    else if (frame instanceof SpeechHeardFrame) this.#noteHeard(frame);
    else if (frame instanceof InterruptionFrame || frame instanceof CancelFrame) {
      this.#unsaid.settleAll();
      this.#settleUnheard();
    } else if (frame instanceof StartFrame) {
      this.#callId = frame.standIns?.callId;
      this.#notes.service();
    }
    this.push(frame, direction);
    if (frame instanceof EndFrame || frame instanceof CancelFrame) this.#close();
  }

  #close(): void {
    this.#unsaid.settleAll();
    this.#functions.close();
    this.#session?.close();
  }

  async #takeTurn({ context, turn }: LLMContextFrame): Promise<void> {
    const { signal } = this;
    this.introduce(context);
    noteBeginning(turn, this.timeline);
    const check = new AnswerCheck(context.messagesFor(turn));
    let note: string | undefined;
    let failures = 0;
    for (let step = 1, isGoingOn = false; !signal.aborted; step += 1) {
      const said = await this.#answer(context, { turn, isGoingOn, note }, signal);
      if (!said) return;
      const { failure, answer, speech } = said;
      note = undefined;
      if (failure) {
        failures += 1;
        if (failure.isFinal) return;
        this.#tell(failures >= MOST_FAILURES ? failure.asFinal() : failure);
        if (failures >= MOST_FAILURES) return;
        isGoingOn = false;
        continue;
      }
      if (speech.hasSpoken) check.announced();
      if (answer.calls.length === 0) {
        if (speech.hasSpoken) return;
        const cure = check.onSilence();
        if (cure === 'own_sentence') this.#sayOwn(context);
        if (cure !== 'ask_again') return;
        note = SPEAK_UP;
        continue;
      }
      const calls = this.#callsOf(answer, context);
      context.addToolCalls(this.#responseOf(speech), calls);
      const batch = { context, turn, calls, hasSpoken: speech.hasSpoken, check, signal };
      if (!(await this.#functions.run(batch)) || step >= this.options.maxSteps) return;
      isGoingOn = true;
    }
  }

  /** Asks the session, and says what comes. @returns nothing when the caller has interrupted */
  async #answer(
    context: LLMContext,
    question: Omit<LiveQuestion, 'key'> & { readonly turn: Turn },
    signal: AbortSignal,
  ): Promise<SpokenAnswer | undefined> {
    const { turn } = question;
    const response = context.beginResponse(turn);
    const utterance = { id: this.#nextId(), response, appendToContext: true };
    const speech = this.#speechOf(utterance, turn, {
      wrote: (text) => context.addText(response, text),
      cut: (text) => context.cutText(response, text),
    });
    this.push(new LLMResponseStartFrame(response));
    const said = await this.#ask({ ...question, key: response.id }, speech, signal);
    if (!said || signal.aborted) return undefined;
    if (said.failure) speech.again();
    context.finishResponse(response);
    speech.finish();
    this.push(new LLMResponseEndFrame(response));
    return { ...said, speech };
  }

  async #ask(question: LiveQuestion, speech: LiveSpeech, signal: AbortSignal) {
    const before = this.#asking;
    const over = deferred();
    this.#asking = over.promise;
    await unlessAborted(before, signal).catch(() => {});
    const session = this.#session;
    if (!session || signal.aborted) {
      over.resolve();
      return undefined;
    }
    const { turn } = question;
    turn?.mark('modelRequested');
    turn?.mark('speechRequested');
    const noted = this.#notes.asked(turn, speech.utterance);
    const answer = session.ask(question, speech);
    this.#spoken.set(speech.utterance, answer);
    const stop = () => session.drop(answer);
    signal.addEventListener('abort', stop, { once: true });
    try {
      const end = await unlessAborted(answer.over, signal).catch(() => undefined);
      noted(end, speech);
      if (!speech.hasSpoken) this.#spoken.delete(speech.utterance);
      if (!end) return undefined;
      if (turn && end.outputTokens !== undefined) turn.tokens += end.outputTokens;
      return { ...end, answer };
    } finally {
      signal.removeEventListener('abort', stop);
      over.resolve();
    }
  }

  /** Has the session say a text word for word. */
  async #speak(frame: TTSSpeakFrame): Promise<void> {
    const { text, appendToContext } = frame;
    const { signal } = this;
    if (text.trim() === '') await unlessAborted(this.#asking, signal).catch(() => {});
    else {
      const speech = this.#speechOf({ id: this.#nextId(), appendToContext });
      const end = await this.#ask({ key: speech.utterance, text }, speech, signal);
      if (end && !signal.aborted) speech.finish(text);
      if (end?.failure && !end.failure.isFinal) this.#tell(end.failure);
      if (end?.failure?.isFinal && this.options.isReplaceable && !signal.aborted) {
        this.push(this.#unsaid.handOn(frame, speech.utterance));
        return;
      }
    }
    this.#unsaid.settle(frame);
  }

  #speechOf(utterance: Utterance, turn?: Turn, writing?: Pick<LiveSpeechOptions, 'wrote' | 'cut'>): LiveSpeech {
    return new LiveSpeech({
      utterance,
      sampleRate: this.#session?.output.sampleRate ?? 8_000,
      voice: `${this.options.model.provider} ${this.options.model.modelId} ${this.options.voice ?? ''}`,
      push: (frame) => this.push(frame),
      began: () => {
        turn?.mark('firstToken');
        turn?.mark('firstAudio');
      },
      ...writing,
    });
  }

  #responseOf({ utterance }: LiveSpeech) {
    if (!utterance.response) throw new Error('an answer of the model has a response');
    return utterance.response;
  }

  #callsOf({ calls }: LiveAnswer, context: LLMContext): ToolCall[] {
    return calls.map(({ id, name, input }) => {
      const call = { id: uniqueCallId(context, id), name, input: inputOf(input) };
      this.#session?.memory.called(call.id, id);
      return call;
    });
  }

  /** The bot's own sentence, where the model has nothing to say. */
  #sayOwn({ language }: LLMContext): void {
    this.#pushOwn(new TTSSpeakFrame(ownSentence('not_understood', language)));
  }

  /** What functions want said does not wait for the turn that waits for them. */
  #pushOwn(frame: Frame, direction: FrameDirection = 'downstream'): void {
    if (frame instanceof TTSSpeakFrame && !this.hasVoice) {
      this.#unsaid.add(frame);
      void this.#speak(frame);
    } else this.push(frame, direction);
  }

  #noteHeard({ utterance, heardMs, text, wasInterrupted }: SpeechHeardFrame): void {
    const answer = this.#spoken.get(utterance);
    if (!answer) return;
    this.#spoken.delete(utterance);
    this.#session?.heard(answer, heardMs, text, wasInterrupted);
    this.#session?.memory.heard(utterance.response?.id ?? utterance);
  }

  /** What was on its way to the caller when they interrupted, and is told of as heard no more, was not heard. */
  #settleUnheard(): void {
    const onTheirWay = [...this.#spoken];
    const settle = () => {
      for (const [utterance, answer] of onTheirWay) {
        if (this.#spoken.get(utterance) === answer) this.#noteHeard(new SpeechHeardFrame(utterance, '', true, 0));
      }
    };
    setTimeout(settle, HEARD_LIMIT_MS).unref();
  }

  #nextId(): number {
    this.#utterances += 1;
    return this.#utterances;
  }

  #tell(error: ProviderError): void {
    this.broadcast(() => new ErrorFrame(error, false, this.name));
  }
}
