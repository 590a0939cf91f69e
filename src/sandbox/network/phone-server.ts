import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type RawData, WebSocket, WebSocketServer } from 'ws';
import { parseFields } from '../../base/http/json-fields.js';
import { isSameSecret } from '../../base/secret.js';
import type { PhoneAttendance, PhoneNotice, PhoneRequest, RingOutcome } from '../../call/phone-messages.js';
import { FRAME_BYTES } from './frame.js';
import type { PhoneNetwork } from './network.js';
import type { Callee, CallHandle } from './phone.js';
import { MAX_MESSAGE_BYTES, PHONES_PATH, PhoneRequestSchema } from './phone-wire.js';
import { closeWebSockets, refuseUpgrade } from './web-sockets.js';

const MAX_PHONES = 1_000;
/** A phone that has not answered this many frames (5 s) is gone. */
const MAX_UNANSWERED_FRAMES = 250;

/** How a phone acts that is gone when its turn comes to ring. */
const GONE = { outcome: 'failed', ringMs: 0 } as const;

/** Attaches phones that come over WebSocket. */
export class PhoneServer {
  readonly #server = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: MAX_MESSAGE_BYTES });

  constructor(
    private readonly network: PhoneNetwork,
    private readonly token: string,
  ) {}

  /** Refuses the upgrade with 404, 403 or 503 unless it is for a phone, with the right token, and there is room. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const url = new URL(`http://sandbox${request.url?.startsWith('/') ? request.url : '/'}`);
    if (url.pathname !== PHONES_PATH) refuseUpgrade(socket, '404 Not Found');
    else if (!isSameSecret(url.searchParams.get('token') ?? '', this.token)) refuseUpgrade(socket, '403 Forbidden');
    else if (this.#server.clients.size >= MAX_PHONES) refuseUpgrade(socket, '503 Service Unavailable');
    else this.#server.handleUpgrade(request, socket, head, (webSocket) => new RemotePhone(webSocket, this.network));
  }

  /** Closes the phones' sockets; resolves when they are gone. */
  close(): Promise<void> {
    return closeWebSockets(this.#server);
  }
}

/** A phone somewhere else: a terminal, a test, a browser page. It makes or takes one call at a time. */
class RemotePhone implements Callee {
  readonly #unanswered: ((said: Uint8Array) => void)[] = [];
  #call: CallHandle | undefined;
  /** How it acts when it is called; until that call is over. */
  #attendance: PhoneAttendance | undefined;

  constructor(
    private readonly socket: WebSocket,
    private readonly network: PhoneNetwork,
  ) {
    socket.on('message', (data: RawData, isBinary) => {
      if (isBinary) this.#heard(data as Buffer);
      else this.#requested(data as Buffer);
    });
    socket.on('error', () => {}); // followed by close
    socket.once('close', () => {
      network.leave(this);
      this.#attendance = undefined;
      this.#call?.hangUp();
    });
  }

  get isMachine(): boolean {
    return this.#attendance?.isMachine ?? false;
  }

  async ring(call: CallHandle): Promise<RingOutcome> {
    const { outcome, ringMs } = this.#attendance ?? GONE;
    this.#call = call;
    await call.wait(ringMs);
    return outcome;
  }

  exchange(heard: Uint8Array, reply: (said: Uint8Array) => void): void {
    if (this.socket.readyState !== WebSocket.OPEN) return;
    if (this.#unanswered.length < MAX_UNANSWERED_FRAMES) {
      this.#unanswered.push(reply);
      this.socket.send(heard);
    } else {
      this.socket.terminate();
    }
  }

  notify(notice: PhoneNotice): void {
    if (notice.type === 'ended') this.#call = this.#attendance = undefined;
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(notice));
  }

  #heard(frame: Buffer): void {
    const reply = this.#unanswered.shift();
    if (reply && frame.length === FRAME_BYTES) reply(frame);
    else this.socket.close(1008, 'one frame of 160 bytes per frame heard');
  }

  #requested(text: Buffer): void {
    const request = readRequest(text);
    if (!request) this.socket.close(1008, 'not a request of a phone');
    else if (request.type === 'press') this.#call?.press(request.digit);
    else if (request.type === 'words') this.#call?.spoke(request.text);
    else if (request.type === 'hangup') this.#call?.hangUp();
    else if (this.#call || this.#attendance) this.socket.close(1008, 'already in a call, or waits for one');
    else if (request.type === 'dial') this.#dial(request.from, request.to);
    else this.#attend(request);
  }

  #dial(from: string, to: string): void {
    const call = this.network.dialIn(this, from, to);
    if (!call.isOver) this.#call = call;
  }

  #attend(attendance: PhoneAttendance): void {
    this.#attendance = attendance;
    this.network.attend(this, attendance.number);
    this.notify({ type: 'attending' });
  }
}

function readRequest(text: Buffer): PhoneRequest | undefined {
  return PhoneRequestSchema.safeParse(parseFields(text.toString())).data;
}
