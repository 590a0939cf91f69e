import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { settlesWithin, withDeadline } from '../../async/deadline.js';
import { type Deferred, deferred } from '../../async/deferred.js';
import { FrameClock } from '../../async/frame-clock.js';
import { VoicebotError, type VoicebotErrorOptions } from '../../errors.js';
import type { RoomMethod, WireError } from '../client-words.js';
import { isFields, textOf } from '../client-words.js';
import type {
  DialTarget,
  JoinOptions,
  JoinRoom,
  RoomConnection,
  RoomEvents,
  RoomParticipant,
} from '../room-connection.js';
import { participantOf, type RoomEvent, roomEventOf } from '../room-events.js';
import { joinRefused, RoomBusyError, requestRefused, wordsOf } from '../room-refusal.js';
import { PeerAudio } from './peer-audio.js';
import { RoomSocket } from './room-socket.js';
import type { RoomMessage } from './room-wire.js';

/** How long an answer to a request may take, in milliseconds. */
const REQUEST_LIMIT_MS = 10_000;

/** Before a provider that is too busy is asked again, in milliseconds; doubles each time, and a random part is added. */
const FIRST_BUSY_WAIT_MS = 250;

/** The longest of those waits, without its random part, in milliseconds. */
const MAX_BUSY_WAIT_MS = 2_000;

/** How long a provider may be too busy, in milliseconds. */
const BUSY_LIMIT_MS = 20_000;

/** How long leaving may take, in milliseconds. */
const LEAVE_LIMIT_MS = 1_000;

/** So many events are kept for somebody who has not started to listen. */
const MAX_UNHEARD_EVENTS = 1_000;

/** The time of all rooms in this process. */
const clock = new FrameClock();

/**
 * Joins a room whose server speaks the protocol of `room-wire.ts`.
 * @throws VoicebotError VB_ROOM_JOIN_FAILED
 */
export const joinWebRtcRoom: JoinRoom = async (options) => {
  const connection = new WebRtcConnection(options);
  await connection.join();
  return connection;
};

type Joined = Extract<RoomMessage, { type: 'joined' }>;

interface PendingRequest {
  readonly method: RoomMethod;
  readonly answer: Deferred<unknown>;
}

class WebRtcConnection extends EventEmitter<RoomEvents> implements RoomConnection {
  readonly #options: JoinOptions;
  readonly #socket: RoomSocket;
  readonly #peer: PeerAudio;
  readonly #joined = deferred<Joined>();
  /** Why joining came to nothing. */
  readonly #failed = deferred<never>();
  readonly #participants = new Map<string, RoomParticipant>();
  readonly #requests = new Map<number, PendingRequest>();
  #lastRequest = 0;
  #sessionId = '';
  #state: 'joining' | 'in' | 'out' = 'joining';
  /** Undefined once somebody listens. */
  #unheard: RoomEvent[] | undefined = [];
  #stopClock: (() => void) | undefined;
  #shutting: Promise<void> | undefined;

  /** Begins to connect. @throws VoicebotError VB_ROOM_JOIN_FAILED for an address that is none */
  constructor(options: JoinOptions) {
    super();
    const url = roomAddress(options.roomUrl);
    this.#options = options;
    this.#peer = new PeerAudio({
      sampleRate: options.sampleRate,
      codecs: options.sampleRate > 8_000 ? ['opus', 'PCMU'] : ['PCMU', 'opus'],
      isLocal: isThisMachine(url.hostname),
    });
    this.#peer.onClosed(() => this.#lost('the audio of the room was lost'));
    this.#socket = new RoomSocket(url, {
      received: (message) => this.#received(message),
      garbage: () => {
        if (this.#state === 'joining') this.#lost(`${url.host} answered something unreadable`);
      },
      lost: (detail, options) => this.#lost(detail, options),
    });
  }

  get sessionId(): string {
    return this.#sessionId;
  }

  get participants(): ReadonlyMap<string, RoomParticipant> {
    return this.#participants;
  }

  /** Leaves nothing open when it fails. @throws VoicebotError VB_ROOM_JOIN_FAILED */
  async join(): Promise<void> {
    const { limitMs, signal } = this.#options;
    const giveUp = (): void => this.#lost('joining was given up');
    if (signal?.aborted) giveUp();
    signal?.addEventListener('abort', giveUp, { once: true });
    try {
      await withDeadline(Promise.race([this.#failed.promise, this.#enter()]), limitMs, () =>
        joinFailed(`the room was not joined within ${limitMs} ms`),
      );
    } catch (error) {
      this.#state = 'out';
      await this.#shut();
      throw error;
    } finally {
      signal?.removeEventListener('abort', giveUp);
    }
  }

  start(heard: (pcm: Int16Array) => void): void {
    const unheard = this.#unheard ?? [];
    this.#unheard = undefined;
    if (this.#state === 'in') this.#stopClock ??= clock.onTick(() => heard(this.#peer.hear()));
    for (const event of unheard) this.#emit(event);
  }

  say(pcm: Int16Array): void {
    if (this.#state === 'in') this.#peer.say(pcm);
  }

  async startDialout(
    target: DialTarget & { readonly displayName?: string; readonly callerId?: string },
  ): Promise<{ readonly sessionId: string }> {
    const { phoneNumber, sipUri, displayName, callerId } = target;
    const result = await this.#requestUnlessBusy('startDialOut', { phoneNumber, sipUri, displayName, callerId });
    const fields = isFields(result) ? result : {};
    const sessionId = textOf(isFields(fields.session) ? fields.session.sessionId : fields.sessionId);
    if (!sessionId) throw requestFailed('startDialOut: the answer names no session');
    return { sessionId };
  }

  async stopDialout({ sessionId }: { readonly sessionId: string }): Promise<void> {
    await this.#request('stopDialOut', { sessionId });
  }

  async sendDtmf({ sessionId, tones }: { readonly sessionId: string; readonly tones: string }): Promise<void> {
    await this.#request('sendDTMF', { sessionId, tones });
  }

  async sipCallTransfer(transfer: { readonly sessionId: string; readonly toEndPoint: string }): Promise<void> {
    const { sessionId, toEndPoint } = transfer;
    await this.#request('sipCallTransfer', { sessionId, toEndPoint });
  }

  async sipRefer(transfer: { readonly sessionId: string; readonly toEndPoint: string }): Promise<void> {
    const { sessionId, toEndPoint } = transfer;
    await this.#request('sipRefer', { sessionId, toEndPoint });
  }

  async eject(sessionIds: readonly string[]): Promise<void> {
    await this.#request('eject', { ids: sessionIds });
  }

  async leave(): Promise<void> {
    if (this.#state === 'in') {
      this.#getOut('the room was left');
      this.#socket.send({ type: 'leave' });
      await this.#shut();
      this.#tell({ name: 'left', data: {} });
    }
    await this.#shut();
  }

  /** The room's answer may come with events that follow at once: they are told as those of somebody in the room. */
  async #enter(): Promise<void> {
    const { token, userName, limitMs } = this.#options;
    const [sdp] = await Promise.all([this.#peer.offer(), this.#socket.opened]);
    this.#socket.send({ type: 'join', token, userName, sdp });
    const joined = await this.#joined.promise;
    await this.#peer.accept(joined.sdp);
    await this.#peer.connected(limitMs);
    if (this.#state === 'joining') this.#state = 'in';
  }

  #received(message: RoomMessage): void {
    switch (message.type) {
      case 'joined':
        this.#sessionId = message.sessionId;
        for (const participant of message.participants) this.#note(participantOf(participant));
        this.#joined.resolve(message);
        break;
      case 'refused':
        this.#failed.reject(joinRefused(message, this.#options.token));
        break;
      case 'event':
        this.#happened(roomEventOf(message.event));
        break;
      case 'response':
        this.#answered(message.id, message.result, message.error);
        break;
      case 'ejected':
        this.#lost(`removed from the room: ${wordsOf({ error: '', info: message.reason }, this.#options.token)}`);
        break;
    }
  }

  #happened(event: RoomEvent | undefined): void {
    if (!event || this.#state === 'out') return;
    if (event.name === 'participant_joined') {
      if (event.data.sessionId === this.#sessionId) return;
      this.#note(event.data);
    }
    if (event.name === 'participant_left') {
      if (event.data.sessionId === this.#sessionId) return;
      this.#participants.delete(event.data.sessionId);
    }
    this.#tell(event);
  }

  #note(participant: RoomParticipant): void {
    if (participant.sessionId !== this.#sessionId) this.#participants.set(participant.sessionId, participant);
  }

  #tell(event: RoomEvent): void {
    if (!this.#unheard) this.#emit(event);
    else if (this.#unheard.push(event) === MAX_UNHEARD_EVENTS) this.#lost('nobody listens to what happens in the room');
  }

  #emit({ name, data }: RoomEvent): void {
    (this as EventEmitter).emit(name, data);
  }

  /** Asks again as long as the provider is too busy. @throws VoicebotError VB_ROOMS_REQUEST_FAILED */
  async #requestUnlessBusy(method: RoomMethod, params: Readonly<Record<string, unknown>>): Promise<unknown> {
    const lastTryAt = performance.now() + BUSY_LIMIT_MS;
    for (let waitMs = FIRST_BUSY_WAIT_MS; ; waitMs = Math.min(2 * waitMs, MAX_BUSY_WAIT_MS)) {
      try {
        return await this.#request(method, params);
      } catch (error) {
        if (!(error instanceof RoomBusyError) || performance.now() > lastTryAt) throw error;
        await sleep(waitMs * (1 + Math.random()), undefined, { ref: false });
      }
    }
  }

  /** @throws VoicebotError VB_ROOMS_REQUEST_FAILED */
  async #request(method: RoomMethod, params: Readonly<Record<string, unknown>>): Promise<unknown> {
    if (this.#state !== 'in') throw requestFailed(`${method}: not in the room`);
    this.#lastRequest += 1;
    const id = this.#lastRequest;
    const answer = deferred<unknown>();
    this.#requests.set(id, { method, answer });
    this.#socket.send({ type: 'request', id, method, params });
    try {
      return await withDeadline(answer.promise, REQUEST_LIMIT_MS, () =>
        requestFailed(`${method}: no answer within ${REQUEST_LIMIT_MS} ms; it may have been carried out`),
      );
    } finally {
      this.#requests.delete(id);
    }
  }

  #answered(id: number, result: unknown, error: WireError | undefined): void {
    const request = this.#requests.get(id);
    if (!request) return;
    if (error) request.answer.reject(requestRefused(request.method, error, this.#options.token));
    else request.answer.resolve(result);
  }

  #lost(detail: string, options: VoicebotErrorOptions = {}): void {
    if (this.#state === 'joining') {
      this.#failed.reject(new VoicebotError('VB_ROOM_JOIN_FAILED', detail, options));
    } else if (this.#state === 'in') {
      this.#getOut('the room was lost');
      void this.#shut();
      this.#tell({ name: 'left', data: { error: new VoicebotError('VB_STREAM_CLOSED', detail, options) } });
    }
  }

  #getOut(reason: string): void {
    this.#state = 'out';
    this.#stopClock?.();
    for (const { method, answer } of this.#requests.values()) answer.reject(requestFailed(`${method}: ${reason}`));
  }

  #shut(): Promise<void> {
    this.#shutting ??= Promise.all([
      settlesWithin(this.#peer.close(), LEAVE_LIMIT_MS),
      this.#socket.close(LEAVE_LIMIT_MS),
    ]).then(() => {});
    return this.#shutting;
  }
}

const joinFailed = (detail: string) => new VoicebotError('VB_ROOM_JOIN_FAILED', detail);

const requestFailed = (detail: string) => new VoicebotError('VB_ROOMS_REQUEST_FAILED', detail);

/** @throws VoicebotError VB_ROOM_JOIN_FAILED */
function roomAddress(roomUrl: string): URL {
  const url = URL.canParse(roomUrl) ? new URL(roomUrl) : undefined;
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url;
  throw joinFailed('the address of the room is not an http or https address');
}

const isThisMachine = (hostname: string) =>
  hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
