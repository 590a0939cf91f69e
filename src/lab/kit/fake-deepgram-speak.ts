import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import type { FakeSpeechOrder } from './fake-http-speech.js';
import type { FakeRequest } from './fake-request.js';
import type { FakeEncoding, FakeVoiceOptions } from './fake-speech.js';
import { FakeQueue, FakeVoiceServer, type OnMessage, type SpeechFields } from './fake-voice-server.js';

/** How a {@link FakeDeepgramSpeak} speaks. */
export interface FakeDeepgramSpeakOptions extends FakeVoiceOptions {
  /** Most flushes in 60 s on a connection; more are not answered. Default 20, as the real one. */
  maxFlushes?: number;
}

/**
 * Deepgram's speech socket on loopback, for tests without an account: give {@link url} as `baseUrl`, or as
 * `DEEPGRAM_BASE_URL`. By default every character is 60 ms of a tone, so the length of a recording tells what was said.
 *
 * ```ts
 * await using deepgram = await FakeDeepgramSpeak.start();
 * const tts = new DeepgramTTS({ apiKey: 'test', baseUrl: deepgram.url });
 * ```
 *
 * One address for speech and transcription: `FakeDeepgram.start({ speak: deepgram.handler })`.
 */
export class FakeDeepgramSpeak extends FakeVoiceServer {
  readonly #maxFlushes: number;

  /** Starts it on a free port of 127.0.0.1. */
  static async start(options: FakeDeepgramSpeakOptions = {}): Promise<FakeDeepgramSpeak> {
    const fake = new FakeDeepgramSpeak(options);
    await fake.listen();
    return fake;
  }

  private constructor({ maxFlushes = 20, ...options }: FakeDeepgramSpeakOptions) {
    super(options);
    this.#maxFlushes = maxFlushes;
  }

  /** Serves sockets that another server has accepted. */
  readonly handler = (socket: WebSocket, request: FakeRequest): void => {
    this.connections.push(request);
    this.serve(socket, request);
  };

  protected override keyOf({ headers }: IncomingMessage): string | undefined {
    return headers.authorization?.replace(/^Token /, '');
  }

  protected override isPath(path: string): boolean {
    return path === '/v1/speak';
  }

  protected override orderOf(
    path: string,
    query: URLSearchParams,
    { text }: SpeechFields,
  ): FakeSpeechOrder | string | undefined {
    if (path !== '/v1/speak') return undefined;
    if (typeof text !== 'string') return 'Could not determine if text was provided.';
    const encoding = query.get('encoding');
    if (encoding !== 'linear16' && encoding !== 'mulaw') return 'this fake speaks linear16 and mulaw only';
    const isMulaw = encoding === 'mulaw';
    const sampleRate = Number(query.get('sample_rate') ?? (isMulaw ? 8_000 : 24_000));
    const isWav = !isMulaw && query.get('container') !== 'none';
    return { text, sampleRate, encoding: isMulaw ? 'PCMU' : 'L16', isWav };
  }

  protected override wordsOf(message: string): object {
    return { err_code: 'REFUSED', err_msg: message, request_id: 'fake' };
  }

  protected override accept(socket: WebSocket, { query }: FakeRequest): OnMessage {
    const encoding: FakeEncoding = query.get('encoding') === 'mulaw' ? 'PCMU' : 'L16';
    const sampleRate = Number(query.get('sample_rate') ?? 24_000);
    const queue = new FakeQueue();
    const flushedAt: number[] = [];
    let waiting: string[] = [];
    let abort = new AbortController();
    let isHanging = false;
    let sequence = 0;
    const answer = (type: string) => {
      sequence += 1;
      socket.send(JSON.stringify({ type, sequence_id: sequence }));
    };
    const say = (text: string): void | Promise<void> => {
      const { signal } = abort;
      if (signal.aborted || isHanging) return;
      const note = (isSaid: boolean) => {
        isHanging ||= !isSaid && !signal.aborted;
      };
      const done = this.speak(socket, { text, stream: '', sampleRate, encoding, signal }, ({ bytes }) =>
        socket.send(bytes),
      );
      return typeof done === 'boolean' ? note(done) : done.then(note);
    };
    const flush = () => {
      const texts = waiting;
      waiting = [];
      const { signal } = abort;
      for (const text of texts) queue.add(() => (signal.aborted ? undefined : say(text)));
      queue.add(() => {
        if (!signal.aborted && !isHanging) answer('Flushed');
      });
    };
    return ({ type, text }) => {
      if (type === 'Speak') waiting.push(String(text));
      else if (type === 'Flush') {
        const since = performance.now() - 60_000;
        flushedAt.push(performance.now());
        if (flushedAt.filter((at) => at > since).length <= this.#maxFlushes) flush();
        else socket.send(JSON.stringify({ type: 'Warning', description: 'Too many flushes', code: 'EXCESSIVE_FLUSH' }));
      } else if (type === 'Clear') {
        this.cancelled('');
        waiting = [];
        abort.abort();
        abort = new AbortController();
        isHanging = false;
        queue.add(() => answer('Cleared'));
      } else if (type === 'Close') socket.close(1000);
    };
  }

  protected override fail(socket: WebSocket, _stream: string, message: string): void {
    socket.send(JSON.stringify({ type: 'Error', err_code: 'FAKE', description: message }));
    socket.close(1011, message.slice(0, 100));
  }
}
