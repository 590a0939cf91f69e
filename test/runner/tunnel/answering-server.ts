import { once } from 'node:events';
import { createServer, type Server, type ServerOptions } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import express from 'express';
import { WebSocketServer } from 'ws';
import { answerReachUpgrades, isReachProbe, reachRoute } from '../../../src/runner/http/reach-answers.js';
import { ReachProbe } from '../../../src/runner/tunnel/reach-probe.js';

/** A server that answers its questions as a runner does, and sends back what comes over any other WebSocket. */
export class AnsweringServer implements AsyncDisposable {
  readonly probe = new ReachProbe();
  /** Of the requests that were no questions: what they asked for, and by which name. */
  readonly requests: Array<{ path: string; host: string | undefined; headers: NodeJS.Dict<string | string[]> }> = [];
  /** Connections that something was or can be sent on. */
  readonly connections = new Set<Socket>();
  readonly #server: Server;
  readonly #sockets = new WebSocketServer({ noServer: true, maxPayload: 2 ** 22 });

  static async start(options?: ServerOptions): Promise<AnsweringServer> {
    const server = new AnsweringServer(options);
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  private constructor(options: ServerOptions = {}) {
    const app = express();
    app.use(reachRoute(this.probe));
    app.use((request, response) => {
      this.requests.push({ path: request.url, host: request.headers.host, headers: request.headers });
      response.send('hello');
    });
    this.#server = createServer(options, app);
    answerReachUpgrades(this.#server, this.probe, false);
    this.#server.on('connection', (socket) => {
      this.connections.add(socket);
      socket.once('close', () => this.connections.delete(socket));
    });
    this.#server.on('upgrade', (request, socket, head) => {
      if (isReachProbe(request)) return;
      this.#sockets.handleUpgrade(request, socket, head, (webSocket) => {
        webSocket.on('error', () => {});
        webSocket.on('message', (data, isBinary) => webSocket.send(data, { binary: isBinary }));
      });
    });
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** WebSockets that are open for something else than questions. */
  get webSockets(): number {
    return this.#sockets.clients.size;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.connections) socket.destroy();
    await closed;
  }
}
