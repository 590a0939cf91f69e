import { aiFailure } from '../ai-failure.js';
import { withOurSockets } from '../ai-web-socket.js';
import { PackageSocket } from '../link-socket.js';
import type { VendorAccount } from '../vendor.js';
import type { VendorSettings } from './ai-ear-vendors.js';
import type { AudioFormat, SttResult } from './stt-dialect.js';
import { mediaFormat, type StreamingEarModel, TranscriptStream } from './transcript-stream.js';
import { UtteranceCutter } from './utterance-cutter.js';

/** Longest wait for the final words of an utterance that has ended, in milliseconds. */
const FINAL_LIMIT_MS = 5_000;

export interface AiEarSocketOptions {
  readonly model: StreamingEarModel;
  readonly account: VendorAccount;
  readonly format: AudioFormat;
  readonly settings: Readonly<Record<string, VendorSettings>>;
  /** Silence after which an utterance ends, in milliseconds, for a vendor that is told so; undefined for one that finds out. */
  readonly endsAfterMs: number | undefined;
  /** Longest wait for the vendor to accept the first stream, in milliseconds. */
  readonly limitMs: number | undefined;
}

/** One utterance, or all audio for a vendor that ends utterances itself. */
interface Stretch {
  readonly stream: TranscriptStream;
  /** Where it ended in the audio of this connection, in milliseconds, once it did. */
  endMs?: number;
  text: string;
  isOver: boolean;
  timer?: NodeJS.Timeout;
}

/**
 * A transcription model of the `ai` package in the shape of a WebSocket: takes audio, and gives each {@link SttResult} as JSON.
 * Streams are opened before they are needed: the next utterance has one when it begins.
 */
export class AiEarSocket extends PackageSocket {
  readonly #cutter: UtteranceCutter | undefined;
  /** Oldest first: those that have ended and whose final words are awaited, and the one that takes audio. */
  #stretches: Stretch[] = [];
  #hasOpened = false;

  /**
   * Resolves when the vendor takes audio.
   * @throws ProviderError when it does not
   */
  static async connect(
    options: AiEarSocketOptions,
    signal: AbortSignal | undefined,
    attach: (socket: AiEarSocket) => void,
  ): Promise<AiEarSocket> {
    const socket = new AiEarSocket(options);
    attach(socket);
    const abort = () => socket.terminate();
    const limit = setTimeout(() => socket.#failed(new Error('does not answer')), options.limitMs ?? 4_000);
    signal?.addEventListener('abort', abort, { once: true });
    try {
      await new Promise<void>((resolve, reject) => {
        socket.once('open', resolve);
        socket.#refused = reject;
        if (signal?.aborted) abort();
        else socket.#begin();
      });
      return socket;
    } finally {
      clearTimeout(limit);
      signal?.removeEventListener('abort', abort);
    }
  }

  #refused: (error: Error) => void = () => {};

  private constructor(private readonly options: AiEarSocketOptions) {
    super();
    const { format, endsAfterMs } = options;
    if (endsAfterMs !== undefined) {
      this.#cutter = new UtteranceCutter(format.sampleRate, endsAfterMs, {
        audio: (bytes) => this.#stretches.at(-1)?.stream.write(bytes),
        ended: (atMs) => this.#endStretch(atMs),
      });
    }
  }

  override get bufferedAmount(): number {
    return this.#stretches.reduce((sum, { stream }) => sum + stream.unsentBytes, 0);
  }

  override send(audio: string | Uint8Array): void {
    if (this.isClosed || typeof audio === 'string') return;
    if (this.#cutter) this.#cutter.take(audio);
    else this.#stretches.at(-1)?.stream.write(audio);
  }

  protected override release(): void {
    for (const { stream, timer } of this.#stretches.splice(0)) {
      clearTimeout(timer);
      stream.cancel();
    }
    this.#refused(new Error('closed'));
  }

  #begin(): void {
    const { account, format, settings, limitMs } = this.options;
    const opened = withOurSockets(this.options.model, account, limitMs);
    const stretch: Stretch = {
      text: '',
      isOver: false,
      stream: new TranscriptStream(opened.model, mediaFormat(format), settings, {
        opened: () => this.#open(),
        interim: (text) => this.#tell({ type: 'interim', text }),
        final: (text, endMs) => this.#final(stretch, text, endMs),
        ended: () => this.#over(stretch),
        failed: (error) => this.#failed(opened.refusal ?? error),
      }),
    };
    this.#stretches.push(stretch);
  }

  #open(): void {
    if (this.#hasOpened || this.isClosed) return;
    this.#hasOpened = true;
    this.emit('open');
  }

  #endStretch(atMs: number): void {
    const stretch = this.#stretches.at(-1);
    if (!stretch) return;
    stretch.endMs = atMs;
    stretch.timer = setTimeout(
      () => this.#failed(new Error('the final words of an utterance did not come')),
      FINAL_LIMIT_MS,
    );
    stretch.stream.end();
    this.#begin();
  }

  #final(stretch: Stretch, text: string, endMs: number | undefined): void {
    if (this.#cutter) stretch.text = [stretch.text, text].filter(Boolean).join(' ');
    else this.#tell({ type: 'final', text, endsUtterance: true, untilMs: endMs });
  }

  /** Its final words are told when those of the utterances before it have been. */
  #over(stretch: Stretch): void {
    if (stretch.endMs === undefined) {
      this.#failed(new Error('the vendor has ended the stream'));
      return;
    }
    clearTimeout(stretch.timer);
    stretch.isOver = true;
    while (this.#stretches[0]?.isOver) {
      const { text, endMs } = this.#stretches.shift() as Stretch;
      this.#tell({ type: 'final', text, endsUtterance: true, untilMs: endMs });
    }
  }

  #tell(result: SttResult): void {
    if (!this.isClosed) this.emit('message', Buffer.from(JSON.stringify(result)), false);
  }

  #failed(error: unknown): void {
    const { model, account } = this.options;
    const failure = aiFailure(model, account, error);
    this.#refused(failure);
    this.fail(failure);
  }
}
