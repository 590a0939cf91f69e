import { FlushMarkerFrame } from '../../conversation/conversation-frames.js';
import type { LLMContext } from '../../conversation/llm-context.js';
import { LLMContextFrame } from '../../conversation/llm-context-frame.js';
import {
  type Frame,
  type FrameDirection,
  InterruptionFrame,
  LLMResponseEndFrame,
  LLMResponseStartFrame,
  LLMRunFrame,
  LLMTextFrame,
  StartFrame,
  type Turn,
} from '../../pipeline/frames/index.js';
import { FrameProcessor } from '../../pipeline/index.js';
import type { LLMService } from '../llm/index.js';

/** What the delegate needs of the processor that it works for. */
export interface DelegateDeps {
  push(frame: Frame, direction: FrameDirection): void;
  /** Functions that an interruption has not stopped have returned: the delegate is to be asked once more. */
  again(): void;
}

/** What is asked of the delegate. */
interface DelegateTask {
  readonly context: LLMContext;
  readonly mark: FlushMarkerFrame;
  says(text: string): void;
}

/** The language model that a model which takes its turns itself hands work to: a model service on a pipeline of its own. */
export class Delegate {
  readonly #head: End;
  /** The first is being answered. */
  #questions: DelegateTask[] = [];
  #text = '';

  constructor(
    private readonly llm: LLMService,
    private readonly deps: DelegateDeps,
  ) {
    this.#head = new End((frame) => this.#goesUp(frame));
    this.#head.link(llm);
    llm.link(new End((frame) => this.#comesOut(frame)));
  }

  functionsUnderWay(): Promise<void> | undefined {
    return this.llm.functionsUnderWay();
  }

  start({ audioInSampleRate, audioOutSampleRate, timeline, standIns }: StartFrame): void {
    const frame = new StartFrame(audioInSampleRate, audioOutSampleRate);
    frame.timeline = timeline;
    frame.standIns = standIns;
    this.#head.emit(frame);
  }

  /** Resolves when it has answered, functions included. @param says what it wants said, before the functions of the same answer run */
  async ask(context: LLMContext, turn: Turn, says: (text: string) => void): Promise<void> {
    const mark = new FlushMarkerFrame();
    this.#questions.push({ context, mark, says });
    this.#head.emit(new LLMContextFrame(context, turn));
    this.#head.emit(mark);
    await mark.passed.promise;
  }

  interrupt(): void {
    this.#questions = [];
    this.#head.emit(new InterruptionFrame());
  }

  close(): void {
    this.llm.cleanup();
  }

  #goesUp(frame: Frame): void {
    if (frame instanceof LLMRunFrame) this.deps.again();
    else if (!(frame instanceof InterruptionFrame)) this.deps.push(frame, 'upstream');
  }

  #comesOut(frame: Frame): void {
    if (frame instanceof FlushMarkerFrame) this.#answered(frame);
    else if (frame instanceof LLMTextFrame) this.#text += frame.text;
    else if (frame instanceof LLMResponseStartFrame) this.#text = '';
    else if (frame instanceof LLMResponseEndFrame) {
      const [question] = this.#questions;
      // the caller does not hear it: what the session makes of it is said, and stands in the context
      question?.context.heard({ id: 0, response: frame.response, appendToContext: true }, '', false);
      const text = this.#text.trim();
      if (text !== '') question?.says(text);
    } else if (!(frame instanceof StartFrame || frame instanceof InterruptionFrame))
      this.deps.push(frame, 'downstream');
  }

  #answered(frame: FlushMarkerFrame): void {
    this.#questions = this.#questions.filter(({ mark }) => mark !== frame);
    frame.passed.resolve();
  }
}

/** An end of the delegate's pipeline. */
class End extends FrameProcessor {
  constructor(private readonly see: (frame: Frame) => void) {
    super();
  }

  override process(frame: Frame): void {
    this.see(frame);
  }

  emit(frame: Frame): void {
    this.push(frame);
  }
}
