import { Conversation, type ConversationOptions } from '../../../src/bot/conversation/conversation.js';
import { LLMContextFrame } from '../../../src/bot/conversation/llm-context-frame.js';
import {
  CallerJoinedFrame,
  type Frame,
  type FrameDirection,
  InputAudioFrame,
  LLMResponseEndFrame,
  LLMResponseStartFrame,
  LLMTextFrame,
  OutputAudioFrame,
  StartFrame,
  TTSSpeakFrame,
  TTSStartedFrame,
  TTSStoppedFrame,
  TTSTextFrame,
  type Utterance,
} from '../../../src/bot/pipeline/frames/index.js';
import { FrameProcessor } from '../../../src/bot/pipeline/index.js';
import { SpeechOutput } from '../../../src/bot/transports/speech-output.js';
import { SILENT_WIRE } from '../transports/silent-wire.js';

const RATE = 8_000;
/** How long a character lasts in the voice's mouth, in milliseconds. */
export const CHARACTER_MS = 50;

/** What the model does when it is asked: gives its words, waits for them, or fails. */
export type Reply = string | Promise<string> | (() => string | Promise<string>);

/** A model that gives one reply after the other. */
class ScriptedModel extends FrameProcessor {
  readonly asked: LLMContextFrame[] = [];
  aborted = 0;

  constructor(readonly replies: Reply[]) {
    super();
  }

  override process(frame: Frame, direction: FrameDirection): void | Promise<void> {
    if (frame instanceof LLMContextFrame) return this.#answer(frame);
    this.push(frame, direction);
  }

  /** A frame from the middle of the pipeline. */
  emit(frame: Frame, direction: FrameDirection): void {
    this.push(frame, direction);
  }

  async #answer(frame: LLMContextFrame): Promise<void> {
    const { signal } = this;
    this.asked.push(frame);
    frame.turn.mark('modelRequested');
    const reply = this.replies.shift() ?? 'Yes.';
    const aborted = new Promise<undefined>((resolve) => signal.addEventListener('abort', () => resolve(undefined)));
    const text = await Promise.race([typeof reply === 'function' ? reply() : reply, aborted]);
    if (signal.aborted || text === undefined) {
      this.aborted += 1;
      return;
    }
    const response = frame.context.beginResponse(frame.turn);
    this.push(new LLMResponseStartFrame(response));
    frame.context.addText(response, text);
    this.push(new LLMTextFrame(response, text));
    frame.context.finishResponse(response);
    this.push(new LLMResponseEndFrame(response));
  }
}

/** Makes a sound of each text at once. */
class ScriptedVoice extends FrameProcessor {
  readonly said: string[] = [];

  override process(frame: Frame, direction: FrameDirection): void {
    if (frame instanceof LLMTextFrame)
      this.#say(frame.text, { id: this.said.length, response: frame.response, appendToContext: true });
    if (frame instanceof TTSSpeakFrame) {
      if (frame.text) this.#say(frame.text, { id: this.said.length, appendToContext: frame.appendToContext });
      frame.settle();
    } else this.push(frame, direction);
  }

  #say(text: string, utterance: Utterance): void {
    this.said.push(text);
    this.push(new TTSStartedFrame(utterance));
    this.push(new TTSTextFrame(utterance, text));
    this.push(new OutputAudioFrame(new Int16Array((text.length * CHARACTER_MS * RATE) / 1_000).fill(1_000), RATE));
    this.push(new TTSStoppedFrame(utterance));
  }
}

/** An end of the pipeline. */
export class End extends FrameProcessor {
  readonly frames: Frame[] = [];

  override process(frame: Frame): void {
    this.frames.push(frame);
  }

  emit(frame: Frame, direction: FrameDirection): void {
    this.push(frame, direction);
  }
}

/** A conversation with a scripted model, a scripted voice and a real output, on a clock that a test moves. */
export function setUpStage(replies: Reply[] = [], options: ConversationOptions = {}) {
  jest.useFakeTimers();
  const lines: string[] = [];
  const wire = { sent: [] as number[], clears: [] as number[], isOpen: true };
  const startedAt = performance.now();
  const now = () => Math.round(performance.now() - startedAt);
  const conversation = new Conversation({
    detector: () => ({ isSpeech: (pcm) => pcm[0] !== 0 }),
    log: (line) => lines.push(line),
    ...options,
  });
  const model = new ScriptedModel(replies);
  const voice = new ScriptedVoice();
  const call = { hungUp: [] as Array<string | undefined> };
  const output = new SpeechOutput(
    {
      ...SILENT_WIRE,
      isOpen: () => wire.isOpen,
      sendAudio: () => wire.sent.push(now()),
      sendClear: () => wire.clears.push(now()),
    },
    true,
    { hangUp: async (reason) => void call.hungUp.push(reason), released() {} },
  );
  const [head, tail] = [new End(), new End()];
  const all = [head, conversation.user(), model, voice, output, conversation.assistant(), tail];
  all.reduce((previous, next) => {
    previous.link(next);
    return next;
  });
  head.emit(new StartFrame(RATE, RATE), 'downstream');

  /** Lets `ms` pass, with the caller's audio in it. */
  async function pass(ms: number, isSpeech = false): Promise<void> {
    for (let at = 0; at < ms; at += 20) {
      head.emit(new InputAudioFrame(new Int16Array(160).fill(isSpeech ? 3_000 : 0), RATE), 'downstream');
      await jest.advanceTimersByTimeAsync(20);
    }
  }

  return {
    conversation,
    model,
    voice,
    wire,
    call,
    lines,
    head,
    tail,
    now,
    pass,
    /** Puts a frame in at the head. */
    queue: (frame: Frame) => head.emit(frame, 'downstream'),
    join: () => head.emit(new CallerJoinedFrame(), 'downstream'),
    /** Everything of a conversation but its task. */
    messages: () => conversation.context.messages,
  };
}

export type Stage = ReturnType<typeof setUpStage>;
