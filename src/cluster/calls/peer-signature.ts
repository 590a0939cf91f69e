import type { IncomingMessage } from 'node:http';
import type { PassSigner } from '../../runner/calls/carrier/stream-pass.js';

/** Tells one runner of a cluster that a request comes from another: `<its id>.<id of whom it asks>.<milliseconds since the Unix epoch>.<signature>`. */
export const PEER_HEADER = 'x-voicebot-peer';
/** Longest that a request may be on its way, and the clocks apart, in milliseconds. */
const FRESH_MS = 15_000;

/** Who asks whom, by their ids: a runner that starts at the address of an earlier one has an id of its own. */
export interface PeerPair {
  readonly from: string;
  readonly to: string;
}

const textOf = ({ from, to }: PeerPair, at: number, method: string, target: string) =>
  `peer request\n${from}\n${to}\n${at}\n${method}\n${target}`;

/** @param target path and query */
export function signPeerRequest(signer: PassSigner, peers: PeerPair, method: string, target: string): string {
  const at = Date.now();
  return `${peers.from}.${peers.to}.${at}.${signer.sign(textOf(peers, at, method, target))}`;
}

/** Which runner of this cluster has sent the request, and to which; undefined for one that comes from elsewhere. */
export function peerOf(
  signer: PassSigner,
  { headers, method = '', url = '' }: Pick<IncomingMessage, 'headers' | 'method' | 'url'>,
): PeerPair | undefined {
  const header = headers[PEER_HEADER];
  const [, from, to, at, signature] =
    /^([0-9a-f]{1,32})\.([0-9a-f]{1,32})\.(\d{1,15})\.([\w.-]{1,128})$/.exec(String(header ?? '')) ?? [];
  if (from === undefined || to === undefined || signature === undefined) return undefined;
  if (Math.abs(Date.now() - Number(at)) > FRESH_MS) return undefined;
  return signer.verifies(textOf({ from, to }, Number(at), method, url), signature) ? { from, to } : undefined;
}
