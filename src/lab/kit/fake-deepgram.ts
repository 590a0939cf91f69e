import type { IncomingMessage } from 'node:http';
import { type EarRefusal, type FakeEarOptions, FakeEarServer, type ServeSocket } from './fake-ear-server.js';
import { ListenSession } from './listen-session.js';

/** Answers the sockets of `/v1/speak`. */
export type SpeakHandler = ServeSocket;

/** What a {@link FakeDeepgram} understands. */
export interface FakeDeepgramOptions extends FakeEarOptions {
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

  protected override keyOf({ headers }: IncomingMessage): string | undefined {
    return /^Token (.+)/.exec(headers.authorization ?? '')?.[1];
  }

  protected override wordsOf({ message }: EarRefusal): object {
    return { err_code: 'REFUSED', err_msg: message, request_id: 'fake' };
  }

  protected override route(path: string): ServeSocket | EarRefusal {
    const served = { '/v1/listen': this.#listen, '/v1/speak': this.#options.speak }[path];
    return served ?? { status: 404, message: 'Not found.' };
  }

  readonly #listen: ServeSocket = (socket, request) => {
    const session = this.listenTo(request, (options) => new ListenSession(socket, request, options));
    this.#options.onListen?.(session);
  };
}
