import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { type FakeEarOptions, FakeEarServer, type ServeSocket } from './fake-ear-server.js';
import type { FakeRequest } from './fake-request.js';
import type { FakeRefusal } from './fake-socket-server.js';
import { ScribeSession } from './scribe-session.js';

const FORMATS = ['ulaw_8000', ...[8_000, 16_000, 22_050, 24_000, 44_100, 48_000].map((rate) => `pcm_${rate}`)];

/** A class of WebSockets that can carry headers, as the packages of the `ai` package take it. */
export type SocketClass = new (
  address: string | URL,
  protocols?: string | string[],
  options?: { headers?: Record<string, string | undefined> },
) => {
  /** 0 connecting, 1 open, 2 closing, 3 closed. */
  readyState: number;
  /** Bytes that wait to be sent. */
  readonly bufferedAmount?: number;
  /** Sends a message. */
  send(data: string | Uint8Array | ArrayBuffer): void;
  /** Closes the connection. */
  close(code?: number, reason?: string): void;
  /** The connection is open. */
  onopen: ((event: unknown) => void) | null;
  /** A message has come. */
  onmessage: ((event: { data: unknown }) => void) | null;
  /** The connection failed. */
  onerror: ((event: unknown) => void) | null;
  /** The connection is closed. */
  onclose: ((event: unknown) => void) | null;
};

/**
 * ElevenLabs' realtime transcription on loopback, for tests without an account. It understands nothing; it says what the
 * test tells it to. `@ai-sdk/elevenlabs` takes no address for it, but a WebSocket class: {@link webSocket} is one that
 * comes here whatever the address says.
 *
 * ```ts
 * await using scribe = await FakeElevenLabsScribe.start({ texts: ['A table for two, please.'] });
 * const elevenLabs = createElevenLabs({ apiKey: 'test', webSocket: scribe.webSocket });
 * const stt = elevenLabs.transcription('scribe_v2_realtime');
 * ```
 */
export class FakeElevenLabsScribe extends FakeEarServer<ScribeSession> {
  /** Starts it on a free port of 127.0.0.1. */
  static async start(options: FakeEarOptions = {}): Promise<FakeElevenLabsScribe> {
    const fake = new FakeElevenLabsScribe(options);
    await fake.listen();
    return fake;
  }

  /** A class of WebSockets that come here, whatever address they are given. */
  get webSocket(): SocketClass {
    const here = this.url.replace('http', 'ws');
    const Redirected = class extends WebSocket {
      constructor(address: string | URL, protocols?: string | string[], options: object = {}) {
        const { pathname, search } = new URL(address);
        super(`${here}${pathname}${search}`, protocols, options);
      }
    };
    // `ws` declares its events more narrowly than the packages that take a class of sockets.
    return Redirected as unknown as SocketClass;
  }

  protected override keyOf({ headers, url }: IncomingMessage): string | undefined {
    const key = headers['xi-api-key'] as string | undefined;
    return key ?? new URL(url ?? '/', 'http://fake').searchParams.get('token') ?? undefined;
  }

  protected override wordsOf({ message }: FakeRefusal): object {
    return { detail: { status: 'refused', message } };
  }

  protected override route(path: string, { query }: FakeRequest): ServeSocket | FakeRefusal {
    if (path !== '/v1/speech-to-text/realtime') return { status: 404, message: 'Not Found' };
    return (socket, request) => {
      const problem = problemOf(query);
      if (problem) {
        socket.send(JSON.stringify({ message_type: 'invalid_request', error: problem }), () =>
          socket.close(1008, 'invalid_request'),
        );
        return;
      }
      this.listenTo(request, (options) => new ScribeSession(socket, request, options));
    };
  }
}

function problemOf(query: URLSearchParams): string | undefined {
  const [model, format] = [query.get('model_id'), query.get('audio_format') ?? 'pcm_16000'];
  if (model !== 'scribe_v2_realtime') return `model_id must be scribe_v2_realtime, got ${model}`;
  return FORMATS.includes(format) ? undefined : `audio_format must be one of ${FORMATS.join(', ')}, got ${format}`;
}
