import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { type WebSocket, WebSocketServer } from 'ws';
import { deferred } from '../../../src/base/async/deferred.js';
import { type ErrorFields, VoicebotError } from '../../../src/base/errors.js';
import type { RoomNews, RoomPast } from '../../../src/call/runner-link.js';
import { trialWebhook, verifyWebhook } from '../../../src/providers/daily/signature.js';
import { parseDailyWebhook } from '../../../src/providers/daily/webhooks.js';
import type {
  DialinSecret,
  Room,
  RoomProvider,
  RoomRequest,
  RoomsRestClient,
  RoomTokenRequest,
} from '../../../src/providers/rooms/room-provider.js';
import type { RoomsAccess } from '../../../src/runner/calls/rooms/rooms-adapter.js';
import { until } from '../../e2e/processes.js';
import { Inbox } from '../../sandbox/inbox.js';

export const API_KEY = 'key-of-the-account-that-nobody-may-see';
/** base64 */
export const WEBHOOK_SECRET = Buffer.from('what signs the webhooks of the test').toString('base64');

/** The first argument of each function of the client. */
interface Asked {
  createRoom: RoomRequest;
  createToken: RoomTokenRequest;
  deleteRoom: string;
  isOccupied: string;
  forwardCaller: object;
  /** Name of the room, and session id. */
  stopDialout: string;
}
type Method = keyof Asked;
/** Not kept among the requests: it may come at any refusal. */
const READ_SECRETS = 'dialinSecrets';

/** One request of the runner. */
export type RoomsRequest = { [M in Method]: { readonly method: M; readonly asked: Asked[M] } }[Method];

/** `lost`: it is done, and the connection breaks before the answer. */
export type RoomsAnswer = { readonly problem: ErrorFields } | 'lost' | undefined;

export const refused = (code: ErrorFields['code'] = 'VB_ROOMS_REQUEST_FAILED'): RoomsAnswer => ({
  problem: { code, message: 'as the test wants it' },
});

/** A room provider whose every answer is the test's. Its rooms are WebSockets on which bots are given orders. */
export class HandRooms implements AsyncDisposable {
  readonly requests = new Inbox<RoomsRequest>();
  /** The names of the rooms that exist. */
  readonly open = new Set<string>();
  /** Rooms in which somebody is beside the bots. */
  readonly visited = new Set<string>();
  /** Decides an answer; undefined means the usual one. */
  respond: (request: RoomsRequest) => RoomsAnswer | Promise<RoomsAnswer> = () => undefined;
  /** Every bot that has said hello, in their order. */
  readonly bots: RoomBot[] = [];
  readonly #joined = new Set<RoomBot>();
  readonly #server: Server;
  readonly #sockets = new WebSocketServer({ noServer: true });

  /** What the account says of its numbers. */
  secrets: readonly DialinSecret[] = [];
  /** How often it was asked for that. */
  secretsRead = 0;

  static async start(): Promise<HandRooms> {
    const rooms = new HandRooms();
    rooms.#server.listen(0, '127.0.0.1');
    await once(rooms.#server, 'listening');
    return rooms;
  }

  private constructor() {
    this.#server = createServer(async (sent, response) => {
      if (sent.url?.endsWith(READ_SECRETS)) {
        this.secretsRead += 1;
        return void response.end(JSON.stringify({ result: this.secrets }));
      }
      const method = sent.url?.split('/').at(-1) as Method;
      const asked = { method, asked: await json(sent) } as RoomsRequest;
      this.requests.push(asked);
      const answer = await this.respond(asked);
      if (typeof answer === 'object') return void response.end(JSON.stringify(answer));
      const result = this.#usual(asked);
      if (answer === 'lost') return void sent.socket.destroy();
      response.end(JSON.stringify({ result }));
    });
    this.#server.on('upgrade', (sent: IncomingMessage, socket, head) => {
      this.#sockets.handleUpgrade(sent, socket, head, (joined) => {
        const bot = new RoomBot(sent.url?.split('/').at(-1) ?? '', joined);
        this.#joined.add(bot);
        joined.once('close', () => this.#joined.delete(bot));
        void bot.introduced.then(() => this.bots.push(bot));
      });
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  /** A call's bot, once it has said hello. */
  async bot(callId: string, attempt = 1): Promise<RoomBot> {
    const find = () => this.bots.find(({ hello: { call } }) => call.id === callId && call.attempt === attempt);
    await until(() => find() !== undefined, `bot ${attempt} of call ${callId} says hello`);
    return find() as RoomBot;
  }

  /** The argument of the next request of this kind. */
  async next<M extends Method>(method: M): Promise<Asked[M]> {
    const { asked } = await this.requests.next((request) => request.method === method);
    return asked as Asked[M];
  }

  /** The arguments of all requests of this kind. */
  asked<M extends Method>(method: M): Array<Asked[M]> {
    return this.requests.all.flatMap((request) => (request.method === method ? [request.asked as Asked[M]] : []));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { socket } of this.#joined) socket.terminate();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #usual({ method, asked }: RoomsRequest): unknown {
    if (method === 'createRoom') {
      this.open.add(asked.name);
      const url = `${new URL(this.url).origin}/rooms/${asked.name}`;
      return { name: asked.name, url, allowsDialout: asked.allowsDialout } satisfies Room;
    }
    if (method === 'createToken') return `token-${this.asked('createToken').length}-of-${asked.roomName}`;
    const inside = [...this.#joined].filter(({ room }) => room === asked);
    if (method === 'isOccupied') return inside.length > 0 || this.visited.has(asked);
    if (method !== 'deleteRoom') throw new Error(`the runner has no business with ${method}`);
    for (const { socket } of inside) socket.close();
    return this.open.delete(asked) ? 'deleted' : 'no_such_room';
  }
}

export interface Hello {
  readonly pid: number;
  readonly transport: string;
  readonly room_url: string;
  readonly token: string;
  readonly body: Record<string, unknown>;
  readonly phone_number?: string;
  readonly call: { id: string; attempt: number; from: string; to: string; direction: string };
  readonly past: RoomPast;
  readonly silenceMs: number;
}

/** A puppet in its room. */
export class RoomBot {
  hello!: Hello;
  readonly introduced: Promise<void>;
  readonly left: Promise<unknown>;
  /** The bot has been asked to end its call. */
  readonly askedToEnd: Promise<{ readonly isReplaced: boolean }>;
  /** What is to be done with the answer to each order. */
  readonly #answers: Array<(result: unknown) => void> = [];

  constructor(
    readonly room: string,
    readonly socket: WebSocket,
  ) {
    this.left = once(socket, 'close');
    const introduced = deferred();
    const asked = deferred<{ readonly isReplaced: boolean }>();
    this.introduced = introduced.promise;
    this.askedToEnd = asked.promise;
    socket.on('message', (data) => {
      const said = JSON.parse(String(data));
      if (said.event === 'hello') {
        this.hello = said;
        introduced.resolve();
      } else if (said.event === 'asked_to_end') asked.resolve(said);
      else this.#answers[said.id]?.(said.result);
    });
  }

  /** @returns what the puppet answers; never settles for what it does not survive */
  order(order: string, argument?: unknown): Promise<unknown> {
    return new Promise((resolve) => {
      const id = this.#answers.push(resolve) - 1;
      this.socket.send(JSON.stringify({ id, order, argument }));
    });
  }

  /** Has the bot tell these news, and makes sure that the runner has them. */
  async tell(...news: readonly RoomNews[]): Promise<void> {
    for (const one of news) void this.order('tell', one);
    await this.checkTarget(''); // the runner answers in order
  }

  /** @returns the number, or the fields of the error */
  checkTarget(to: string): Promise<unknown> {
    return this.order('check', to);
  }
}

/** What a runner is given so that its calls come from there. */
export function roomsAccess(apiUrl: string, apiKey = API_KEY): RoomsAccess {
  return { kind: 'rooms', provider, credentials: { apiKey, apiUrl }, webhookSecret: WEBHOOK_SECRET };
}

const provider: RoomProvider = {
  name: 'hand',
  defaultApiUrl: '',
  verifyWebhook,
  trialWebhook,
  parseWebhook: parseDailyWebhook,
  createNumberRouting: async () => {
    throw new Error('a runner does not route numbers');
  },
  createRestClient: async ({ apiUrl }) => new HandRoomsClient(apiUrl),
};

class HandRoomsClient implements RoomsRestClient {
  constructor(private readonly apiUrl: string) {}

  createRoom = (asked: RoomRequest, signal?: AbortSignal) => this.#ask<Room>('createRoom', asked, signal);
  deleteRoom = (asked: string, signal?: AbortSignal) =>
    this.#ask<'deleted' | 'no_such_room'>('deleteRoom', asked, signal);
  stopDialout = (name: string, sessionId: string, signal?: AbortSignal) =>
    this.#ask<'stopped' | 'no_such_leg'>('stopDialout', `${name} ${sessionId}`, signal);
  eject = async () => undefined;
  isOccupied = (asked: string, signal?: AbortSignal) => this.#ask<boolean>('isOccupied', asked, signal);
  createToken = (asked: RoomTokenRequest, signal?: AbortSignal) => this.#ask<string>('createToken', asked, signal);
  dialinSecrets = (signal?: AbortSignal) => this.#ask<DialinSecret[]>(READ_SECRETS, {}, signal);
  forwardCaller = (asked: object, signal?: AbortSignal) => this.#ask<'forwarded'>('forwardCaller', asked, signal);
  sipEndpoints = async () => [];
  close = async () => {};

  async #ask<T>(method: Method | typeof READ_SECRETS, asked: object | string, signal?: AbortSignal): Promise<T> {
    const { result, problem } = await this.#send(method, asked, signal);
    if (problem) throw VoicebotError.revive(problem);
    return result as T;
  }

  async #send(method: Method | typeof READ_SECRETS, asked: object | string, signal?: AbortSignal) {
    try {
      const sent = request(`${this.apiUrl}/${method}`, { method: 'POST', agent: false, ...(signal && { signal }) });
      sent.end(JSON.stringify(asked));
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      return (await json(response)) as { result?: unknown; problem?: ErrorFields };
    } catch (cause) {
      throw new VoicebotError('VB_ROOMS_UNREACHABLE', 'no answer', { cause });
    }
  }
}
