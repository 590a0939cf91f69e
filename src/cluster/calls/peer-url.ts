import { networkInterfaces } from 'node:os';

/**
 * Where the other runners of a cluster reach one that listens here and advertises no address of its own.
 * @param host `0.0.0.0` and `::` stand for the machine's first address in its network, or for this machine where it has none
 */
export function peerUrlOf(host: string, port: number): string {
  const isAny = host === '0.0.0.0' || host === '::';
  const address = isAny ? (ownAddress() ?? '127.0.0.1') : host;
  return `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
}

const ownAddress = (): string | undefined =>
  Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4')?.address;
