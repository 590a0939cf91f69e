import { VoicebotError } from '../../base/errors.js';
import { isLoopbackHost } from '../../base/http/loopback-host.js';
import type { PublicSideKind } from './contract.js';

export interface TunnelFailureOptions extends ErrorOptions {
  /** The remedy for this failure; the message names the other kinds of tunnel after it. */
  readonly hint?: string;
}

/** @returns VB_TUNNEL_FAILED, with a hint that names other ways to be reached */
export function tunnelFailure(kind: PublicSideKind, detail: string, options: TunnelFailureOptions = {}): VoicebotError {
  const { hint, ...rest } = options;
  return new VoicebotError('VB_TUNNEL_FAILED', kind === 'public-url' ? detail : `${kind}: ${detail}`, {
    ...rest,
    hint: [hint, OTHER_WAYS[kind]].filter(Boolean).join(' '),
  });
}

const OWN_ADDRESS = '--public-url https://… for an address of your own';

const OTHER_WAYS: Record<PublicSideKind, string> = {
  localtunnel: `Use --tunnel cloudflared or --tunnel ngrok instead, or ${OWN_ADDRESS}.`,
  cloudflared: `Use --tunnel ngrok or --tunnel localtunnel instead, or ${OWN_ADDRESS}.`,
  ngrok: `Use --tunnel cloudflared or --tunnel localtunnel instead, or ${OWN_ADDRESS}.`,
  'public-url':
    'Check that it leads to the port of this runner and lets WebSockets through, or open a tunnel: --tunnel cloudflared, --tunnel ngrok.',
};

/**
 * The origin of an address that a tunnel's server gave out. The audio of calls must not cross a network unencrypted.
 * @returns undefined when it is neither https nor on this machine
 */
export function publicOrigin(address: unknown): string | undefined {
  const url = typeof address === 'string' && URL.canParse(address) ? new URL(address) : undefined;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname));
  return isSafe ? url?.origin : undefined;
}
