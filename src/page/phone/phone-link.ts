import type { PhoneNotice, PhoneRequest } from '../../call/phone-messages.js';
import { atRunner } from '../link/runner-link.js';

export interface PhoneLinkOptions {
  /** The runner's, when it wants one. */
  readonly token: string | undefined;
  /** Lives through 20 ms: gets what is heard, gives what is said, both mu-law. */
  readonly exchange: (heard: Uint8Array) => Uint8Array<ArrayBuffer>;
  readonly noticed: (notice: PhoneNotice) => void;
  /** The connection is gone. @param reason for people; empty when the runner has not said why */
  readonly closed: (reason: string) => void;
}

/** The phone's connection to the phone network, through the runner. */
export class PhoneLink {
  readonly #socket: WebSocket;

  constructor({ token, exchange, noticed, closed }: PhoneLinkOptions) {
    const address = new URL(atRunner('/phone'), location.href);
    address.protocol = address.protocol.replace('http', 'ws');
    const socket = new WebSocket(address, ['voicebot.phone', ...(token ? [protocolOf(token)] : [])]);
    this.#socket = socket;
    socket.binaryType = 'arraybuffer';
    socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {
      if (typeof data === 'string') noticed(JSON.parse(data));
      else socket.send(exchange(new Uint8Array(data)));
    };
    socket.onclose = ({ reason }) => closed(reason);
  }

  /** As soon as the connection is open, and in order. */
  send(request: PhoneRequest): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(request));
    else this.#socket.addEventListener('open', () => this.#socket.send(JSON.stringify(request)), { once: true });
  }

  close(): void {
    this.#socket.onclose = null;
    this.#socket.onmessage = null;
    this.#socket.close(1000);
  }
}

/** A page can give its socket no header; of a token only these signs may stand in a protocol's name. */
const protocolOf = (token: string) =>
  `voicebot.token.${token.replace(/[^\w.-]/g, (sign) => `%${sign.charCodeAt(0).toString(16).padStart(2, '0')}`)}`;
