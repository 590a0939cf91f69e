import type { ProviderError } from '../../../../src/base/provider-error.js';
import {
  EndFrame,
  ErrorFrame,
  type Frame,
  InterruptionFrame,
  LLMResponseEndFrame,
  LLMResponseStartFrame,
  LLMTextFrame,
  type ModelResponse,
  OutputAudioFrame,
  StartFrame,
  TTSSpeakFrame,
  TTSStoppedFrame,
  TTSTextFrame,
  TTSTimingFrame,
  Turn,
} from '../../../../src/bot/pipeline/frames/index.js';
import type { FrameProcessor } from '../../../../src/bot/pipeline/index.js';
import type { CallTimeline } from '../../../../src/call/timeline.js';
import { Recorder } from '../../pipeline/recorder.js';

let responses = 0;

export function answerOf(turn = new Turn(1)): ModelResponse {
  responses += 1;
  return { id: responses, turn };
}

/** A voice between two recorders. */
export class Speaking implements Disposable {
  readonly before = new Recorder();
  readonly after = new Recorder();

  constructor(
    readonly tts: FrameProcessor,
    readonly sampleRate = 8_000,
    timeline?: CallTimeline,
  ) {
    this.before.link(tts);
    tts.link(this.after);
    const start = new StartFrame(sampleRate, sampleRate);
    start.timeline = timeline;
    this.before.receive(start, 'downstream');
  }

  queue(...frames: Frame[]): void {
    for (const frame of frames) this.before.receive(frame, 'downstream');
  }

  /** Has the model write an answer, all at once. */
  answer(...texts: string[]): ModelResponse {
    const response = answerOf();
    this.queue(new LLMResponseStartFrame(response));
    for (const text of texts) this.queue(new LLMTextFrame(response, text));
    this.queue(new LLMResponseEndFrame(response));
    return response;
  }

  /** Resolves when all that was queued before has been said. */
  async said(): Promise<void> {
    const end = new TTSSpeakFrame('');
    this.queue(end);
    await end.synthesised;
  }

  async speak(text: string): Promise<void> {
    const frame = new TTSSpeakFrame(text);
    this.queue(frame);
    await frame.synthesised;
  }

  interrupt(): void {
    this.queue(new InterruptionFrame());
  }

  end(): void {
    this.queue(new EndFrame());
  }

  get texts(): string[] {
    return this.after.of(TTSTextFrame).map(({ text }) => text);
  }

  /** All audio so far. */
  get audio(): Int16Array {
    return Int16Array.from(this.after.of(OutputAudioFrame).flatMap(({ pcm }) => [...pcm]));
  }

  get audioMs(): number {
    return this.after
      .of(OutputAudioFrame)
      .reduce((sum, { pcm, sampleRate }) => sum + (pcm.length * 1_000) / sampleRate, 0);
  }

  get words(): Array<{ text: string; startMs: number; endMs: number }> {
    return this.after.of(TTSTimingFrame).flatMap(({ words }) => [...words]);
  }

  get errors(): ProviderError[] {
    return this.after.of(ErrorFrame).map(({ error }) => error as ProviderError);
  }

  /** Kinds of frames of speech in their order, repetitions left out. */
  get order(): string[] {
    const kinds = this.after.seen
      .map(({ frame }) => frame)
      .filter((frame) => !(frame instanceof StartFrame || frame instanceof TTSTimingFrame))
      .map((frame) => (frame instanceof TTSTextFrame ? frame.text : frame.constructor.name.replace('Frame', '')));
    return kinds.filter((kind, index) => kind !== kinds[index - 1]);
  }

  get stops(): number {
    return this.after.of(TTSStoppedFrame).length;
  }

  [Symbol.dispose](): void {
    void this.tts.cleanup();
  }
}

/** Resolves when `condition` holds. */
export async function until(condition: () => boolean, what = 'the condition', withinMs = 5_000): Promise<void> {
  const limit = performance.now() + withinMs;
  while (!condition()) {
    if (performance.now() > limit) throw new Error(`${what} did not come true within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
