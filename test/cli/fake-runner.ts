import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { CallRecord } from '../../src/call/call-record.js';
import { RunningRunners } from '../../src/runners/running-runners.js';

export interface ReceivedRequest {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingMessage['headers'];
  body: string;
}

export type Reply = (response: ServerResponse, request: ReceivedRequest) => void;

export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Reply =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

export const problem = (status: number, error: object): Reply => json(status, { version: 1, error });

/** What a runner says about a call it does not know. */
export const NO_SUCH_CALL = problem(404, {
  code: 'VB_REQUEST_INVALID',
  message: 'The request is not valid: no such call',
});

/** What a runner says to somebody it does not know, who brings no token: nothing. */
export const NOTHING: Reply = (response) => response.writeHead(404).end();

/** A far end that breaks the connection instead of answering. */
export const breakOff: Reply = (response) => response.destroy();

export const CALL: CallRecord = {
  id: 'out_1',
  direction: 'outbound',
  from: '+12025550100',
  to: '+15551234567',
  state: 'dialling',
  attempt: 1,
  startedAt: 1_000,
};

/** A hand-made server that plays a runner's `/health`, `/start` and `/calls`. */
export class FakeRunner implements AsyncDisposable {
  /** All but those to `/health`. */
  readonly requests: ReceivedRequest[] = [];
  /** Answers to `POST /start`, one after another; the last one stays. */
  starts: Reply[] = [json(202, { version: 1, call_id: 'out_1', carrier_call_id: null })];
  /** Answers to `GET /calls/…` and `GET /calls`, one after another; the last one stays. */
  reads: Reply[] = [];
  readonly #server = createServer(async (request, response) => {
    if (request.url === '/health') return void response.end('{}');
    const { method, url, headers } = request;
    const received = { method, url, headers, body: await text(request) };
    this.requests.push(received);
    const replies = method === 'POST' ? this.starts : this.reads;
    const reply = replies.length > 1 ? replies.shift() : replies[0];
    (reply ?? NO_SUCH_CALL)(response, received);
  });

  static async start(): Promise<FakeRunner> {
    const runner = new FakeRunner();
    await once(runner.#server.listen(0, '127.0.0.1'), 'listening');
    return runner;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Lets commands with this state directory find it. */
  async announce(stateDirectory: string, token?: string): Promise<void> {
    const { port, url } = this;
    const runner = { version: 1 as const, pid: process.pid, port, url, startedAt: 1, ...(token && { token }) };
    await new RunningRunners(stateDirectory).announce(runner);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
