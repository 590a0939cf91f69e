import type { TranscriptionModel } from 'ai';
import type { VendorSettings } from './ai-ear-vendors.js';
import type { AudioFormat } from './stt-dialect.js';

/** The contract that its package was written for, as the `ai` package states it: when it changes, this file does not compile. */
export type StreamingEarModel = Extract<TranscriptionModel, { specificationVersion: 'v4' }> & {
  doStream: NonNullable<Extract<TranscriptionModel, { specificationVersion: 'v4' }>['doStream']>;
};

type StreamOptions = Parameters<StreamingEarModel['doStream']>[0];
type StreamPart =
  Awaited<ReturnType<StreamingEarModel['doStream']>>['stream'] extends ReadableStream<infer Part> ? Part : never;

/** What comes back of a {@link TranscriptStream}. Nothing is told any more after `ended` and `failed`, and once it was cancelled. */
export interface TranscriptListener {
  /** The vendor is there. */
  opened(): void;
  /** What the audio since the last final words seems to hold. */
  interim(text: string): void;
  /** @param endMs where in the audio of this stream the words end, in milliseconds, where that is told */
  final(text: string, endMs?: number): void;
  /** All audio has been written down: only after {@link TranscriptStream.end}, unless the vendor ends it. */
  ended(): void;
  failed(error: unknown): void;
}

/** One stream of audio to a transcription model, and of words back. */
export class TranscriptStream {
  readonly #abort = new AbortController();
  #audio: ReadableStreamDefaultController<Uint8Array> | undefined;
  #isEnded = false;
  #hasOpened = false;
  /** Words of the present segment, from pieces that are told one by one. */
  #pieces = '';
  #segment: string | undefined;

  constructor(
    model: StreamingEarModel,
    format: StreamOptions['inputAudioFormat'],
    providerOptions: Readonly<Record<string, VendorSettings>>,
    private readonly listener: TranscriptListener,
  ) {
    const audio = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#audio = controller;
        },
      },
      new ByteLengthQueuingStrategy({ highWaterMark: 0 }),
    );
    const options: StreamOptions = {
      audio,
      inputAudioFormat: format,
      providerOptions: providerOptions as never,
      abortSignal: this.#abort.signal,
    };
    this.#read(model, options).catch((error: unknown) => {
      if (!this.#abort.signal.aborted) listener.failed(error);
    });
  }

  /** What waits to be sent, in bytes. */
  get unsentBytes(): number {
    return Math.max(0, -(this.#audio?.desiredSize ?? 0));
  }

  write(audio: Uint8Array): void {
    if (!this.#isEnded && !this.#abort.signal.aborted) this.#audio?.enqueue(audio);
  }

  /** No more audio follows: the vendor gives its final words. */
  end(): void {
    if (this.#isEnded || this.#abort.signal.aborted) return;
    this.#isEnded = true;
    this.#audio?.close();
  }

  /** Nothing more is wanted. May be called twice. */
  cancel(): void {
    this.#abort.abort(new Error('the words are not wanted any more'));
  }

  async #read(model: StreamingEarModel, options: StreamOptions): Promise<void> {
    const { stream } = await model.doStream(options);
    const reader = stream.getReader();
    this.#abort.signal.addEventListener('abort', () => void reader.cancel().catch(() => {}), { once: true });
    if (this.#abort.signal.aborted) await reader.cancel().catch(() => {});
    for (;;) {
      const { done, value } = await reader.read();
      if (this.#abort.signal.aborted) return;
      if (done) throw new Error('the connection broke');
      this.#open();
      if (this.#tell(value)) return;
    }
  }

  #open(): void {
    if (this.#hasOpened) return;
    this.#hasOpened = true;
    this.listener.opened();
  }

  /** @returns whether that was all */
  #tell(part: StreamPart): boolean {
    switch (part.type) {
      case 'transcript-delta':
        if (part.id !== this.#segment) this.#pieces = '';
        this.#segment = part.id;
        this.#pieces += part.delta;
        this.listener.interim(this.#pieces.trim());
        return false;
      case 'transcript-partial':
        this.listener.interim(part.text.trim());
        return false;
      case 'transcript-final':
        this.#pieces = '';
        this.listener.final(part.text.trim(), part.endSecond === undefined ? undefined : part.endSecond * 1_000);
        return false;
      case 'error':
        throw part.error;
      case 'finish':
        this.listener.ended();
        return true;
      default:
        return false;
    }
  }
}

/** Of the `ai` package: `audio/pcmu`, or 16 bits with the low byte first. */
export function mediaFormat({ encoding, sampleRate }: AudioFormat): StreamOptions['inputAudioFormat'] {
  return { type: encoding === 'PCMU' ? 'audio/pcmu' : 'audio/pcm', rate: sampleRate };
}
