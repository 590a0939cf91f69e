import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import type { WireParticipant } from '../../../../src/providers/rooms/client-messages.js';
import { PeerAudio } from '../../../../src/providers/rooms/webrtc/peer-audio.js';
import {
  type ClientMessage,
  ROOM_PROTOCOL,
  type RoomMessage,
} from '../../../../src/providers/rooms/webrtc/room-wire.js';

type Join = Extract<ClientMessage, { type: 'join' }>;
type Request = Extract<ClientMessage, { type: 'request' }>;

/** What a room does with somebody who asks to be let in. */
export type Welcome = (client: FakeClient, join: Join) => void | Promise<void>;

/** The server's end of one client. */
export class FakeClient {
  readonly received: ClientMessage[] = [];
  peer: PeerAudio | undefined;
  readonly left: Promise<void>;
  #waiting: (() => void)[] = [];

  constructor(
    readonly socket: WebSocket,
    welcome: Welcome,
  ) {
    this.left = new Promise((resolve) => {
      socket.once('close', () => resolve());
    });
    socket.on('message', (data) => {
      const message = JSON.parse(String(data)) as ClientMessage;
      this.received.push(message);
      if (message.type === 'join') void welcome(this, message);
      for (const wake of this.#waiting.splice(0)) wake();
    });
    void this.left.then(() => this.peer?.close());
  }

  send(message: RoomMessage): void {
    this.socket.send(JSON.stringify(message));
  }

  tell(action: string, fields: Readonly<Record<string, unknown>> = {}): void {
    this.send({ type: 'event', event: { action, ...fields } });
  }

  /** The request that came last, once there are `count`. */
  async request(count = 1): Promise<Request> {
    for (;;) {
      const requests = this.received.filter((message) => message.type === 'request');
      if (requests.length >= count) return requests[count - 1] as Request;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }
}

/** Lets everybody in. */
export const admit =
  (participants: readonly WireParticipant[] = [], sampleRate = 8_000): Welcome =>
  async (client, { sdp }) => {
    client.peer = new PeerAudio({ sampleRate, codecs: ['PCMU', 'opus'], isLocal: true });
    client.send({ type: 'joined', sessionId: 'me', sdp: await client.peer.answer(sdp), participants });
  };

export const refuse =
  (error: string, info: string): Welcome =>
  (client) => {
    client.send({ type: 'refused', error, info });
    client.socket.close(1000, error);
  };

/** A room at an address of its own. */
export class FakeRoomServer {
  readonly clients: FakeClient[] = [];
  readonly #http: Server;
  readonly #sockets: WebSocketServer;

  private constructor(welcome: Welcome) {
    this.#http = createServer((_request, response) => response.end('a page'));
    this.#sockets = new WebSocketServer({
      server: this.#http,
      path: '/room/lobby',
      handleProtocols: (protocols) => (protocols.has(ROOM_PROTOCOL) ? ROOM_PROTOCOL : false),
    });
    this.#sockets.on('connection', (socket) => this.clients.push(new FakeClient(socket, welcome)));
  }

  static async start(welcome: Welcome = admit()): Promise<FakeRoomServer> {
    const server = new FakeRoomServer(welcome);
    await new Promise<void>((resolve) => server.#http.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}/room/lobby`;
  }

  get client(): FakeClient {
    return this.clients[0] as FakeClient;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets.clients) socket.terminate();
    await Promise.all(this.clients.map(({ peer }) => peer?.close()));
    this.#sockets.close();
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
  }
}
