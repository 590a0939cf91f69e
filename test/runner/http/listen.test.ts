import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { listen } from '../../../src/runner/http/listen.js';

const host = '127.0.0.1';
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

function aServer(): Server {
  const server = createServer();
  servers.push(server);
  return server;
}

const portOf = (server: Server) => (server.address() as AddressInfo).port;

test('a port that another program has taken by now is replaced by the next free one, where others may be taken', async () => {
  const [first, second, third] = [aServer(), aServer(), aServer()];
  await once(first.listen(0, host), 'listening');
  const port = portOf(first);
  await Promise.all([listen(second, port, host, 100), listen(third, port, host, 100)]);
  const taken = [portOf(second), portOf(third)];
  for (const one of taken) expect(one).toBeGreaterThan(port);
  expect(new Set(taken).size).toBe(2);
});

test('a port that was named is not replaced', async () => {
  const [first, second] = [aServer(), aServer()];
  await once(first.listen(0, host), 'listening');
  await expect(listen(second, portOf(first), host)).rejects.toMatchObject({ code: 'VB_PORT_IN_USE' });
});
