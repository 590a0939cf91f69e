import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

/** The reverse proxies of the operator, through which strangers reach this server. */
export class TrustedProxies {
  readonly #networks = new BlockList();

  /** @param networks IP addresses, or networks as `10.0.0.0/8` */
  constructor(networks: readonly string[] = []) {
    for (const network of networks) {
      const [address = '', bits] = network.split('/');
      const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
      if (bits === undefined) this.#networks.addAddress(address, family);
      else this.#networks.addSubnet(address, Number(bits), family);
    }
  }

  /** @param address of a peer; anything that is no IP address is no proxy's */
  includes(address: string): boolean {
    const plain = plainAddress(address);
    const version = isIP(plain);
    return version !== 0 && this.#networks.check(plain, version === 6 ? 'ipv6' : 'ipv4');
  }

  /**
   * The address that a request came from: the peer, unless that is one of our proxies. A proxy appends the address it saw
   * to `X-Forwarded-For`, so the last one there that is no proxy of ours is the client; what stands before it, anybody may
   * have written.
   */
  clientOf({ socket, headers }: IncomingMessage): string {
    const hops = String(headers['x-forwarded-for'] ?? '').split(',');
    let client = plainAddress(socket.remoteAddress ?? '');
    while (this.includes(client)) {
      const hop = plainAddress(hops.pop() ?? '');
      if (isIP(hop) === 0) break;
      client = hop;
    }
    return client;
  }
}

/** Without what some systems and proxies add: brackets and port, the IPv6 form of IPv4, a zone. */
function plainAddress(text: string): string {
  const address = text
    .trim()
    .replace(/^\[([^\]]*)\](:\d+)?$/, '$1')
    .replace(/^([\d.]+):\d+$/, '$1');
  return address.replace(/^::ffff:(?=[\d.]+$)/i, '').replace(/%.*$/, '');
}
