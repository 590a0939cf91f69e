import type { DailyFatalConnectionError, DailyFatalError, DailyFatalErrorType } from '@daily-co/daily-js';
import { settlesWithin } from '../../../base/async/deadline.js';
import { type Deferred, deferred } from '../../../base/async/deferred.js';
import type { JsonFields } from '../../../base/http/json-fields.js';
import type { RoomMethod, WireError, WireEvent, WireParticipant } from '../../../providers/rooms/client-messages.js';
import { readRoomMessage } from '../../../providers/rooms/webrtc/room-message.js';
import { type ClientMessage, ROOM_PROTOCOL, type RoomMessage } from '../../../providers/rooms/webrtc/room-wire.js';

/** How long the offer waits for all of its candidates, in milliseconds. */
const GATHERING_LIMIT_MS = 2_000;
/** How long audio may take to be connected after the room's answer, in milliseconds. */
const MEDIA_LIMIT_MS = 10_000;
/** How long leaving waits for the room to close the socket, in milliseconds. */
const LEAVE_LIMIT_MS = 1_000;

/** Why a participant whom a room lets go of is out of it, where the provider has a word for it; otherwise it was removed. */
const FATAL_TYPES: readonly DailyFatalErrorType[] = ['exp-room', 'exp-token', 'connection-error'];

export interface RoomEntry {
  readonly sessionId: string;
  readonly others: readonly WireParticipant[];
  /** What the others say, mixed. */
  readonly heard: MediaStreamTrack;
}

export interface RoomLinkOptions {
  readonly url: string;
  readonly token: string;
  readonly userName: string;
  /** What we say; undefined: nothing. */
  readonly track: MediaStreamTrack | undefined;
  /** We are in the room, and audio is connected. */
  entered(entry: RoomEntry): void;
  /** Something has happened in the room; not before `entered`. */
  told(event: WireEvent): void;
  /** We were refused, removed, or have lost the room. The last call; none after {@link PageRoomLink.leave}. */
  over(error: DailyFatalError): void;
}

/** One stay in a room of the sandbox: its signalling (`room-wire.ts`) and its audio, both closed when it is over. */
export class PageRoomLink {
  readonly #options: RoomLinkOptions;
  readonly #peer: RTCPeerConnection;
  readonly #socket: WebSocket;
  readonly #opened = deferred();
  readonly #closed = deferred();
  readonly #connected = deferred();
  readonly #requests = new Map<number, Deferred<unknown>>();
  #lastRequest = 0;
  /** What has happened since the room has let us in; undefined once it can be told. */
  #early: WireEvent[] | undefined = [];
  #isOver = false;

  /** Begins to join. @throws TypeError for an address that is none */
  constructor(options: RoomLinkOptions) {
    this.#options = options;
    const address = new URL(options.url);
    address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
    address.hash = '';
    this.#socket = new WebSocket(address, ROOM_PROTOCOL);
    this.#socket.onopen = () => this.#opened.resolve();
    this.#socket.onclose = ({ code }) => {
      this.#closed.resolve();
      this.#lose('the room has closed the connection', { code });
    };
    this.#socket.onmessage = ({ data }) => this.#received(typeof data === 'string' ? readRoomMessage(data) : undefined);
    this.#peer = new RTCPeerConnection();
    this.#peer.onconnectionstatechange = () => {
      const { connectionState } = this.#peer;
      if (connectionState === 'connected') this.#connected.resolve();
      if (connectionState === 'failed') this.#lose('the audio of the room was lost', { connectionState });
    };
    this.#ask().catch((error: unknown) => this.#lose(String(error), { msg: String(error) }));
  }

  /** @returns the room's answer. Rejects with a {@link Refusal} when the room refuses */
  request(method: RoomMethod, params: JsonFields): Promise<unknown> {
    this.#lastRequest += 1;
    const id = this.#lastRequest;
    const answer = deferred<unknown>();
    this.#requests.set(id, answer);
    this.#send({ type: 'request', id, method, params });
    return answer.promise;
  }

  /** Resolves when nothing is left open. */
  async leave(): Promise<void> {
    this.#send({ type: 'leave' });
    this.#close();
    await settlesWithin(this.#closed.promise, LEAVE_LIMIT_MS);
  }

  async #ask(): Promise<void> {
    const { token, userName, track } = this.#options;
    preferOpus(this.#peer.addTransceiver(track ?? 'audio', { direction: 'sendrecv' }));
    await this.#peer.setLocalDescription();
    await Promise.all([settlesWithin(gathered(this.#peer), GATHERING_LIMIT_MS), this.#opened.promise]);
    if (!this.#isOver) this.#send({ type: 'join', token, userName, sdp: this.#peer.localDescription?.sdp ?? '' });
  }

  async #enter({ sessionId, sdp, participants }: Extract<RoomMessage, { type: 'joined' }>): Promise<void> {
    await this.#peer.setRemoteDescription({ type: 'answer', sdp });
    if (!(await settlesWithin(this.#connected.promise, MEDIA_LIMIT_MS)))
      throw new Error('audio was not connected in time');
    const heard = this.#peer.getReceivers()[0]?.track;
    if (this.#isOver || !heard) return;
    this.#options.entered({ sessionId, others: participants, heard });
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const event of early) this.#tell(event);
  }

  #received(message: RoomMessage | undefined): void {
    if (this.#isOver) return;
    if (!message && this.#early) this.#lose('the room has answered something unreadable', {});
    switch (message?.type) {
      case 'joined':
        this.#enter(message).catch((error: unknown) => this.#lose(String(error), { msg: String(error) }));
        break;
      case 'refused':
        this.#turnOut(message.error as DailyFatalErrorType, message.info);
        break;
      case 'event':
        if (this.#early) this.#early.push(message.event);
        else this.#tell(message.event);
        break;
      case 'response': {
        const answer = this.#requests.get(message.id);
        this.#requests.delete(message.id);
        if (message.error) answer?.reject(new Refusal(message.error));
        else answer?.resolve(message.result);
        break;
      }
      case 'ejected':
        this.#turnOut(FATAL_TYPES.find((type) => type === message.reason) ?? 'ejected', message.reason);
        break;
    }
  }

  #tell(event: WireEvent): void {
    if (!this.#isOver) this.#options.told(event);
  }

  #send(message: ClientMessage): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  /** In the room's own words. */
  #turnOut(type: DailyFatalErrorType, msg: string): void {
    if (type === 'connection-error') this.#lose(msg, { type });
    else this.#end({ type, msg });
  }

  #lose(msg: string, sourceError: JsonFields): void {
    const on = this.#early ? 'join' : 'rtc-connection';
    const details: DailyFatalConnectionError['details'] = { on, sourceError, uri: this.#options.url };
    const error: DailyFatalConnectionError = { type: 'connection-error', msg, details };
    this.#end(error);
  }

  #end(error: DailyFatalError): void {
    if (this.#isOver) return;
    this.#close();
    this.#options.over(error);
  }

  #close(): void {
    this.#isOver = true;
    this.#connected.resolve(); // a join that waits for audio goes on
    this.#peer.close();
    this.#socket.close();
    for (const answer of this.#requests.values()) answer.reject(new Error('the room was left'));
    this.#requests.clear();
  }
}

/**
 * What call control rejects with. The provider's client rejects with what its engine has answered as `error`; neither its types nor
 * its documentation say what that is. This is an Error, as the client's own checks throw, with `type` and `msg` as in the only form of
 * an error that the types have (`DailyFatalError`): `type` is the room's word, such as `forbidden-error`, `message` and `msg` its text.
 */
export class Refusal extends Error {
  readonly type: string;
  readonly msg: string;

  constructor({ error, info }: WireError) {
    super(info);
    this.type = error;
    this.msg = info;
  }
}

function gathered(peer: RTCPeerConnection): Promise<void> {
  const done = deferred();
  const check = (): void => {
    if (peer.iceGatheringState === 'complete') done.resolve();
  };
  peer.addEventListener('icegatheringstatechange', check);
  check();
  return done.promise;
}

/** The room takes what an offer likes best: with Opus it mixes at 16 000 Hz. */
function preferOpus(transceiver: RTCRtpTransceiver): void {
  const { codecs = [] } = RTCRtpReceiver.getCapabilities('audio') ?? {};
  const isOpus = ({ mimeType }: { readonly mimeType: string }): boolean => mimeType.toLowerCase() === 'audio/opus';
  transceiver.setCodecPreferences([...codecs.filter(isOpus), ...codecs.filter((codec) => !isOpus(codec))]);
}
