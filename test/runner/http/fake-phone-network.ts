import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { Inbox } from '../../sandbox/inbox.js';

/** A phone network whose every word is the test's. */
export class FakePhoneNetwork implements AsyncDisposable {
  /** The phones that have attached themselves, with what each has asked for. */
  readonly phones = new Inbox<{ socket: WebSocket; url: string; said: Inbox<Buffer | string> }>();

  static async start(): Promise<FakePhoneNetwork> {
    const network = new FakePhoneNetwork(new WebSocketServer({ host: '127.0.0.1', port: 0 }));
    await once(network.server, 'listening');
    return network;
  }

  private constructor(private readonly server: WebSocketServer) {
    server.on('connection', (socket: WebSocket, { url = '' }: IncomingMessage) => {
      const said = new Inbox<Buffer | string>();
      socket.on('message', (data: Buffer, isBinary) => said.push(isBinary ? data : data.toString()));
      this.phones.push({ socket, url, said });
    });
  }

  get address(): string {
    return `ws://127.0.0.1:${(this.server.address() as AddressInfo).port}/network/phones?token=of-the-network`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.server.clients) socket.terminate();
    this.server.close();
    await once(this.server, 'close');
  }
}
