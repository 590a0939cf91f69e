import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { WebSocket, WebSocketServer } from 'ws';
import type { RunnerServer } from '../../../src/runner/http/listen.js';
import { sharedServer } from '../../../src/runner/http/shared-server.js';

/** An application that answers with what it was asked for, and a runner beside it that does the same. */
class Shared implements AsyncDisposable {
  readonly app: Server = createServer((request, response) => void response.end(`app ${request.url}`));
  readonly part: RunnerServer = sharedServer(this.app, '/voice/bot');

  static async open(): Promise<Shared> {
    const shared = new Shared();
    shared.app.listen(0, '127.0.0.1');
    await once(shared.app, 'listening');
    shared.part.server.on('request', async (request: IncomingMessage, response) => {
      response.end(`runner ${request.method} ${request.url} ${await text(request)}`);
    });
    await shared.part.open();
    return shared;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.app.address() as AddressInfo).port}`;
  }

  async ask(path: string, options?: RequestInit): Promise<string> {
    return await (await fetch(this.url + path, options)).text();
  }

  /** How a WebSocket there begins: with its first message, or as it is refused. */
  async greeting(path: string): Promise<string> {
    const socket = new WebSocket(this.url.replace('http', 'ws') + path);
    socket.on('error', () => {});
    const refused = once(socket, 'unexpected-response').then(([, { statusCode }]) => `refused ${statusCode}`);
    const greeted = once(socket, 'message').then(([data]) => String(data));
    return await Promise.race([greeted, refused]).finally(() => socket.terminate());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.part.close();
    this.app.closeAllConnections();
    await new Promise((resolve) => this.app.close(resolve));
  }
}

/** Says hello to all WebSockets of a server, as applications do it: it refuses those of other paths. */
function greetAt(server: Server, path: string | undefined, words: string): void {
  new WebSocketServer({ server, ...(path && { path }) }).on('connection', (socket) => socket.send(words));
}

test('what comes below its path is for the runner, without the path; all else is for the application', async () => {
  await using shared = await Shared.open();
  expect(await shared.ask('/voice/bot/answer?a=1', { method: 'POST', body: 'x=1' })).toBe(
    'runner POST /answer?a=1 x=1',
  );
  expect(await shared.ask('/voice/bots')).toBe('app /voice/bots');
  expect(await shared.ask('/answer')).toBe('app /answer');
  const bare = await fetch(`${shared.url}/voice/bot?x=1`, { redirect: 'manual' });
  expect([bare.status, bare.headers.get('location')]).toEqual([308, '/voice/bot/?x=1']);
  expect(shared.part.url).toBe(`${shared.url}/voice/bot`);
});

test('neither a body parser nor a listener of the application that came later sees what is for the runner', async () => {
  await using shared = await Shared.open();
  shared.app.on('request', (request) => void request.resume());
  expect(await shared.ask('/voice/bot/answer', { method: 'POST', body: 'signed' })).toBe('runner POST /answer signed');
});

test('WebSockets of the application and of the runner live beside each other', async () => {
  await using shared = await Shared.open();
  greetAt(shared.part.server, undefined, 'runner');
  greetAt(shared.app, '/chat', 'app');
  expect(await shared.greeting('/voice/bot/ws')).toBe('runner');
  expect(await shared.greeting('/chat')).toBe('app');
});

test('a WebSocket that is for neither is refused', async () => {
  await using shared = await Shared.open();
  expect(await shared.greeting('/chat')).toBe('refused 404');
});

test('two runners share the server of one application', async () => {
  await using shared = await Shared.open();
  const second = sharedServer(shared.app, '/second');
  second.server.on('request', (request, response) => response.end(`second ${request.url}`));
  await second.open();
  expect(await shared.ask('/second/answer')).toBe('second /answer');
  expect(await shared.ask('/voice/bot/answer')).toBe('runner GET /answer ');
  expect(await shared.greeting('/chat')).toBe('refused 404');
  shared.part.close(); // before the one that came later
  expect(await shared.ask('/second/answer')).toBe('second /answer');
  expect(await shared.ask('/voice/bot/answer')).toBe('app /voice/bot/answer');
  second.close();
});

test('a runner that has closed leaves the whole server to the application, and its streams are gone', async () => {
  await using shared = await Shared.open();
  greetAt(shared.part.server, undefined, 'runner');
  const stream = new WebSocket(`${shared.url.replace('http', 'ws')}/voice/bot/ws`);
  stream.on('error', () => {});
  await once(stream, 'message');
  const closed = once(stream, 'close');
  shared.part.close();
  await closed;
  expect(await shared.ask('/voice/bot/answer')).toBe('app /voice/bot/answer');
});
