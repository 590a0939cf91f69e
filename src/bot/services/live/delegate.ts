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

/** The language model that a model which takes its turns itself hands work to: a model service on a pipeline of its own. */
export class Delegate {
  readonly #head: End;
  #context: LLMContext | undefined;
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

  /** @returns what it wants said; empty when there is nothing to say */
  async ask(context: LLMContext, turn: Turn): Promise<string> {
    this.#context = context;
    this.#text = '';
    const mark = new FlushMarkerFrame();
    this.#head.emit(new LLMContextFrame(context, turn));
    this.#head.emit(mark);
    await mark.passed.promise;
    return this.#text.trim();
  }

  interrupt(): void {
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
    if (frame instanceof FlushMarkerFrame) frame.passed.resolve();
    else if (frame instanceof LLMTextFrame) this.#text += frame.text;
    else if (frame instanceof LLMResponseStartFrame) this.#text = '';
    else if (frame instanceof LLMResponseEndFrame) {
      // the caller does not hear it: what the session makes of it is said, and stands in the context
      this.#context?.heard({ id: 0, response: frame.response, appendToContext: true }, '', false);
    } else if (!(frame instanceof StartFrame || frame instanceof InterruptionFrame))
      this.deps.push(frame, 'downstream');
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
