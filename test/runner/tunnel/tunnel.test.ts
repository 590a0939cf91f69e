import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { deferred } from '../../../src/base/async/deferred.js';
import type { TunnelLink, TunnelProvider } from '../../../src/runner/tunnel/contract.js';
import { localtunnelProvider } from '../../../src/runner/tunnel/localtunnel.js';
import { publicUrlProvider } from '../../../src/runner/tunnel/public-url.js';
import { ReachProbe } from '../../../src/runner/tunnel/reach-probe.js';
import { Tunnel, type TunnelOptions } from '../../../src/runner/tunnel/tunnel.js';
import { until } from '../../e2e/processes.js';
import { AnsweringServer } from './answering-server.js';
import { TunnelServer } from './tunnel-server.js';

jest.setTimeout(60_000);

const never = new AbortController().signal;
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** What a test says a link is, and what became of it. */
class FakeProvider implements TunnelProvider {
  readonly kind = 'cloudflared';
  readonly note = 'a test';
  readonly links: Array<{
    url: string;
    previousUrl: string | undefined;
    isClosed: boolean;
    lose(reason: string): void;
  }> = [];
  /** Addresses for the links to come; the last one stays. An error is thrown instead. */
  urls: Array<string | Error>;

  constructor(...urls: Array<string | Error>) {
    this.urls = urls;
  }

  async open({ previousUrl }: { previousUrl?: string | undefined }): Promise<TunnelLink> {
    const url = this.urls.length > 1 ? (this.urls.shift() as string | Error) : (this.urls[0] as string | Error);
    if (url instanceof Error) throw url;
    const lost = deferred<string>();
    const link = { url, previousUrl, isClosed: false, lose: lost.resolve };
    this.links.push(link);
    const close = async () => {
      link.isClosed = true;
    };
    return { url, maxConnections: 7, lost: lost.promise, close };
  }
}

const quick = { checkEveryMs: 20, firstRetryMs: 10, longestRetryMs: 40 };

async function opened(options: TunnelOptions) {
  const tunnel = await Tunnel.open(options, never);
  return Object.assign(tunnel, { [Symbol.asyncDispose]: () => tunnel.close() });
}

describe('opening', () => {
  test('it is open once both questions came back, and says what it is', async () => {
    await using server = await AnsweringServer.start();
    const provider = new FakeProvider(server.url);
    await using tunnel = await opened({ provider, port: server.port, probe: server.probe, now: () => 123 });
    expect(tunnel).toMatchObject({ kind: 'cloudflared', note: 'a test', url: server.url, maxConnections: 7 });
    expect(tunnel).toMatchObject({ isUp: true, since: 123 });
    expect(await tunnel.check()).toEqual({ isReached: true, ms: expect.any(Number) });
    await tunnel.close();
    await tunnel.close();
    expect(provider.links).toMatchObject([{ isClosed: true }]);
    expect(await tunnel.check()).toEqual({ isReached: false, reason: 'it was closed' });
  });

  test('a name that needs a while is tried until it leads here', async () => {
    await using server = await AnsweringServer.start();
    const probe = new ReachProbe();
    let asked = 0;
    probe.ask = () => {
      asked += 1;
      return (asked < 3 ? new ReachProbe() : server.probe).ask();
    };
    await using tunnel = await opened({ provider: new FakeProvider(server.url), port: 1, probe });
    expect([tunnel.isUp, asked]).toEqual([true, 3]);
  });

  test('a server that answers HTTP and refuses upgrades is no tunnel', async () => {
    const probe = new ReachProbe();
    const server = createServer((request, response) => response.end(probe.answerTo(request.url ?? '')));
    server.on('upgrade', (_request, socket) => socket.end('HTTP/1.1 400 No\r\nContent-Length: 0\r\n\r\n'));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const provider = new FakeProvider(url);
    await expect(Tunnel.open({ provider, port: 1, probe, deadlineMs: 500 }, never)).rejects.toMatchObject({
      code: 'VB_TUNNEL_FAILED',
      message: expect.stringMatching(
        /cloudflared: not within 0\.5 s: http\S+ does not lead here: the WebSocket upgrade was answered with HTTP 400$/,
      ),
      hint: expect.stringMatching(/--tunnel ngrok.*--public-url https/),
    });
    expect(provider.links).toMatchObject([{ isClosed: true }]);
    server.close();
  });

  test('a page of somebody else is no tunnel', async () => {
    await using other = await AnsweringServer.start();
    const options = { provider: publicUrlProvider(other.url), port: 1, probe: new ReachProbe(), deadlineMs: 500 };
    await expect(Tunnel.open(options, never)).rejects.toMatchObject({
      code: 'VB_TUNNEL_FAILED',
      message: expect.stringContaining('something else is at this address'),
      hint: expect.stringContaining('--tunnel cloudflared'),
    });
  });

  test('a link that ends before it led here is a failure with its reason', async () => {
    const provider = new FakeProvider('http://127.0.0.1:1');
    const opening = Tunnel.open({ provider, port: 1, probe: new ReachProbe() }, never);
    await until(() => provider.links.length === 1, 'the link is open');
    provider.links[0]?.lose('the account is over its limit');
    await expect(opening).rejects.toThrow('cloudflared: the account is over its limit');
    expect(provider.links).toMatchObject([{ isClosed: true }]);
  });

  test('aborting gives up with the reason and closes the link', async () => {
    const provider = new FakeProvider('http://127.0.0.1:1');
    const abort = new AbortController();
    const opening = Tunnel.open({ provider, port: 1, probe: new ReachProbe() }, abort.signal);
    await until(() => provider.links.length === 1, 'the link is open');
    const reason = new Error('Ctrl-C');
    abort.abort(reason);
    await expect(opening).rejects.toBe(reason);
    expect(provider.links).toMatchObject([{ isClosed: true }]);
    await expect(Tunnel.open({ provider, port: 1, probe: new ReachProbe() }, abort.signal)).rejects.toBe(reason);
    expect(provider.links).toHaveLength(1);
  });

  test('aborting while a tunnel server is asked leaves no request behind', async () => {
    const asked = deferred<void>();
    const closed = deferred<void>();
    const silent = createServer((request) => {
      request.socket.once('close', () => closed.resolve());
      asked.resolve();
    });
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const provider = localtunnelProvider({ server: `http://127.0.0.1:${(silent.address() as AddressInfo).port}` });
    const abort = new AbortController();
    const opening = Tunnel.open({ provider, port: 1, probe: new ReachProbe() }, abort.signal);
    await asked.promise;
    abort.abort(new Error('Ctrl-C'));
    await expect(opening).rejects.toThrow('Ctrl-C');
    await closed.promise;
    silent.close();
  });

  test('a tunnel server that stays silent is given up at the deadline', async () => {
    const silent = createServer(() => {});
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const provider = localtunnelProvider({ server: `http://127.0.0.1:${(silent.address() as AddressInfo).port}` });
    const opening = Tunnel.open({ provider, port: 1, probe: new ReachProbe(), deadlineMs: 300 }, never);
    await expect(opening).rejects.toMatchObject({
      code: 'VB_TUNNEL_FAILED',
      message: expect.stringContaining('localtunnel: not within 0.3 s: its server does not answer'),
      hint: expect.stringMatching(/--tunnel cloudflared or --tunnel ngrok.*--public-url/),
    });
    silent.closeAllConnections();
    silent.close();
  });

  test('a tunnel server that is down is a failure with its reason, and the process ends by itself', async () => {
    const script = `
      import { localtunnelProvider } from './dist/runner/tunnel/localtunnel.js';
      import { ReachProbe } from './dist/runner/tunnel/reach-probe.js';
      import { Tunnel } from './dist/runner/tunnel/tunnel.js';
      const provider = localtunnelProvider({ server: 'http://127.0.0.1:1' });
      const options = { provider, port: 1, probe: new ReachProbe() };
      await Tunnel.open(options, new AbortController().signal).catch(({ code, message }) => console.log(code, message));
    `;
    const args = ['--input-type=module', '--eval', script];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT, timeout: 50_000 });
    expect(stdout).toMatch(/^VB_TUNNEL_FAILED .*its server http:\/\/127\.0\.0\.1:1 cannot be reached: nothing listens/);
  });
});

describe('watching', () => {
  test('an address that stops leading here is told once, and told again when it does', async () => {
    const server = await AnsweringServer.start();
    const { url } = server;
    const provider = new FakeProvider(url);
    await using tunnel = await opened({ provider, port: 1, probe: server.probe, ...quick });
    const news: unknown[] = [];
    tunnel.on('lost', (reason) => news.push(['lost', reason, tunnel.isUp]));
    tunnel.on('back', (...args) => news.push(['back', ...args, tunnel.isUp]));
    await server[Symbol.asyncDispose]();
    await once(tunnel, 'lost');
    expect(provider.links).toMatchObject([{ isClosed: true }]);

    await using next = await AnsweringServer.start();
    provider.urls = [next.url];
    next.probe.answerTo = (path) => server.probe.answerTo(path);
    await once(tunnel, 'back');
    expect(news).toEqual([
      ['lost', expect.stringMatching(/nothing listens there|broke off/), false],
      ['back', next.url, true, true],
    ]);
    expect(provider.links.at(-1)).toMatchObject({ previousUrl: url, isClosed: false });
    expect(provider.links.slice(0, -1).every(({ isClosed }) => isClosed)).toBe(true);
    expect(tunnel.url).toBe(next.url);
  });

  test('whoever waits for one that was lost has it when it is back, and is told when it does not come', async () => {
    const server = await AnsweringServer.start();
    const { url } = server;
    const provider = new FakeProvider(url);
    const options = { provider, port: 1, probe: server.probe, ...quick, deadlineMs: 5_000 };
    await using tunnel = await opened(options);
    await tunnel.untilUp(never);
    await server[Symbol.asyncDispose]();
    await once(tunnel, 'lost');
    const abort = new AbortController();
    const given = tunnel.untilUp(abort.signal);
    abort.abort(new Error('Ctrl-C'));
    await expect(given).rejects.toThrow('Ctrl-C');
    options.deadlineMs = 1;
    await expect(tunnel.untilUp(never)).rejects.toMatchObject({
      code: 'VB_TUNNEL_FAILED',
      message: expect.stringContaining(`cloudflared: ${url} was lost, and is not back within 0.041 s`),
    });
    options.deadlineMs = 5_000;
    const back = tunnel.untilUp(never);
    await using next = await AnsweringServer.start();
    next.probe.answerTo = (path) => server.probe.answerTo(path);
    provider.urls = [next.url];
    await back;
    expect(tunnel).toMatchObject({ isUp: true, url: next.url });
  });

  test('a link that says it is lost is believed at once, and a fresh one is opened for the same name', async () => {
    await using server = await AnsweringServer.start();
    const provider = new FakeProvider(server.url);
    await using tunnel = await opened({
      provider,
      port: 1,
      probe: server.probe,
      checkEveryMs: 60_000,
      firstRetryMs: 1,
    });
    const lost = once(tunnel, 'lost');
    provider.links[0]?.lose('the server went away');
    expect(await lost).toEqual(['the server went away']);
    expect(await once(tunnel, 'back')).toEqual([server.url, false]);
    expect(provider.links).toMatchObject([{ isClosed: true }, { isClosed: false, previousUrl: server.url }]);
  });

  test('opening again is tried with growing pauses until it works', async () => {
    await using server = await AnsweringServer.start();
    const provider = new FakeProvider(server.url);
    const pauses: number[] = [];
    const wait = async (ms: number, signal: AbortSignal) => {
      signal.throwIfAborted();
      if (ms !== 2_500) pauses.push(ms);
      else await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    };
    await using tunnel = await opened({ provider, port: 1, probe: server.probe, wait });
    provider.urls = [...Array.from({ length: 7 }, () => new Error('no')), server.url];
    provider.links[0]?.lose('gone');
    await once(tunnel, 'back');
    const longest = [500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000, 10_000];
    expect(pauses).toHaveLength(longest.length);
    for (const [i, ms] of pauses.entries()) {
      expect(ms).toBeLessThanOrEqual(longest[i] as number);
      expect(ms).toBeGreaterThanOrEqual((longest[i] as number) * 0.75);
    }
  });

  test('one look that fails means nothing', async () => {
    await using server = await AnsweringServer.start();
    const probe = new ReachProbe();
    let looks = 0;
    probe.ask = () => {
      looks += 1;
      return (looks % 2 === 0 ? new ReachProbe() : server.probe).ask();
    };
    await using tunnel = await opened({ provider: new FakeProvider(server.url), port: 1, probe, ...quick });
    tunnel.once('lost', (reason) => {
      throw new Error(reason);
    });
    await until(() => looks > 20, 'many looks, half of them failing');
    expect(tunnel.isUp).toBe(true);
  });

  test.each([
    [true, 'means nothing while calls take every connection'],
    [false, 'means it is lost'],
  ])('with isFull %s a look without an answer %s', async (isFull) => {
    const probe = new ReachProbe();
    let isSilent = false;
    let ignored = 0;
    await using server = await AnsweringServer.start();
    server.probe.answerTo = (path) => probe.answerTo(path);
    const silent = createServer(() => {
      ignored += 1;
    });
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const provider = new FakeProvider(server.url);
    const options = { provider, port: 1, probe, ...quick, checkEveryMs: 5, checkTimeoutMs: 40, isFull: () => isFull };
    await using tunnel = await opened(options);
    const silentUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    Object.defineProperty(tunnel, 'url', { get: () => (isSilent ? silentUrl : server.url) });
    const lost = once(tunnel, 'lost');
    isSilent = true;
    if (isFull) {
      await until(() => ignored > 6, 'looks that got no answer');
      expect(tunnel.isUp).toBe(true);
    } else {
      expect(await lost).toEqual(['no answer within 0.04 s']);
    }
    silent.closeAllConnections();
    silent.close();
  });

  test('a refusal means it is lost, also while calls take every connection', async () => {
    const server = await AnsweringServer.start();
    const provider = new FakeProvider(server.url);
    const options = { provider, port: 1, probe: server.probe, ...quick, isFull: () => true };
    await using tunnel = await opened(options);
    const lost = once(tunnel, 'lost');
    await server[Symbol.asyncDispose]();
    expect(await lost).toEqual([expect.stringMatching(/nothing listens there|broke off/)]);
  });

  test('closing while it is lost ends the attempts', async () => {
    const server = await AnsweringServer.start();
    const provider = new FakeProvider(server.url);
    const tunnel = await Tunnel.open({ provider, port: 1, probe: server.probe, ...quick }, never);
    await server[Symbol.asyncDispose]();
    await once(tunnel, 'lost');
    await until(() => provider.links.length > 1, 'an attempt');
    await tunnel.close();
    expect(provider.links.every(({ isClosed }) => isClosed)).toBe(true);
    expect(tunnel.isUp).toBe(false);
  });

  test('a fixed address is asked again, under the same name', async () => {
    const server = await AnsweringServer.start();
    const { port } = server;
    const provider = publicUrlProvider(server.url);
    await using tunnel = await opened({ provider, port, probe: server.probe, ...quick });
    expect(tunnel).toMatchObject({ kind: 'public-url', maxConnections: undefined });
    await server[Symbol.asyncDispose]();
    await once(tunnel, 'lost');
    const again = createServer((request, response) => response.end(server.probe.answerTo(request.url ?? '')));
    await once(again.listen(port, '127.0.0.1'), 'listening');
    let upgrades = 0;
    again.on('upgrade', (_request, socket) => {
      upgrades += 1;
      socket.destroy();
    });
    await until(() => upgrades > 0, 'a WebSocket is asked for as well');
    expect(tunnel.isUp).toBe(false);
    again.closeAllConnections();
    again.close();
  });
});

describe('over a real tunnel server', () => {
  test('it dies, comes back under another name, and the new name is told', async () => {
    await using server = await AnsweringServer.start();
    const tunnelServer = await TunnelServer.start();
    const provider = localtunnelProvider({ server: tunnelServer.url });
    await using tunnel = await opened({ provider, port: server.port, probe: server.probe, firstRetryMs: 10 });
    const before = tunnel.url;
    const lost = once(tunnel, 'lost');
    await tunnelServer.stop();
    await lost;

    const options = { port: tunnelServer.port, baseName: 'other.localhost' };
    const back = once(tunnel, 'back');
    await using _again = await TunnelServer.start(options);
    const [url, isNew] = await back;
    expect([url, isNew]).toEqual([before.replace('.localhost', '.other.localhost'), true]);
    expect(await tunnel.check()).toMatchObject({ isReached: true });
  });

  test('a process whose tunnel was closed ends by itself', async () => {
    await using tunnelServer = await TunnelServer.start();
    const script = `
      import { once } from 'node:events';
      import { createServer } from 'node:http';
      import { answerReachUpgrades } from './dist/runner/http/reach-answers.js';
      import { localtunnelProvider } from './dist/runner/tunnel/localtunnel.js';
      import { ReachProbe } from './dist/runner/tunnel/reach-probe.js';
      import { Tunnel } from './dist/runner/tunnel/tunnel.js';
      const probe = new ReachProbe();
      const server = createServer((request, response) => response.end(probe.answerTo(request.url)));
      answerReachUpgrades(server, probe, false);
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const provider = localtunnelProvider({ server: '${tunnelServer.url}' });
      const options = { provider, port: server.address().port, probe };
      const tunnel = await Tunnel.open(options, new AbortController().signal);
      console.log((await tunnel.check()).isReached);
      await tunnel.close();
      server.close();
    `;
    const args = ['--input-type=module', '--eval', script];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT, timeout: 50_000 });
    expect(stdout.trim()).toBe('true');
  });
});
