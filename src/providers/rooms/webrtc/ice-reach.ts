import { networkInterfaces } from 'node:os';
import type { RTCPeerConnectionConfig } from 'werift';

const LOOPBACK = '127.0.0.1';

/** Which addresses a connection uses, ours and those of the other side. */
export interface IceReach {
  readonly config: RTCPeerConnectionConfig;
  /** Whether the other side may be at this address. */
  allows(host: string): boolean;
}

const isLoopback = (host: string) => host.startsWith('127.');

/** One socket, which no other machine on the network can send to. */
export const loopbackReach: IceReach = {
  config: {
    iceUseIpv4: false,
    iceAdditionalHostAddresses: [LOOPBACK],
    iceInterfaceAddresses: { udp4: LOOPBACK },
  },
  allows: isLoopback,
};

/** Every address of this machine and none of another one: for browsers on it, which do not offer the loopback address. */
function machineReach(): IceReach {
  const own = new Set(Object.values(networkInterfaces()).flatMap((list) => list?.map(({ address }) => address) ?? []));
  const allows = (host: string) => isLoopback(host) || own.has(host);
  return {
    config: {
      iceAdditionalHostAddresses: [LOOPBACK],
      iceFilterStunResponse: (_message, [host]) => allows(host),
    },
    allows,
  };
}

export const networkReach: IceReach = { config: {}, allows: () => true };

/** @param hosts where the other side says it can be reached */
export const localReachTo = (hosts: readonly string[]): IceReach =>
  hosts.some(isLoopback) ? loopbackReach : machineReach();
