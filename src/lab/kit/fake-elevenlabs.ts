import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import type { FakeSpeechOrder } from './fake-http-speech.js';
import type { FakeRequest } from './fake-request.js';
import type { FakeChunk, FakeEncoding, FakeVoiceOptions } from './fake-speech.js';
import { FakeQueue, FakeVoiceServer, type OnMessage, type SpeechFields } from './fake-voice-server.js';

interface ElevenLabsUtterance {
  readonly queue: FakeQueue;
  readonly abort: AbortController;
  /** Texts that were asked for and not yet said. */
  owed: number;
  isClosing: boolean;
}

/**
 * ElevenLabs' speech socket for several contexts on loopback, for tests without an account: give {@link url} as `baseUrl`, or as
 * `ELEVENLABS_BASE_URL`. By default every character is 60 ms of a tone, so the length of a recording tells what was said.
 * {@link cancels} has the contexts that were closed before all of their texts were said. It speaks over HTTP, too, in formats
 * without compression.
 *
 * ```ts
 * await using elevenlabs = await FakeElevenLabs.start();
 * const tts = new ElevenLabsTTS({ apiKey: 'test', baseUrl: elevenlabs.url });
 * ```
 */
export class FakeElevenLabs extends FakeVoiceServer {
  /** Starts it on a free port of 127.0.0.1. */
  static async start(options: FakeVoiceOptions = {}): Promise<FakeElevenLabs> {
    const fake = new FakeElevenLabs(options);
    await fake.listen();
    return fake;
  }

  protected override keyOf({ headers }: IncomingMessage): string | undefined {
    return headers['xi-api-key'] as string | undefined;
  }

  protected override isPath(path: string): boolean {
    return /^\/v1\/text-to-speech\/[^/]+\/multi-stream-input$/.test(path);
  }

  protected override orderOf(
    path: string,
    query: URLSearchParams,
    { text }: SpeechFields,
  ): FakeSpeechOrder | string | undefined {
    if (!/^\/v1\/text-to-speech\/[^/]+(\/stream)?$/.test(path)) return undefined;
    if (typeof text !== 'string') return 'text: Field required';
    const [, kind, rate] = /^(pcm|ulaw|wav)_(\d+)$/.exec(query.get('output_format') ?? '') ?? [];
    if (!kind) return 'this fake speaks pcm_*, wav_* and ulaw_8000 only: give output_format';
    return { text, sampleRate: Number(rate), encoding: kind === 'ulaw' ? 'PCMU' : 'L16', isWav: kind === 'wav' };
  }

  protected override wordsOf(message: string): object {
    return { detail: { status: 'refused', message } };
  }

  protected override accept(socket: WebSocket, { query }: FakeRequest): OnMessage {
    const contexts = new Map<string, ElevenLabsUtterance>();
    const format = query.get('output_format') ?? 'pcm_24000';
    const encoding: FakeEncoding = format.startsWith('ulaw') ? 'PCMU' : 'L16';
    const sampleRate = Number(format.split('_')[1]);
    return ({ text, context_id: id, close_context: isClosed, close_socket: isOver }) => {
      if (isOver === true) return socket.close(1000);
      if (id === undefined) return; // keeps the connection
      const stream = String(id);
      const context = contexts.get(stream) ?? contextOf();
      contexts.set(stream, context);
      if (isClosed === true) {
        contexts.delete(stream);
        this.#close(socket, stream, context);
      } else if (typeof text === 'string' && text.trim() !== '') {
        context.owed += 1;
        context.queue.add(() => this.#say(socket, context, { text, stream, encoding, sampleRate }));
      }
    };
  }

  protected override fail(socket: WebSocket, _stream: string, message: string): void {
    socket.send(JSON.stringify({ message, error: 'fake_error', code: 1008 }));
    socket.close(1008, message.slice(0, 100));
  }

  #say(
    socket: WebSocket,
    context: ElevenLabsUtterance,
    asked: { text: string; stream: string; encoding: FakeEncoding; sampleRate: number },
  ): void | Promise<void> {
    const text = asked.text.trim();
    const { signal } = context.abort;
    const send = ({ bytes, startMs, endMs, totalMs }: FakeChunk) => {
      const perCharacter = totalMs / text.length;
      const isLast = endMs >= totalMs;
      const [from, to] = [Math.ceil(startMs / perCharacter), isLast ? text.length : Math.ceil(endMs / perCharacter)];
      const chars = [...text.slice(from, to), ...(isLast ? [' '] : [])];
      const alignment = {
        chars,
        charStartTimesMs: chars.map((_, index) => Math.round((from + index) * perCharacter - startMs)),
        charDurationsMs: chars.map(() => Math.round(perCharacter)),
      };
      const audio = bytes.toString('base64');
      socket.send(JSON.stringify({ audio, alignment, normalizedAlignment: alignment, contextId: asked.stream }));
    };
    const after = (isSaid: boolean) => {
      if (!isSaid) return;
      context.owed -= 1;
      if (context.isClosing && context.owed === 0) sendFinal(socket, asked.stream);
    };
    const done = this.speak(socket, { ...asked, signal }, send);
    return typeof done === 'boolean' ? after(done) : done.then(after);
  }

  #close(socket: WebSocket, stream: string, context: ElevenLabsUtterance): void {
    context.isClosing = true;
    if (context.owed > 0) this.cancelled(stream);
    else sendFinal(socket, stream);
  }
}

function sendFinal(socket: WebSocket, contextId: string): void {
  socket.send(JSON.stringify({ isFinal: true, contextId }));
}

function contextOf(): ElevenLabsUtterance {
  return { queue: new FakeQueue(), abort: new AbortController(), owed: 0, isClosing: false };
}
