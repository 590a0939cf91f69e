import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type RawData, WebSocket, WebSocketServer } from 'ws';
import type { RunnerAccess } from './access.js';
import type { ConnectionGuard } from './connection-guard.js';
import { mayPhone, type PhoneNetworkAccess } from './phone-routes.js';
import type { RefusalLog } from './refusal-log.js';
import { refuseUpgrade } from './refuse-upgrade.js';

const PHONE_PATH = '/phone';
/** What the server names of the protocols that a page offers: never the one that carries the token. */
const PROTOCOL = 'voicebot.phone';

/** Of either side: a request or a notice as JSON, or 20 ms of audio. */
const MAX_MESSAGE_BYTES = 4_096;
/** What may wait for a side that does not read, in bytes: five seconds of audio. */
const MAX_WAITING_BYTES = 40_000;
/** Pages that may have a phone at once. */
const MAX_PHONES = 16;
const CONNECT_DEADLINE_MS = 5_000;
/** How long a side may take to say goodbye. */
const CLOSE_DEADLINE_MS = 500;

const MAX_REASON_BYTES = 123;

const GOING_AWAY = 1_001;
const TOO_SLOW = 1_008;
const TRY_AGAIN_LATER = 1_013;

export interface PhoneUpgradesOptions {
  /** Undefined: there is none. */
  network: PhoneNetworkAccess | undefined;
  access: RunnerAccess;
  guard: ConnectionGuard;
  refusals: RefusalLog;
}

export const isPhoneUpgrade = ({ url }: IncomingMessage): boolean => url?.split('?', 1)[0] === PHONE_PATH;

/**
 * Attaches the phones of pages, `/phone`, to the phone network on this machine. What page and network say to each other passes as it
 * is; the page never learns the network's token. Only pages of this server get in, and programs without a page.
 */
export class PhoneUpgrades {
  readonly #sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
    handleProtocols: () => PROTOCOL,
  });

  constructor(
    server: Server,
    private readonly options: PhoneUpgradesOptions,
  ) {
    server.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
      if (isPhoneUpgrade(request)) this.#take(request, stream, head);
    });
  }

  /** Hangs up all phones. */
  close(): void {
    for (const page of this.#sockets.clients) close(page, GOING_AWAY, 'the runner stops');
  }

  #take(request: IncomingMessage, stream: Duplex, head: Buffer): void {
    const { network, guard, refusals } = this.options;
    stream.on('error', () => {});
    const refusal = this.#refusalOf(request);
    if (refusal !== undefined || network === undefined) {
      refusals.refuse('bad_phone', { status: refusal }, request);
      refuseUpgrade(stream, refusal ?? '404 Not Found');
      return;
    }
    if (stream instanceof Socket) guard.trust(stream);
    this.#sockets.handleUpgrade(request, stream, head, (page) => void attach(page, network));
  }

  #refusalOf(request: IncomingMessage): string | undefined {
    const { network, access } = this.options;
    if (!network || !mayPhone(network, access, request)) return '404 Not Found';
    if (isForeignPage(request)) return '403 Forbidden';
    if (!access.allowsSocket(request)) return '401 Unauthorized';
    return this.#sockets.clients.size < MAX_PHONES ? undefined : '503 Service Unavailable';
  }
}

/**
 * Browsers name the page that opens a socket, and ask for no permission: any page of the world could place calls.
 * @see RFC 6455 section 10.2
 */
function isForeignPage({ headers }: IncomingMessage): boolean {
  const { origin, host } = headers;
  return origin !== undefined && (!URL.canParse(origin) || new URL(origin).host !== host?.toLowerCase());
}

async function attach(page: WebSocket, { address }: PhoneNetworkAccess): Promise<void> {
  page.on('error', () => {}); // followed by close
  page.pause(); // until the phone network is there to be told
  const found = await address().catch((error: Error) => error);
  if (typeof found === 'string') await attachTo(page, found);
  else close(page, TRY_AGAIN_LATER, reasonOf(found));
  page.resume();
}

/** As much of why there is no phone network as fits into a close. @see RFC 6455 section 5.5 */
const reasonOf = ({ message }: Error) => message.replace(/[^ -~]/g, '').slice(0, MAX_REASON_BYTES);

async function attachTo(page: WebSocket, address: string): Promise<void> {
  const network = new WebSocket(address, {
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
    handshakeTimeout: CONNECT_DEADLINE_MS,
  });
  network.on('error', () => {});
  const isOpen = await once(network, 'open').then(
    () => true,
    () => false,
  );
  if (!isOpen) close(page, TRY_AGAIN_LATER, 'the phone network was not reached');
  else if (page.readyState !== WebSocket.OPEN) close(network, GOING_AWAY, '');
  else {
    pass(page, network);
    pass(network, page);
  }
}

/** Tells one side what the other says, and ends with it. */
function pass(from: WebSocket, to: WebSocket): void {
  from.on('message', (data: RawData, isBinary) => {
    if (to.readyState !== WebSocket.OPEN) return;
    if (to.bufferedAmount > MAX_WAITING_BYTES) close(from, TOO_SLOW, 'the other side does not read this');
    else to.send(data, { binary: isBinary });
  });
  from.once('close', (code, reason) => close(to, isSendable(code) ? code : GOING_AWAY, reason.toString()));
}

/** Some codes only say what happened to a connection, and never travel. @see RFC 6455 section 7.4.1 */
const isSendable = (code: number) => code >= 1_000 && ![1_004, 1_005, 1_006, 1_015].includes(code);

function close(socket: WebSocket, code: number, reason: string): void {
  if (socket.readyState > WebSocket.OPEN) return;
  socket.close(code, reason);
  const timer = setTimeout(() => socket.terminate(), CLOSE_DEADLINE_MS);
  socket.once('close', () => clearTimeout(timer));
}
