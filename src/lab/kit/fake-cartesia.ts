import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import { type FakeChunk, type FakeEncoding, type FakeVoiceOptions, fakeWords } from './fake-speech.js';
import { FakeQueue, FakeVoiceServer, type OnMessage } from './fake-voice-server.js';

/** How a {@link FakeCartesia} speaks. */
export interface FakeCartesiaOptions extends FakeVoiceOptions {
  /** Whether the times of words are sent. Default true. */
  timestamps?: boolean;
  /** How long a context takes more text after its last audio, in milliseconds. Default 1000, as the real one. */
  contextIdleMs?: number;
}

interface CartesiaUtterance {
  readonly queue: FakeQueue;
  readonly abort: AbortController;
  readonly encoding: FakeEncoding;
  readonly sampleRate: number;
  /** Audio that was sent, in milliseconds. */
  spokenMs: number;
  /** A text of it was never said, so it is never done. */
  isHanging: boolean;
  isOver: boolean;
  expiry: NodeJS.Timeout | undefined;
}

/**
 * Cartesia's speech socket on loopback, for tests without an account: give {@link url} as `baseUrl`, or as
 * `CARTESIA_BASE_URL`. By default every character is 60 ms of a tone, so the length of a recording tells what was said.
 *
 * ```ts
 * await using cartesia = await FakeCartesia.start({ reply: (text) => (text.includes('fire') ? 'hang' : 'speak') });
 * const tts = new CartesiaTTS({ apiKey: 'test', baseUrl: cartesia.url });
 * ```
 */
export class FakeCartesia extends FakeVoiceServer {
  /** Contexts that take no more text, in order; each client has been told. */
  readonly ended: string[] = [];
  readonly #settings: FakeCartesiaOptions;

  /** Starts it on a free port of 127.0.0.1. */
  static async start(options: FakeCartesiaOptions = {}): Promise<FakeCartesia> {
    const fake = new FakeCartesia(options);
    await fake.listen();
    return fake;
  }

  private constructor(options: FakeCartesiaOptions) {
    super(options);
    this.#settings = options;
  }

  protected override keyOf({ headers }: IncomingMessage): string | undefined {
    // the vendor's own client sends the other
    return (headers['x-api-key'] as string | undefined) ?? /^Bearer (.+)/.exec(headers.authorization ?? '')?.[1];
  }

  protected override isPath(path: string): boolean {
    return path === '/tts/websocket';
  }

  protected override accept(socket: WebSocket): OnMessage {
    const contexts = new Map<string, CartesiaUtterance>();
    return (fields) => {
      const id = String(fields.context_id);
      if (fields.cancel === true) {
        this.cancelled(id);
        contexts.get(id)?.abort.abort();
        contexts.delete(id);
        return;
      }
      const known = contexts.get(id);
      if (known?.isOver) return this.fail(socket, id, 'the context has expired', 400);
      const context = known ?? contextOf(fields);
      contexts.set(id, context);
      clearTimeout(context.expiry);
      const text = String(fields.transcript);
      if (text.trim() !== '') context.queue.add(() => this.#say(socket, id, context, text));
      if (fields.continue !== true) context.queue.add(() => this.#end(socket, id, context));
    };
  }

  protected override fail(socket: WebSocket, stream: string, message: string, status = 500): void {
    const fields = { type: 'error', context_id: stream, done: true, title: 'Request failed', message };
    socket.send(JSON.stringify({ ...fields, error_code: 'fake', status_code: status }));
  }

  #say(socket: WebSocket, id: string, context: CartesiaUtterance, text: string): void | Promise<void> {
    clearTimeout(context.expiry); // of the text before, which this one has waited for
    const { sampleRate, encoding, spokenMs } = context;
    const send = (type: string, fields: object) =>
      socket.send(JSON.stringify({ type, done: false, status_code: 206, context_id: id, ...fields }));
    let areTimesSent = this.#settings.timestamps === false;
    const sendChunk = ({ bytes, endMs, totalMs }: FakeChunk) => {
      send('chunk', { data: bytes.toString('base64'), step_time: 1 });
      context.spokenMs = spokenMs + endMs;
      if (areTimesSent) return;
      areTimesSent = true;
      send('timestamps', { word_timestamps: timesOf(text, totalMs, spokenMs) });
    };
    const { signal } = context.abort;
    const after = (isSaid: boolean) => {
      context.isHanging ||= !isSaid;
      if (!isSaid) return;
      send('flush_done', { flush_done: true, flush_id: 1 });
      context.expiry = setTimeout(() => this.#end(socket, id, context), this.#settings.contextIdleMs ?? 1_000).unref();
    };
    const done = this.speak(socket, { text, stream: id, sampleRate, encoding, signal }, sendChunk);
    return typeof done === 'boolean' ? after(done) : done.then(after);
  }

  #end(socket: WebSocket, id: string, context: CartesiaUtterance): void {
    clearTimeout(context.expiry);
    if (context.isOver || context.isHanging || context.abort.signal.aborted) return;
    context.isOver = true;
    socket.send(JSON.stringify({ type: 'done', done: true, status_code: 206, context_id: id }), () =>
      this.ended.push(id),
    );
  }
}

function timesOf(text: string, durationMs: number, baseMs: number): object {
  const words = fakeWords(text.trim(), durationMs);
  return {
    words: words.map((word) => word.text),
    start: words.map(({ startMs }) => (baseMs + startMs) / 1_000),
    end: words.map(({ endMs }) => (baseMs + endMs) / 1_000),
  };
}

function contextOf({ output_format }: Readonly<Record<string, unknown>>): CartesiaUtterance {
  const { encoding, sample_rate: sampleRate } = output_format as { encoding: string; sample_rate: number };
  return {
    queue: new FakeQueue(),
    abort: new AbortController(),
    encoding: encoding === 'pcm_mulaw' ? 'PCMU' : 'L16',
    sampleRate,
    spokenMs: 0,
    isHanging: false,
    isOver: false,
    expiry: undefined,
  };
}
