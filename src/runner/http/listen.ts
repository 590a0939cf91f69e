import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { VoicebotError } from '../../base/errors.js';

/** A request's head must be there within 10 s and the whole of it within 15 s. Addresses carry up to 11 KiB of data. */
const SERVER_LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: 32 * 1_024,
};

/** Where a runner is asked. */
export interface RunnerServer {
  /** Has the requests for the runner, and the upgrades. */
  readonly server: Server;
  /** Where this machine reaches the runner, without a trailing slash: once it is open. */
  readonly url: string;
  readonly port: number;
  /** Lets requests in. @throws VoicebotError VB_PORT_IN_USE, and what the system says of the address */
  open(): Promise<void>;
  /** Lets no more in, and ends those that go on. */
  close(): void;
}

/** The server of a runner that is a program of its own. @param others so many ports after `port` may be taken in its place */
export function ownServer(host: string, port: number, others = 0): RunnerServer {
  const server = createRunnerServer();
  const address = () => server.address() as AddressInfo;
  return {
    server,
    get url() {
      return localUrlOf(address());
    },
    get port() {
      return address().port;
    },
    open: () => listen(server, port, host, others),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** The runner's server. It does not listen yet. */
export const createRunnerServer = (): Server => createServer(SERVER_LIMITS);

/**
 * @param others so many ports after this one may be taken in its place
 * @throws VoicebotError VB_PORT_IN_USE, and what the system says of the address
 */
export async function listen(server: Server, port: number, host: string, others = 0): Promise<void> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EADDRINUSE') throw error;
    if (others > 0 && port < 65_535) return listen(server, port + 1, host, others - 1);
    throw new VoicebotError('VB_PORT_IN_USE', `${host}:${port}`, {
      hint: 'stop the other program or choose another port with --port',
      cause: error,
    });
  }
}

/** Where this machine reaches a server that listens there. */
export function localUrlOf({ address, family, port }: AddressInfo): string {
  const host = address === '0.0.0.0' || address === '::' ? '127.0.0.1' : address;
  return `http://${family === 'IPv6' && host === address ? `[${host}]` : host}:${port}`;
}
