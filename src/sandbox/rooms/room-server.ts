import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { isLoopbackHost } from '../../base/http/loopback-host.js';
import { PeerAudio } from '../../providers/rooms/webrtc/peer-audio.js';
import { MAX_MESSAGE_BYTES, ROOM_PROTOCOL } from '../../providers/rooms/webrtc/room-wire.js';
import { closeWebSockets, refuseUpgrade } from '../network/web-sockets.js';
import type { AudioRate } from './participant.js';
import { type RoomDoor, SandboxRoomClient } from './room-client.js';

const MAX_CLIENTS = 500;
const JOIN_LIMIT_MS = 10_000;
const KEEPALIVE_MS = 10_000;
/** A room's name is the whole path of its address, so nothing else here has a path of one part. */
const ROOM_PATH = /^\/([A-Za-z0-9_-]{1,128})$/;

export type RoomServerOptions = Pick<RoomDoor, 'account' | 'live' | 'now' | 'logger'> &
  Partial<Pick<RoomDoor, 'createPeer' | 'joinLimitMs' | 'eventFaults'>> & {
    /** Time between two pings to a client, in milliseconds. Default 10 000. */
    readonly keepaliveMs?: number;
  };

/** Lets clients into rooms: the signalling of `room-wire.ts`. */
export class RoomServer {
  readonly #server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
  });
  readonly #door: RoomDoor;
  readonly #clients = new Set<SandboxRoomClient>();
  readonly #keepalive: NodeJS.Timeout;

  constructor({ keepaliveMs = KEEPALIVE_MS, ...options }: RoomServerOptions) {
    this.#door = { createPeer, joinLimitMs: JOIN_LIMIT_MS, eventFaults: [], ...options };
    this.#keepalive = setInterval(() => {
      for (const client of this.#clients) client.checkAlive();
    }, keepaliveMs).unref();
  }

  /** Refuses the upgrade with 404, 403, 400 or 503 unless it is for a room, from here, in the rooms' protocol. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const roomName = roomNameIn(request.url ?? '');
    const protocols = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
    if (!roomName) refuseUpgrade(socket, '404 Not Found');
    else if (!isFromHere(request)) refuseUpgrade(socket, '403 Forbidden');
    else if (!protocols.includes(ROOM_PROTOCOL)) refuseUpgrade(socket, '400 Bad Request');
    else if (this.#server.clients.size >= MAX_CLIENTS) refuseUpgrade(socket, '503 Service Unavailable');
    else {
      this.#server.handleUpgrade(request, socket, head, (webSocket) => {
        const client = new SandboxRoomClient(webSocket, roomName, this.#door);
        this.#clients.add(client);
        webSocket.once('close', () => this.#clients.delete(client));
      });
    }
  }

  /** Closes the clients' sockets; resolves when they are gone. */
  close(): Promise<void> {
    clearInterval(this.#keepalive);
    return closeWebSockets(this.#server);
  }
}

/** The room that an address, without its origin, is of; undefined when it is of none. */
export function roomNameIn(url: string): string | undefined {
  const [path = ''] = url.split('?', 1);
  return ROOM_PATH.exec(path)?.[1];
}

const createPeer = (sampleRate: AudioRate): PeerAudio =>
  new PeerAudio({ sampleRate, codecs: ['opus', 'PCMU'], isLocal: true });

/**
 * Whether a browser page that asks is of this machine, whatever its port: the page of a room, or one that a bot speaks through. Other
 * sites' pages have no business in rooms on this machine, not even when a name of theirs leads here.
 */
function isFromHere({ headers: { origin, host } }: IncomingMessage): boolean {
  return origin === undefined || (isOfThisMachine(origin) && isOfThisMachine(`http://${host}`));
}

function isOfThisMachine(origin: string): boolean {
  const url = URL.canParse(origin) ? new URL(origin) : undefined;
  return url !== undefined && /^https?:$/.test(url.protocol) && isLoopbackHost(url.hostname);
}
