import { EventEmitter, once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, Socket } from 'node:net';
import { ConnectionGuard, type ConnectionGuardOptions } from '../../../src/runner/http/connection-guard.js';
import { Inbox } from '../../sandbox/inbox.js';

const HALF_A_HEADER = 'POST /answer HTTP/1.1\r\nHost: runner\r\nX-More: ';
const HALF_A_BODY = 'POST /answer HTTP/1.1\r\nHost: runner\r\nContent-Length: 10\r\n\r\n12345';
const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: runner\r\n\r\n`;

/** A guarded server: `/trusted` shows who asks, `/slow` is answered when the test says so, the rest at once. */
class GuardedServer implements AsyncDisposable {
  readonly slow = new Inbox<ServerResponse>();
  /** The server's ends of connections that are over. */
  readonly closings = new Inbox<Socket>();
  readonly #server = createServer();
  readonly #arrivals = new Inbox<Socket>();
  readonly #clients: Socket[] = [];

  static async start(options: ConnectionGuardOptions): Promise<GuardedServer> {
    const guarded = new GuardedServer(new ConnectionGuard(options));
    guarded.#server.listen(0, '127.0.0.1');
    await once(guarded.#server, 'listening');
    return guarded;
  }

  private constructor(guard: ConnectionGuard) {
    guard.attach(this.#server);
    this.#server.on('connection', (socket) => {
      this.#arrivals.push(socket);
      socket.once('close', () => this.closings.push(socket));
    });
    this.#server.on('request', (request, response) => {
      if (request.url === '/trusted') guard.trust(request.socket);
      if (request.url === '/slow') this.slow.push(response);
      else request.resume().once('end', () => response.end());
    });
  }

  /** A connection the server has seen; resolves in the order of the server. */
  async connect(sent = '', localAddress = '127.0.0.1'): Promise<Client> {
    const { port } = this.#server.address() as AddressInfo;
    const client = new Client(connect({ port, host: '127.0.0.1', localAddress }));
    this.#clients.push(client.socket);
    if (sent !== '') client.socket.write(sent);
    await this.#arrivals.next();
    return client;
  }

  async connectMany(count: number, sent = ''): Promise<Client[]> {
    const clients: Client[] = [];
    while (clients.length < count) clients.push(await this.connect(sent));
    return clients;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.#clients) client.destroy();
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}

/** The far end of one connection. */
class Client {
  readonly closed: Promise<unknown>;
  #received = '';
  readonly #news = new EventEmitter();

  constructor(readonly socket: Socket) {
    socket.on('error', () => {}); // shows as the close
    socket.setEncoding('utf8').on('data', (data) => {
      this.#received += data;
      this.#news.emit('data');
    });
    this.closed = new Promise((resolve) => socket.once('close', resolve));
  }

  get isClosed(): boolean {
    return this.socket.closed;
  }

  /** The status of the next answer. */
  async ask(path: string): Promise<number> {
    this.socket.write(get(path));
    return await this.status();
  }

  async status(): Promise<number> {
    for (;;) {
      const [answer, status] = /^HTTP\/1\.1 (\d+) [\s\S]*?\r\n\r\n/.exec(this.#received) ?? [];
      if (answer !== undefined) {
        this.#received = this.#received.slice(answer.length);
        return Number(status);
      }
      await Promise.race([once(this.#news, 'data'), this.closed.then(() => Promise.reject(new Error('closed')))]);
    }
  }
}

const openOf = (clients: readonly Client[]) => clients.map(({ isClosed }) => !isClosed);

test('half a header keeps its place until one too many comes, then the oldest goes first', async () => {
  await using server = await GuardedServer.start({ maxUnknownPerAddress: 3 });
  const [oldest, older, young] = (await server.connectMany(3, HALF_A_HEADER)) as [Client, Client, Client];
  const fourth = await server.connect(HALF_A_HEADER);
  await oldest.closed;
  expect(openOf([older, young, fourth])).toEqual([true, true, true]);
  const fifth = await server.connect();
  await older.closed;
  expect(openOf([young, fourth, fifth])).toEqual([true, true, true]);
});

test('256 are allowed unless told otherwise', async () => {
  await using server = await GuardedServer.start({});
  const clients = await server.connectMany(257);
  await clients[0]?.closed;
  expect(openOf(clients).filter(Boolean)).toHaveLength(256);
});

test.each([
  ['that never say a word', ''],
  ['with half a header', HALF_A_HEADER],
  ['with half a body', HALF_A_BODY],
])('a fresh good request gets through any number of connections %s', async (_, sent) => {
  await using server = await GuardedServer.start({ maxUnknownPerAddress: 4 });
  for (let round = 0; round < 5; round += 1) {
    await server.connectMany(4, sent);
    const good = await server.connect();
    expect(await good.ask('/trusted')).toBe(200);
  }
});

test('a trusted connection is never pushed out', async () => {
  await using server = await GuardedServer.start({ maxUnknownPerAddress: 2 });
  const trusted = await server.connect();
  expect(await trusted.ask('/trusted')).toBe(200);
  expect(await trusted.ask('/trusted')).toBe(200); // a second time changes nothing
  const [first] = await server.connectMany(10, HALF_A_HEADER);
  await first?.closed;
  expect(await trusted.ask('/anything')).toBe(200);
});

test('a trusted connection and a closed one leave their places to others', async () => {
  await using server = await GuardedServer.start({ maxUnknownPerAddress: 3 });
  const [oldest, trusted, closing] = (await server.connectMany(3)) as [Client, Client, Client];
  expect(await trusted.ask('/trusted')).toBe(200);
  closing.socket.destroy();
  await server.closings.next();
  const others = await server.connectMany(2);
  for (const client of [oldest, trusted, ...others]) expect(await client.ask('/anything')).toBe(200);
});

test('a request that is being answered is let finish, and the next oldest goes in its place', async () => {
  await using server = await GuardedServer.start({ maxUnknownPerAddress: 2 });
  const answered = await server.connect(get('/slow'));
  const response = await server.slow.next();
  const waiting = await server.connect();
  await server.connect();
  await waiting.closed;
  response.end();
  expect(await answered.status()).toBe(200);
});

test('an answer that has been given protects no longer', async () => {
  await using server = await GuardedServer.start({ maxUnknownPerAddress: 2 });
  const [answered, other] = (await server.connectMany(2)) as [Client, Client];
  expect(await answered.ask('/anything')).toBe(200);
  await server.connect();
  await answered.closed;
  expect(await other.ask('/anything')).toBe(200);
});

test('when all are being answered, the newcomer has to go', async () => {
  await using server = await GuardedServer.start({ maxUnknownPerAddress: 2 });
  const busy = await server.connectMany(2, get('/slow'));
  const responses = [await server.slow.next(), await server.slow.next()];
  const newcomer = await server.connect();
  await newcomer.closed;
  for (const response of responses) response.end();
  expect(await Promise.all(busy.map((client) => client.status()))).toEqual([200, 200]);
});

test('asking again and again does not make a connection younger', async () => {
  await using server = await GuardedServer.start({ maxUnknownPerAddress: 2 });
  const [busy, fresh] = (await server.connectMany(2)) as [Client, Client];
  for (let request = 0; request < 5; request += 1) expect(await busy.ask('/anything')).toBe(200);
  await server.connect(HALF_A_HEADER);
  await busy.closed;
  expect(await fresh.ask('/trusted')).toBe(200);
});

// Only there does every address of 127.0.0.0/8 belong to this machine by itself.
const onLinux = process.platform === 'linux' ? test : test.skip;
onLinux('a flood from one address leaves the connections of another alone (needs Linux)', async () => {
  await using server = await GuardedServer.start({ maxUnknownPerAddress: 2 });
  const others = [await server.connect('', '127.0.0.2'), await server.connect(HALF_A_HEADER, '127.0.0.2')];
  const [first] = await server.connectMany(20, HALF_A_HEADER);
  await first?.closed;
  expect(openOf(others)).toEqual([true, true]);
  expect(await others[0]?.ask('/anything')).toBe(200);
});

/** A connection as the server reports it, from an address this machine does not have. */
class ReportedSocket extends Socket {
  constructor(override readonly remoteAddress: string) {
    super();
  }
}

/** Which of these connections, in their order, still stand when one address may have one. */
function remaining(...addresses: string[]): boolean[] {
  const server = new EventEmitter() as Server;
  new ConnectionGuard({ maxUnknownPerAddress: 1 }).attach(server);
  const sockets = addresses.map((address) => new ReportedSocket(address));
  for (const socket of sockets) server.emit('connection', socket);
  return sockets.map(({ destroyed }) => !destroyed);
}

test('of many that come at the very same moment the newest stays', () => {
  expect(remaining('192.0.2.1', '192.0.2.1', '192.0.2.1', '192.0.2.1')).toEqual([false, false, false, true]);
});

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['192.0.2.1', '::ffff:192.0.2.1'],
  ['::FFFF:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2::1', '2001:db8:1:2::2'],
  ['2001:db8:1:2::', '2001:db8:1:2:ffff:ffff:ffff:ffff'],
  ['2001:db8::1:0:0:1', '2001:db8::2:0:0:2'],
  ['2001:db8::', '2001:db8:0:0:1::'],
  ['fe80::1%eth0', 'fe80::2%eth0'],
  ['::1', '::2'],
])('%s and %s count as one address', (first, second) => {
  expect(remaining(first, second)).toEqual([false, true]);
});

test.each([
  ['192.0.2.1', '192.0.2.11'],
  ['::ffff:192.0.2.1', '::ffff:192.0.2.2'],
  ['2001:db8:1:2::1', '2001:db8:1:3::1'],
  ['2001:db8::1:0:0:0:1', '2001:db8::2:0:0:0:1'],
  ['2001:db8::', '2001:db8:1::'],
  ['::1', '127.0.0.1'],
])('%s and %s count as two', (first, second) => {
  expect(remaining(first, second)).toEqual([true, true]);
});

test('a reverse proxy may bring as many as it likes, others may not', async () => {
  const isProxy = (address: string) => address === '127.0.0.2';
  await using server = await GuardedServer.start({ maxUnknownPerAddress: 1, isProxy });
  const proxied: Client[] = [];
  while (proxied.length < 5) proxied.push(await server.connect(HALF_A_HEADER, '127.0.0.2'));
  const [first] = await server.connectMany(2, HALF_A_HEADER);
  await first?.closed;
  expect(proxied.map(({ isClosed }) => isClosed)).toEqual(Array(5).fill(false));
});
