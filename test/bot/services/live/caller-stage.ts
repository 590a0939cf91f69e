import type { ProviderError } from '../../../../src/base/provider-error.js';
import { Conversation, type ConversationOptions } from '../../../../src/bot/conversation/conversation.js';
import {
  CallerJoinedFrame,
  CancelFrame,
  ErrorFrame,
  type Frame,
  InputAudioFrame,
  StartFrame,
} from '../../../../src/bot/pipeline/frames/index.js';
import { FrameProcessor } from '../../../../src/bot/pipeline/index.js';
import { sharedHealth } from '../../../../src/bot/services/service-health.js';
import { SpeechOutput } from '../../../../src/bot/transports/speech-output.js';
import { buzz } from '../../../../src/lab/kit/index.js';
import { SILENT_WIRE } from '../../transports/silent-wire.js';

export const RATE = 8_000;

/** An end of the pipeline. */
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

/** A conversation with a real output, and a caller whose sound goes on in real time; all that is asked stands on loopback. */
export abstract class CallerStage implements AsyncDisposable {
  readonly conversation: Conversation;
  readonly errors: ProviderError[] = [];
  /** What the conversation has told, in order. */
  readonly told: string[] = [];
  readonly clears: number[] = [];
  hungUp: string | undefined;
  readonly #head = new End((frame) => this.#seeUpstream(frame));
  #processors: readonly FrameProcessor[] = [];
  #clock: NodeJS.Timeout | undefined;
  readonly #waiting = new Set<() => void>();
  #speech: Int16Array = new Int16Array(0);
  #frames = 0;
  readonly #startedAt = performance.now();

  protected constructor(
    options: ConversationOptions,
    private readonly farEnds: readonly AsyncDisposable[],
  ) {
    this.conversation = new Conversation({
      detector: () => ({ isSpeech: (pcm) => pcm.some((sample) => sample !== 0) }),
      log: () => {},
      ...options,
    });
    this.conversation.on('caller_said', (text) => this.told.push(`caller: ${text}`));
    this.conversation.on('bot_said', (text, wasCut) => this.told.push(`bot: ${text}${wasCut ? ' -' : ''}`));
  }

  /** The caller is sent the next 20 ms of sound. */
  protected abstract noteSound(pcm: Int16Array): void;

  /** A frame has come through the whole pipeline. */
  protected see(_frame: Frame): void {}

  /** The call begins. @param behind what stands between the conversation and the output */
  protected begin(ears: readonly FrameProcessor[], behind: readonly FrameProcessor[]): void {
    const wire = {
      ...SILENT_WIRE,
      isOpen: () => true,
      sendAudio: (pcm: Int16Array) => this.noteSound(pcm),
      sendClear: () => void this.clears.push(performance.now()),
    };
    const hangUp = async (reason = 'ended') => {
      this.hungUp = reason;
    };
    const output = new SpeechOutput(wire, true, { hangUp, released() {} });
    const tail = new End((frame) => this.#seeDownstream(frame));
    const { conversation } = this;
    this.#processors = [this.#head, ...ears, conversation.user(), ...behind, output, conversation.assistant(), tail];
    this.#processors.reduce((previous, next) => {
      previous.link(next);
      return next;
    });
    this.emit(new StartFrame(RATE, RATE));
    this.#clock = setInterval(() => this.#tick(), 10);
  }

  join(): void {
    this.emit(new CallerJoinedFrame());
  }

  /** The caller speaks for so long, from now on. */
  speak(ms: number): void {
    this.#speech = buzz(ms, RATE);
  }

  emit(frame: Frame): void {
    this.#head.emit(frame);
  }

  /** Resolves when something is so; looked at whenever anything happens. */
  async until(isSo: () => unknown, what: string, limitMs = 20_000): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const about = () => `told: ${this.told.join(' | ')}; errors: ${this.errors.join(' | ')}; ended: ${this.hungUp}`;
      const limit = setTimeout(() => {
        this.#waiting.delete(check);
        reject(new Error(`not within ${limitMs} ms: ${what}; ${about()}`));
      }, limitMs);
      const check = () => {
        if (!isSo()) return;
        clearTimeout(limit);
        this.#waiting.delete(check);
        resolve();
      };
      this.#waiting.add(check);
      check();
    });
  }

  async says(text: string): Promise<void> {
    const isSaid = () => this.told.some((line) => line.startsWith('bot: ') && line.includes(text));
    await this.until(isSaid, `the bot says ${text}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#clock);
    this.emit(new CancelFrame('call_ended'));
    await Promise.all(this.#processors.map(async (processor) => processor.cleanup()));
    for (const failing of sharedHealth.failing) sharedHealth.works(failing);
    for (const farEnd of this.farEnds) await farEnd[Symbol.asyncDispose]();
  }

  /** As much of the caller's sound as time has passed. */
  #tick(): void {
    while (this.#frames * 20 <= performance.now() - this.#startedAt) {
      this.#frames += 1;
      const pcm = new Int16Array(160);
      pcm.set(this.#speech.subarray(0, 160));
      this.#speech = this.#speech.subarray(160);
      this.emit(new InputAudioFrame(pcm, RATE));
    }
    this.#check();
  }

  #seeUpstream(frame: Frame): void {
    if (frame instanceof ErrorFrame) this.errors.push(frame.error as ProviderError);
    this.#check();
  }

  #seeDownstream(frame: Frame): void {
    this.see(frame);
    this.#check();
  }

  #check(): void {
    for (const check of this.#waiting) check();
  }
}
