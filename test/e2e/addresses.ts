import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Where a server on this machine listens. */
export const originOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

/** An address on this machine where nobody listens. */
export async function unusedAddress(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = originOf(server);
  await new Promise((resolve) => server.close(resolve));
  return origin;
}
