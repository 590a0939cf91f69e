import type { IncomingMessage, Server } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { asCallId, type CallId } from '../../../call/call-id.js';
import type { Carrier, WebhookCredentials } from '../../../providers/carrier.js';
import { WaitingStream } from '../../bots/waiting-stream.js';
import type { CallTickets } from '../../dialing/call-tickets.js';
import type { ConnectionGuard } from '../../http/connection-guard.js';
import type { CallsElsewhere } from '../../http/elsewhere.js';
import { isPhoneUpgrade } from '../../http/phone-upgrades.js';
import { isReachProbe } from '../../http/reach-answers.js';
import type { RefusalLog } from '../../http/refusal-log.js';
import { refuseUpgrade } from '../../http/refuse-upgrade.js';
import type { WebhookAddresses } from '../../http/webhook-addresses.js';
import type { CarrierDriver } from './carrier-driver.js';

export interface MediaUpgradeOptions {
  carrier: Carrier;
  credentials: WebhookCredentials;
  addresses: WebhookAddresses;
  tickets: CallTickets;
  calls: CarrierDriver;
  guard: ConnectionGuard;
  refusals: RefusalLog;
  /** The calls of the other runners; undefined when there are none. */
  sharing?: CallsElsewhere | undefined;
  /** Accept streams without a signature. They still need the pass of their call. */
  insecure: boolean;
  /** The same for those that have none; a wrong one is refused. */
  takesUnsigned: boolean;
}

/** Accepts media streams on `/ws`: signature, call and pass are checked before anything is upgraded. */
export function acceptMediaStreams(server: Server, options: MediaUpgradeOptions): void {
  server.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    if (isReachProbe(request) || isPhoneUpgrade(request)) return; // have their own listeners
    stream.on('error', () => {});
    if (request.headers.upgrade?.toLowerCase() !== 'websocket') {
      refuseUpgrade(stream, '400 Bad Request', 'Send this request as HTTP/1.1, without an Upgrade header.\n');
      return;
    }
    void admitSoon(request, stream, head, options).catch(() => stream.destroy());
  });
}

/** A stream whose pass is not good here may come again before it is known that its bot is gone, or be of another runner's call. */
async function admitSoon(request: IncomingMessage, stream: Duplex, head: Buffer, options: MediaUpgradeOptions) {
  const { calls, sharing } = options;
  const refusal = refusalOf(request, options);
  const { callId, token } = credentialsOf(request);
  const lost = refusal === 'pass' ? calls.losesBot(callId, token) : undefined;
  if (lost) await lost;
  if (refusal === 'pass' && !lost && sharing) await admitFromElsewhere(request, stream, head, { ...options, sharing });
  else admit(request, stream, head, options, lost ? refusalOf(request, options) : refusal);
}

/** The document of the stream may be another runner's, and the call move here with its stream. */
async function admitFromElsewhere(
  request: IncomingMessage,
  stream: Duplex,
  head: Buffer,
  options: MediaUpgradeOptions & { sharing: CallsElsewhere },
): Promise<void> {
  const { callId, token } = credentialsOf(request);
  const { sharing } = options;
  const elsewhere = sharing.isFromPeer(request) ? undefined : await sharing.bringForStream(callId, token);
  if (elsewhere) elsewhere(request, stream, head);
  else admit(request, stream, head, options, refusalOf(request, options));
}

function admit(
  request: IncomingMessage,
  stream: Duplex,
  head: Buffer,
  options: MediaUpgradeOptions,
  refusal: string | undefined,
): void {
  if (refusal !== undefined || !(stream instanceof Socket)) {
    // With the pass of its call it is most likely the call's own stream.
    const ofCall = refusal === 'signature' || refusal === 'data' ? { callId: credentialsOf(request).callId } : {};
    const path = pathOf(request).split('/', 3).join('/'); // without the pass
    options.refusals.refuse('bad_stream', { reason: refusal, path, ...ofCall }, request);
    refuseUpgrade(stream, refusal === 'unknown path' ? '404 Not Found' : '403 Forbidden');
    return;
  }
  const { callId } = credentialsOf(request);
  options.guard.trust(stream);
  WaitingStream.answer(request, stream, head, (answered) => options.calls.connect(callId, answered));
}

function refusalOf(request: IncomingMessage, options: MediaUpgradeOptions): string | undefined {
  const { carrier, credentials, addresses, tickets, calls, insecure, takesUnsigned } = options;
  if (!/^\/ws(\/[^/]+\/[^/]+)?$/.test(pathOf(request))) return 'unknown path';
  if (isForeignPage(request, addresses)) return 'origin';
  const { callId, token } = credentialsOf(request);
  if (!calls.admits(callId, token)) return 'pass'; // first, since it costs least
  const { headers } = request;
  const isSignedFor = (address: string) =>
    carrier.verifyUpgrade({ url: address.replace(/^http/, 'ws'), headers }, credentials);
  const needsNone = insecure || (takesUnsigned && headers[carrier.signatureHeader] === undefined);
  if (!needsNone && !addresses.of(request.url ?? '/').some(isSignedFor)) return 'signature';
  if (tickets.read(queryOf(request)) === 'refused') return 'data';
  return undefined;
}

/**
 * Browsers name the page that opens a socket, and no page has any business here. Some clients of carriers name the address
 * that they connect to.
 * @see RFC 6455 section 10.2
 */
function isForeignPage({ headers }: IncomingMessage, addresses: WebhookAddresses): boolean {
  const { origin } = headers;
  if (origin === undefined) return false;
  const host = URL.canParse(origin) ? new URL(origin).host : '';
  return !addresses.of('/').some((address) => new URL(address).host === host);
}

function pathOf(request: IncomingMessage): string {
  return request.url?.split('?', 1)[0] ?? '';
}

function queryOf(request: IncomingMessage): URLSearchParams {
  return new URLSearchParams(request.url?.split('?')[1] ?? '');
}

/** In the query, or in the path where a carrier's streams can have no query: `/ws/<call>/<token>`. */
function credentialsOf(request: IncomingMessage): { callId: CallId; token: string } {
  const [, , callId, token] = pathOf(request).split('/');
  if (callId !== undefined && token !== undefined) return { callId: asCallId(decoded(callId)), token };
  const query = queryOf(request);
  return { callId: asCallId(query.get('call_id') ?? ''), token: query.get('token') ?? '' };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return '';
  }
}
