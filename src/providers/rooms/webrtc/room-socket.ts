import { WebSocket } from 'ws';
import { settlesWithin } from '../../../base/async/deadline.js';
import { deferred } from '../../../base/async/deferred.js';
import type { VoicebotErrorOptions } from '../../../base/errors.js';
import { readRoomMessage } from './room-message.js';
import { type ClientMessage, MAX_MESSAGE_BYTES, ROOM_PROTOCOL, type RoomMessage } from './room-wire.js';

const OTHER_CLIENT_HINT =
  "check ROOMS_API_URL; where it is right, these rooms need their provider's own client: set ROOMS_CLIENT=browser, or pass `connect` in RoomsParams";

export interface RoomSocketListener {
  received(message: RoomMessage): void;
  /** Something came that is not a message of a room. */
  garbage(): void;
  /** Called once; not after {@link RoomSocket.close}. */
  lost(detail: string, options: VoicebotErrorOptions): void;
}

/** The client's end of what is said about a room, beside the media. */
export class RoomSocket {
  readonly #socket: WebSocket;
  readonly #opened = deferred();
  readonly #closed = deferred();
  #isOver = false;

  /** Begins to connect. @param url the room's address, http or https */
  constructor(url: URL, listener: RoomSocketListener) {
    const address = new URL(url);
    address.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    address.hash = '';
    this.#socket = new WebSocket(address, ROOM_PROTOCOL, {
      perMessageDeflate: false,
      maxPayload: MAX_MESSAGE_BYTES,
      followRedirects: false,
    });
    const lost = (detail: string, options: VoicebotErrorOptions = {}): void => {
      if (this.#isOver) return;
      this.#isOver = true;
      listener.lost(detail, options);
    };
    this.#socket.once('open', () => this.#opened.resolve());
    this.#socket.once('unexpected-response', (request, { statusCode, headers }) => {
      const isPage = headers['content-type']?.startsWith('text/html') ?? false;
      const what = isPage
        ? `a web page (${statusCode}) where a room was expected`
        : `${statusCode} instead of opening a socket`;
      lost(`${url.host} answered ${what}`, { hint: OTHER_CLIENT_HINT });
      request.destroy();
    });
    this.#socket.on('error', (cause) => {
      if (/subprotocol/i.test(cause.message)) {
        lost(`${url.host} speaks another protocol`, { hint: OTHER_CLIENT_HINT, cause });
      } else {
        lost(`the connection to ${url.host} failed`, { hint: `check that ${url.origin} can be reached`, cause });
      }
    });
    this.#socket.once('close', (code) => {
      lost(`${url.host} closed the connection (${code})`);
      this.#closed.resolve();
    });
    this.#socket.on('message', (data, isBinary) => {
      if (this.#isOver) return;
      const message = isBinary ? undefined : readRoomMessage(String(data));
      if (message) listener.received(message);
      else listener.garbage();
    });
  }

  /** Resolves when messages can be sent; never, when that moment does not come. */
  get opened(): Promise<void> {
    return this.#opened.promise;
  }

  send(message: ClientMessage): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  /** Closes politely, and by force after `limitMs`. Safe to call twice. */
  async close(limitMs: number): Promise<void> {
    this.#isOver = true;
    this.#socket.close();
    if (!(await settlesWithin(this.#closed.promise, limitMs))) this.#socket.terminate();
  }
}
