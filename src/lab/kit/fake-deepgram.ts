import type { IncomingMessage } from 'node:http';
import { type FakeEarOptions, FakeEarServer, type ServeSocket } from './fake-ear-server.js';
import type { FakeRequest } from './fake-request.js';
import type { FakeRefusal } from './fake-socket-server.js';
import { problemsOfParameters } from './flux-parameters.js';
import { FluxSession } from './flux-session.js';
import type { ListenSession } from './listen-session.js';
import { NovaSession } from './nova-session.js';

/** Answers the sockets of `/v1/speak`. */
export type SpeakHandler = ServeSocket;

/** What a {@link FakeDeepgram} understands. */
export interface FakeDeepgramOptions extends FakeEarOptions {
  /** Silence after which Flux tells that a turn is perhaps over, where it is asked to, in milliseconds. Default 160. */
  pauseMs?: number;
  /** Called for every connection that transcribes. */
  onListen?: (session: ListenSession) => void;
  /** Answers `/v1/speak`. Default: 404. */
  speak?: SpeakHandler;
}

/**
 * Deepgram's sockets on loopback, for tests without an account: give {@link url} as `baseUrl`, or as `DEEPGRAM_BASE_URL`.
 * It understands nothing; it says what the test tells it to.
 *
 * ```ts
 * await using deepgram = await FakeDeepgram.start({ texts: ['I would like a table for two.', 'Yes, please.'] });
 * const stt = new DeepgramSTT({ apiKey: 'test', baseUrl: deepgram.url });
 * ```
 */
export class FakeDeepgram extends FakeEarServer<ListenSession> {
  readonly #options: FakeDeepgramOptions;

  /** Starts it on a free port of 127.0.0.1. */
  static async start(options: FakeDeepgramOptions = {}): Promise<FakeDeepgram> {
    const fake = new FakeDeepgram(options);
    await fake.listen();
    return fake;
  }

  private constructor(options: FakeDeepgramOptions) {
    super(options);
    this.#options = options;
  }

  /** The latest connection to `/v2/listen`. @throws when there was none */
  get fluxSession(): FluxSession {
    const session = this.sessions.findLast((one): one is FluxSession => one instanceof FluxSession);
    if (!session) throw new Error('no client has connected to /v2/listen');
    return session;
  }

  protected override keyOf({ headers }: IncomingMessage): string | undefined {
    return /^Token (.+)/.exec(headers.authorization ?? '')?.[1];
  }

  protected override wordsOf({ message }: FakeRefusal): object {
    return { err_code: 'REFUSED', err_msg: message, request_id: 'fake' };
  }

  protected override route(path: string, { query }: FakeRequest): ServeSocket | FakeRefusal {
    const { pauseMs, speak } = this.#options;
    if (path === '/v2/listen') {
      const problems = problemsOfParameters(query);
      if (problems.length > 0) return { status: 400, message: `Bad Request: ${problems.join('; ')}` };
      return this.#listen((...served) => new FluxSession(...served, pauseMs));
    }
    if (path === '/v1/listen') {
      const model = query.get('model') ?? '';
      if (model.startsWith('flux')) return { status: 400, message: `Bad Request: no such model: ${model}` };
      return this.#listen((...served) => new NovaSession(...served));
    }
    return (path === '/v1/speak' ? speak : undefined) ?? { status: 404, message: 'Not found.' };
  }

  #listen(make: (...served: ConstructorParameters<typeof NovaSession>) => ListenSession): ServeSocket {
    return (socket, request) => {
      const session = this.listenTo(request, (options) => make(socket, request, options));
      this.#options.onListen?.(session);
    };
  }
}
