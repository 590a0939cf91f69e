import { settlesWithin, unlessAborted } from '../../../base/async/deadline.js';
import { type Deferred, deferred } from '../../../base/async/deferred.js';
import type { ProviderError } from '../../../base/provider-error.js';
import {
  HoldConversationFrame,
  RestartConversationFrame,
  StopConversationFrame,
} from '../../conversation/conversation-frames.js';
import type { LLMContext } from '../../conversation/llm-context.js';
import { LLMContextFrame } from '../../conversation/llm-context-frame.js';
import {
  CancelFrame,
  EndFrame,
  ErrorFrame,
  type Frame,
  type FrameDirection,
  InterruptionFrame,
  SpeechHeardFrame,
  StartFrame,
  TTSSpeakFrame,
  Turn,
  UserStartedSpeakingFrame,
  type Utterance,
} from '../../pipeline/frames/index.js';
import { FrameProcessor } from '../../pipeline/index.js';
import { END_WAIT_MS } from '../llm/function-runner.js';
import { noteBeginning } from '../llm/turn-notes.js';
import { CallerItems, type CallerItemsListener } from './caller-items.js';
import { ContinuousFloor, type FloorListener } from './continuous-floor.js';
import { ContinuousMouth, type SpeechPlace } from './continuous-mouth.js';
import { ContinuousSession } from './continuous-session.js';
import { Delegate } from './delegate.js';
import { LiveNotes } from './live-notes.js';
import type { ResolvedLiveOptions } from './live-options.js';
import type { LiveScene, LiveSpeaker } from './live-service.js';
import { UnsaidTexts } from './unsaid-texts.js';

/** The work that a delegate is given tells nothing of what the caller wants: their words are waited for, in milliseconds. */
const WORDS_MS = 1_500;

/** What the bot wants said. */
interface Wanted {
  readonly frame: TTSSpeakFrame;
  readonly over: Deferred<void>;
  utterance?: Utterance | undefined;
  isSaid: boolean;
}

/** A session whose model speaks and listens all the time, behind the conversation: follows the turns that the model takes. */
export class ContinuousSpeaker extends FrameProcessor implements LiveSpeaker {
  readonly #notes: LiveNotes;
  readonly #items: CallerItems;
  readonly #delegate: Delegate | undefined;
  readonly #mouth: ContinuousMouth;
  /** What of the conversation the session knows. */
  readonly #known = new Set<object | number>();
  readonly #unsaid = new UnsaidTexts();
  #session: ContinuousSession | undefined;
  #context: LLMContext | undefined;
  readonly #floor: ContinuousFloor;
  /** What the bot wants said, and the session has not begun to say. */
  #saying: Wanted | undefined;
  #item = 0;
  #utterances = 0;
  #isOver = false;

  constructor(
    private readonly options: ResolvedLiveOptions,
    private readonly scene: LiveScene,
    words: CallerItemsListener & FloorListener,
  ) {
    super();
    this.#mouth = new ContinuousMouth(
      {
        push: (frame) => this.push(frame),
        begins: () => {
          if (!this.#saying && !this.#floor.take()) this.#mouth.drop();
        },
        place: (isLate) => this.#place(isLate),
        finished: () => this.#floor.turn?.spoke(),
      },
      options.answerTimeoutMs,
    );
    this.#floor = new ContinuousFloor(words, () => this.functionsUnderWay(), options.answerTimeoutMs);
    this.#notes = new LiveNotes(options.model, () => this.timeline);
    this.#items = new CallerItems(true, words);
    const push = (frame: Frame, direction: FrameDirection) => this.#pushOwn(frame, direction);
    this.#delegate = scene.delegate && new Delegate(scene.delegate, { push, again: () => void this.#work(null) });
  }

  /** Undefined before the pipeline has started. */
  get session(): ContinuousSession | undefined {
    return this.#session;
  }

  functionsUnderWay(): Promise<void> | undefined {
    return this.#delegate?.functionsUnderWay();
  }

  /** The pipeline starts. @param sampleRate of the caller's audio, in hertz */
  begin(sampleRate: number): void {
    this.#session = new ContinuousSession(this.options, sampleRate, {
      audio: (pcm) => this.#mouth.hear(pcm, this.#sampleRate),
      words: (of, ...words) => (of === 'user' ? this.#hearCaller(words[0]) : this.#mouth.read(...words)),
      delegated: (id) => void this.#work(id),
      renewed: () => this.#onRenewed(),
      troubled: (error) => this.#troubled(error),
      unknown: (kind) => this.#notes.unknown(kind),
      used: (usage) => this.#notes.used(usage),
    });
    if (this.#context) this.#session.introduce(this.#context);
  }

  introduce(context: LLMContext): void {
    this.#context = context;
    this.#session?.introduce(context);
  }

  override receive(frame: Frame, direction: FrameDirection): void {
    if (direction === 'downstream' && frame instanceof TTSSpeakFrame && !this.scene.hasVoice) this.#unsaid.add(frame);
    super.receive(frame, direction);
  }

  override process(frame: Frame, direction: FrameDirection): void | Promise<void> {
    if (frame instanceof LLMContextFrame) return this.#takeTurn(frame);
    if (frame instanceof TTSSpeakFrame && !this.scene.hasVoice) return this.#speak(frame);
    if (frame instanceof EndFrame) return this.#end(frame);
    this.#pass(frame, direction);
  }

  override cleanup(): void {
    this.#close();
  }

  /** The call ends when functions have returned, and the model has said what it was given. */
  async #end(frame: EndFrame): Promise<void> {
    await this.functionsUnderWay();
    await settlesWithin(this.#mouth.said(), END_WAIT_MS);
    this.#pass(frame, 'downstream');
  }

  #pass(frame: Frame, direction: FrameDirection): void {
    if (frame instanceof UserStartedSpeakingFrame) this.#callerBegins();
    else if (frame instanceof SpeechHeardFrame) this.#noteHeard(frame);
    else if (frame instanceof InterruptionFrame) this.#interrupted();
    else if (frame instanceof HoldConversationFrame || frame instanceof StopConversationFrame)
      this.#floor.isHeld = true;
    else if (frame instanceof RestartConversationFrame) this.#floor.isHeld = false;
    else if (frame instanceof StartFrame) {
      this.#delegate?.start(frame);
      this.#notes.service();
    }
    this.push(frame, direction);
    if (frame instanceof EndFrame || frame instanceof CancelFrame) this.#close();
  }

  #close(): void {
    this.#isOver = true;
    this.#items.settle();
    this.#unsaid.settleAll();
    this.#floor.turn?.end();
    this.#delegate?.close();
    this.#session?.close();
  }

  /** A turn is what the model says next; it has no answer when the model says nothing. */
  async #takeTurn({ context, turn }: LLMContextFrame): Promise<void> {
    const { signal } = this;
    this.introduce(context);
    if (this.#isOver) return;
    noteBeginning(turn, this.timeline);
    turn.mark('modelRequested');
    turn.mark('speechRequested');
    if (context.parts.some(({ key }) => key === turn)) {
      this.#known.add(turn);
      this.#items.answer(turn);
      this.#settleWords();
    }
    this.#tellNews(context);
    const current = this.#floor.begin(turn);
    if (this.#mouth.isSpeaking) current.begins();
    else this.#mouth.settle(this.#sampleRate);
    await unlessAborted(current.over, signal).catch(() => {});
    this.#settleWords();
    this.#floor.end(current);
  }

  /** What the session does not know of the conversation: what it has been told, and the caller has sent in writing. */
  #tellNews({ parts }: LLMContext): void {
    for (const { key, messages } of parts) {
      if (this.#known.has(key)) continue;
      if (messages.length > 0) this.#known.add(key);
      for (const message of messages) {
        if (message.role === 'system') this.#session?.append('instructions', message.content);
        else if (message.role === 'user')
          this.#session?.append('instructions', `The caller, in writing: ${message.content}`);
        else if (message.role === 'assistant' && message.content)
          this.#session?.append('thinking', `You have said: ${message.content}`);
      }
    }
  }

  /** Has the session say a text. */
  async #speak(frame: TTSSpeakFrame): Promise<void> {
    const { signal } = this;
    await unlessAborted(this.#mouth.silent, signal).catch(() => {});
    const over = deferred();
    const saying: Wanted = { frame, over, isSaid: frame.text.trim() === '' };
    if (!saying.isSaid && !signal.aborted && !this.#isOver) {
      this.#saying = saying;
      this.#session?.append('commentary', frame.text);
      const limit = setTimeout(() => this.#mouth.isSpeaking || over.resolve(), this.options.answerTimeoutMs);
      await unlessAborted(over.promise, signal).catch(() => {});
      clearTimeout(limit);
      if (this.#saying === saying) this.#saying = undefined;
    }
    if (saying.isSaid || signal.aborted || !this.#handOn(frame, saying.utterance)) this.#unsaid.settle(frame);
  }

  /** A cascade says what the session does not, where one stands by. @returns whether it does */
  #handOn(frame: TTSSpeakFrame, utterance?: Utterance): boolean {
    if (!this.#isOver || !this.options.isReplaceable) return false;
    this.push(this.#unsaid.handOn(frame, utterance));
    return true;
  }

  /** What the model says belongs to the turn, or is what the bot wants said; or it speaks of its own accord. */
  #place(isLate: boolean): SpeechPlace | undefined {
    const current = this.#floor.turn;
    const saying = current ? undefined : this.#saying;
    if (!current && !saying && (!isLate || this.#floor.isChanging)) return undefined;
    const context = this.#context;
    const response = current && context?.beginResponse(current.turn);
    this.#utterances += 1;
    const utterance = { id: this.#utterances, response, appendToContext: saying?.frame.appendToContext ?? true };
    this.#known.add(response?.id ?? utterance);
    current?.begins();
    if (saying) saying.utterance = utterance;
    return {
      utterance,
      ...(response && {
        wrote: (text: string) => context?.addText(response, text),
        cut: (text: string) => context?.cutText(response, text),
      }),
      over: (isWhole) => {
        if (response && isWhole) context?.finishResponse(response);
        if (saying) saying.isSaid = !this.#isOver;
        saying?.over.resolve();
      },
    };
  }

  #hearCaller(delta: string): void {
    this.#items.addInterim(String(this.#item), delta);
    this.#floor.turn?.knowsWords();
  }

  #callerBegins(): void {
    this.#settleWords();
    this.#items.begin();
    this.#floor.turn?.overtaken(this.#mouth.isSpeaking || this.#saying !== undefined);
  }

  /** The words of a turn that is answered are all there. */
  #settleWords(): void {
    this.#items.settle();
    this.#item += 1;
  }

  /** The model hands work over: the delegate is asked, and the model says what has come of it. */
  async #work(id: string | null): Promise<void> {
    const context = this.#context;
    if (!this.#delegate || !context || this.#floor.isHeld) {
      this.#session?.append('commentary', 'That cannot be done here.', id);
      return;
    }
    const { signal } = this;
    await this.#floor.takeForWork();
    if (signal.aborted || this.#isOver) return;
    const current = this.#floor.works();
    if (current) await unlessAborted(current.wordsWithin(WORDS_MS, context), signal).catch(() => {});
    this.#settleWords();
    const says = (text: string) => {
      if (!signal.aborted) this.#give(text, id);
    };
    await unlessAborted(this.#delegate.ask(context, current?.turn ?? new Turn(0), says), signal).catch(() => {});
    for (const { key, messages } of context.parts)
      if (messages.some(({ role }) => role === 'tool')) this.#known.add(key);
    if (signal.aborted || this.#isOver) return;
    this.#floor.worked(this.#mouth.isToSpeak, this.#mouth.isSpeaking);
  }

  /** Gives the model something to say. @param id the work that it answers */
  #give(text: string, id: string | null = null): void {
    if (this.#isOver) return;
    this.#mouth.give();
    this.#session?.append('commentary', text, id);
  }

  #interrupted(): void {
    this.#mouth.drop();
    this.#floor.drop();
    this.#delegate?.interrupt();
    this.#unsaid.settleAll();
  }

  #noteHeard({ utterance, text, wasInterrupted }: SpeechHeardFrame): void {
    if (!wasInterrupted || !this.#known.has(utterance.response?.id ?? utterance)) return;
    const heard = text ? `only this of it: ${text}` : 'nothing of it';
    this.#session?.append('instructions', `Stop what you are saying. The caller has heard ${heard}`);
  }

  /** Nothing more comes of the session before: another one knows what the conversation shows. */
  #onRenewed(): void {
    for (const { key, messages } of this.#context?.parts ?? []) if (messages.length > 0) this.#known.add(key);
    this.#mouth.renew();
  }

  #troubled(error: ProviderError): void {
    if (error.isFinal) {
      this.#isOver = true;
      this.#mouth.renew();
      this.#settleWords();
    }
    this.broadcast(() => new ErrorFrame(error, false, this.name));
    if (!error.isFinal) return;
    this.#floor.turn?.end();
    this.#saying?.over.resolve();
  }

  /** What functions want said does not wait for the turn that waits for them. */
  #pushOwn(frame: Frame, direction: FrameDirection): void {
    if (frame instanceof TTSSpeakFrame && !this.scene.hasVoice) {
      if (this.#handOn(frame)) return;
      this.#unsaid.add(frame);
      if (frame.text.trim() !== '') this.#give(frame.text);
      void this.#mouth
        .said()
        .then((isSaid) => (isSaid || !this.#handOn(frame) ? this.#unsaid.settle(frame) : undefined));
    } else if (frame instanceof TTSSpeakFrame) {
      const { signal } = this; // the voice follows the model, which may not have begun to say what it was given
      void this.#mouth.said().then(() => signal.aborted || this.push(frame, direction));
    } else if (frame instanceof EndFrame) void this.#end(frame);
    else this.push(frame, direction);
  }

  get #sampleRate(): number {
    return this.#session?.format.sampleRate ?? 8_000;
  }
}
