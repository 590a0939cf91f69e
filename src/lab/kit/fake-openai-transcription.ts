import type { IncomingMessage } from 'node:http';
import { type FakeEarOptions, FakeEarServer, type ServeSocket } from './fake-ear-server.js';
import type { FakeRequest } from './fake-request.js';
import type { FakeRefusal } from './fake-socket-server.js';
import { OpenAITranscriptionSession } from './openai-transcription-session.js';

const KEY_PROTOCOL = 'openai-insecure-api-key.';

/**
 * OpenAI's realtime transcription on loopback, for tests without an account: give {@link url} as `baseURL`. It understands
 * nothing; it says what the test tells it to.
 *
 * ```ts
 * await using openai = await FakeOpenAITranscription.start({ texts: ['A table for two, please.'] });
 * const stt = createOpenAI({ apiKey: 'test', baseURL: openai.url }).transcription('gpt-4o-transcribe');
 * ```
 */
export class FakeOpenAITranscription extends FakeEarServer<OpenAITranscriptionSession> {
  /** Starts it on a free port of 127.0.0.1. */
  static async start(options: FakeEarOptions = {}): Promise<FakeOpenAITranscription> {
    const fake = new FakeOpenAITranscription(options);
    await fake.listen();
    return fake;
  }

  /** Base address, such as `http://127.0.0.1:40123/v1`. */
  override get url(): string {
    return `${super.url}/v1`;
  }

  /** A header or a subprotocol has it; both are refused. */
  protected override keyOf({ headers }: IncomingMessage): string | undefined {
    const offered = String(headers['sec-websocket-protocol'] ?? '').split(/\s*,\s*/);
    const inProtocol = offered.find((name) => name.startsWith(KEY_PROTOCOL))?.slice(KEY_PROTOCOL.length);
    const inHeader = /^Bearer (.+)/.exec(headers.authorization ?? '')?.[1];
    return inProtocol && inHeader ? undefined : (inProtocol ?? inHeader);
  }

  protected override wordsOf({ message }: FakeRefusal): object {
    return { error: { message, type: 'invalid_request_error', param: null, code: null } };
  }

  protected override route(path: string, { query }: FakeRequest): ServeSocket | FakeRefusal {
    if (path !== '/v1/realtime' || query.get('intent') !== 'transcription') {
      return { status: 404, message: 'This fake has /v1/realtime?intent=transcription only.' };
    }
    return (socket, request) => {
      this.listenTo(request, (options) => new OpenAITranscriptionSession(socket, request, options));
    };
  }
}
