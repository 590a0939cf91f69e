import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { NotReached, probePublicUrl } from '../../../src/runner/tunnel/reach.js';
import { ReachProbe } from '../../../src/runner/tunnel/reach-probe.js';
import { AnsweringServer } from './answering-server.js';

const BOTH = { timeoutMs: 5_000, overWebSocket: true };
const never = new AbortController().signal;

/** A server with a port of its own, and a probe of which it knows everything. */
async function serve(answer: (probe: ReachProbe) => RequestListener) {
  const probe = new ReachProbe();
  const server = createServer(answer(probe));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { probe, server, url: `http://127.0.0.1:${port}`, [Symbol.dispose]: close };
}

test('an address that leads here gives the time both answers took', async () => {
  await using server = await AnsweringServer.start();
  expect(await probePublicUrl(server.url, server.probe, BOTH, never)).toBeGreaterThanOrEqual(0);
  expect(await probePublicUrl(`http://some.name.localhost:${server.port}`, server.probe, BOTH, never)).toBeLessThan(
    5_000,
  );
});

test('a question is answered while it is asked, and not afterwards', async () => {
  await using server = await AnsweringServer.start();
  const asked: string[] = [];
  const ask = server.probe.ask.bind(server.probe);
  server.probe.ask = () => {
    const question = ask();
    asked.push(question.path);
    return question;
  };
  await probePublicUrl(server.url, server.probe, BOTH, never);
  await expect(probePublicUrl('http://127.0.0.1:1', server.probe, BOTH, never)).rejects.toThrow(NotReached);
  expect(asked.map((path) => server.probe.answerTo(path))).toEqual([undefined, undefined]);
});

test('a page of somebody else does not pass for ours', async () => {
  using page = await serve(() => (_request, response) => response.end('<h1>Welcome</h1>'));
  await expect(probePublicUrl(page.url, page.probe, BOTH, never)).rejects.toThrow(
    'an answer that is not ours: something else is at this address',
  );
});

test('another runner at the address does not pass for ours', async () => {
  await using other = await AnsweringServer.start();
  await expect(probePublicUrl(other.url, new ReachProbe(), BOTH, never)).rejects.toThrow('an answer that is not ours');
});

test('an endless page is not read to its end', async () => {
  using page = await serve(() => (_request, response) => {
    const more = (error?: Error | null) => !error && response.write(Buffer.alloc(65_536), more);
    more();
  });
  await expect(probePublicUrl(page.url, page.probe, BOTH, never)).rejects.toThrow('an answer that is not ours');
});

test.each([502, 404, 301])('an answer of status %d is named', async (status) => {
  using page = await serve(() => (_request, response) => {
    response.writeHead(status, { location: 'http://127.0.0.1:1/' }).end();
  });
  await expect(probePublicUrl(page.url, page.probe, BOTH, never)).rejects.toThrow(`HTTP ${status}`);
});

test('both headers that skip a warning page are sent', async () => {
  await using server = await AnsweringServer.start();
  await expect(probePublicUrl(server.url, new ReachProbe(), BOTH, never)).rejects.toThrow(NotReached);
  expect(server.requests[0]?.headers).toMatchObject({
    'bypass-tunnel-reminder': '1',
    'ngrok-skip-browser-warning': '1',
  });
});

test('a server that answers HTTP and refuses upgrades is not enough', async () => {
  using page = await serve((probe) => (request, response) => response.end(probe.answerTo(request.url ?? '')));
  page.server.on('upgrade', (_request, socket) => {
    socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
  });
  await expect(probePublicUrl(page.url, page.probe, { ...BOTH, overWebSocket: false }, never)).resolves.toBeDefined();
  await expect(probePublicUrl(page.url, page.probe, BOTH, never)).rejects.toThrow(
    'the WebSocket upgrade was answered with HTTP 400',
  );
});

test('a server that drops upgrades is not enough', async () => {
  using page = await serve((probe) => (request, response) => response.end(probe.answerTo(request.url ?? '')));
  page.server.on('upgrade', (_request, socket) => socket.destroy());
  await expect(probePublicUrl(page.url, page.probe, BOTH, never)).rejects.toThrow('the WebSocket failed');
});

test('silence ends with the deadline, and is told apart from refusal', async () => {
  using page = await serve(() => () => {});
  const attempt = probePublicUrl(page.url, page.probe, { ...BOTH, timeoutMs: 50 }, never);
  await expect(attempt).rejects.toMatchObject({ message: 'no answer within 0.05 s', isLate: true });
});

test('a WebSocket that stays silent ends with the deadline', async () => {
  using page = await serve((probe) => (request, response) => response.end(probe.answerTo(request.url ?? '')));
  page.server.on('upgrade', (_request, socket) => {
    socket
      .on('error', () => {})
      .on('end', () => socket.end())
      .resume();
  });
  const attempt = probePublicUrl(page.url, page.probe, { ...BOTH, timeoutMs: 300 }, never);
  await expect(attempt).rejects.toMatchObject({ message: 'no answer within 0.3 s', isLate: true });
});

test('a name that does not resolve, a closed port and a broken connection are named', async () => {
  const probe = new ReachProbe();
  await expect(probePublicUrl('http://no-such-name.invalid', probe, BOTH, never)).rejects.toThrow(
    'the name does not resolve',
  );
  await expect(probePublicUrl('http://127.0.0.1:1', probe, BOTH, never)).rejects.toThrow('nothing listens there');
  const rude = createTcpServer((socket) => socket.once('data', () => socket.destroy()));
  await once(rude.listen(0, '127.0.0.1'), 'listening');
  const { port } = rude.address() as AddressInfo;
  const attempt = probePublicUrl(`http://127.0.0.1:${port}`, probe, BOTH, never);
  await expect(attempt).rejects.toMatchObject({ message: 'the connection broke off', isLate: false });
  rude.close();
});

test('aborting ends a question with the reason', async () => {
  const abort = new AbortController();
  const reason = new Error('enough');
  using page = await serve(() => () => abort.abort(reason));
  await expect(probePublicUrl(page.url, page.probe, BOTH, abort.signal)).rejects.toBe(reason);
  await expect(probePublicUrl(page.url, page.probe, BOTH, abort.signal)).rejects.toBe(reason);
});
