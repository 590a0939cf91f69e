import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import type { ApplicationEvent } from '../../../src/runner/events/application-event.js';

export const SECRET = `whsec_${Buffer.from('the secret of a test, 32 bytes..').toString('base64')}`;

export interface ReceivedRequest {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly event: ApplicationEvent;
}

/** A status; `lost`: it is accepted, and the answer never arrives; or what does something else with the answer. */
export type Reply = number | 'lost' | ((response: ServerResponse) => void);

/** The user's application: notes every request, whose signature the package of the specification checks, and answers as the test says. */
export class HandReceiver implements AsyncDisposable {
  /** Every try. */
  readonly requests: ReceivedRequest[] = [];
  /** What was answered with a success. */
  readonly accepted: ReceivedRequest[] = [];
  /** Signatures that the package refuses. */
  readonly forged: unknown[] = [];
  reply: (request: ReceivedRequest) => Reply = () => 204;
  #server: Server | undefined;
  #port = 0;

  static async listen(): Promise<HandReceiver> {
    const receiver = new HandReceiver();
    await receiver.start();
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/hooks/calls?tenant=7`;
  }

  /** The types of what was accepted, in order. */
  get types(): string[] {
    return this.accepted.map(({ event }) => event.type);
  }

  /** Again on the same port, when it was stopped. */
  async start(): Promise<void> {
    const webhook = new Webhook(SECRET);
    this.#server = createServer(async (request, response) => {
      const { method, url: path, headers } = request;
      const body = await text(request).catch(() => undefined);
      if (body === undefined) return; // the sender has gone
      try {
        webhook.verify(body, headers as Record<string, string>);
      } catch (error) {
        this.forged.push(error);
      }
      const received = { method, path, headers, body, event: JSON.parse(body) };
      this.requests.push(received);
      const reply = this.reply(received);
      if (reply === 'lost') response.destroy();
      else if (typeof reply === 'number') response.writeHead(reply).end();
      else reply(response);
      const { statusCode, headersSent } = response;
      if (reply === 'lost' || (headersSent && statusCode >= 200 && statusCode < 300)) this.accepted.push(received);
    });
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (!server) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}
