import type { ProviderError } from '../../../base/provider-error.js';
import { PackageSocket } from '../link-socket.js';
import type { TtsCodec, TtsEvent } from './tts-dialect.js';

/** Makes speech of a text: samples of the voice's rate, in order. Throws what it fails with. */
export type AskForSpeech = (text: string, signal: AbortSignal) => AsyncIterable<Int16Array>;

/** So many texts are asked for at once: the next one is ready when one has been spoken. */
const MOST_AT_ONCE = 2;

/** What the codec of an {@link AiVoiceSocket} sends it. */
type Order = { readonly say: string; readonly stream: string } | { readonly cancel: string };

interface Job {
  readonly text: string;
  readonly stream: string;
  readonly abort: AbortController;
  /** Audio that waits until the texts before it have been told. */
  waiting: Int16Array[];
  hasBegun: boolean;
  isDone: boolean;
  error?: unknown;
}

/** A speech model of the `ai` package in the shape of a WebSocket. Each text is asked for by itself. */
export class AiVoiceSocket extends PackageSocket {
  #jobs: Job[] = [];

  /** @param failed says what an error means */
  constructor(
    private readonly ask: AskForSpeech,
    private readonly failed: (thrown: unknown) => ProviderError,
  ) {
    super();
  }

  override get bufferedAmount(): number {
    return 0;
  }

  override send(message: string | Uint8Array): void {
    const order = JSON.parse(String(message)) as Order;
    if ('cancel' in order) {
      this.#drop(({ stream }) => stream === order.cancel);
      return;
    }
    const { say: text, stream } = order;
    this.#jobs.push({ text, stream, abort: new AbortController(), waiting: [], hasBegun: false, isDone: false });
    this.#next();
  }

  protected override release(): void {
    this.#drop(() => true);
  }

  #drop(isMeant: (job: Job) => boolean): void {
    for (const job of this.#jobs.filter(isMeant)) job.abort.abort();
    this.#jobs = this.#jobs.filter((job) => !isMeant(job));
    if (!this.isClosed) this.#next();
  }

  #next(): void {
    for (const job of this.#jobs.slice(0, MOST_AT_ONCE)) {
      if (job.hasBegun) continue;
      job.hasBegun = true;
      this.#make(job)
        .catch((error: unknown) => {
          job.error = error ?? new Error('the answer broke off');
        })
        .then(() => {
          job.isDone = true;
          this.#tell();
        });
    }
  }

  async #make(job: Job): Promise<void> {
    for await (const pcm of this.ask(job.text, job.abort.signal)) {
      if (job.abort.signal.aborted) return;
      job.waiting.push(pcm);
      this.#tell();
    }
  }

  /** Tells what there is of the first text, and of those that follow when it is done. */
  #tell(): void {
    let job = this.#jobs[0];
    while (job && !this.isClosed) {
      for (const pcm of job.waiting.splice(0)) this.#emitAudio(pcm);
      if (!job.isDone || this.#jobs[0] !== job) return;
      if (job.error !== undefined) {
        this.fail(this.failed(job.error));
        return;
      }
      this.#jobs.shift();
      this.#next();
      const said: TtsEvent = { type: 'said', stream: job.stream, texts: 1 };
      this.emit('message', Buffer.from(JSON.stringify(said)), false);
      job = this.#jobs[0];
    }
  }

  #emitAudio({ buffer, byteOffset, byteLength }: Int16Array): void {
    this.emit('message', Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength), true);
  }
}

/** What a voice asks an {@link AiVoiceSocket} for, and what that tells. */
export class AiVoiceCodec implements TtsCodec {
  say(stream: string, text: string): string[] {
    return [JSON.stringify({ say: text.trim(), stream })];
  }

  end(): string[] {
    return [];
  }

  cancel(stream: string): string[] {
    return [JSON.stringify({ cancel: stream })];
  }

  bye(): string[] {
    return [];
  }

  parse(data: Buffer, isBinary: boolean): readonly TtsEvent[] {
    return [isBinary ? { type: 'audio', bytes: data } : JSON.parse(String(data))];
  }
}
