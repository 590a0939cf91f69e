import { channel } from 'node:diagnostics_channel';
import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { withDeadline } from '../../base/async/deadline.js';
import { type Deferred, deferred } from '../../base/async/deferred.js';
import { FrameClock } from '../../base/async/frame-clock.js';
import { VoicebotError, type VoicebotErrorOptions } from '../../base/errors.js';
import { isFields, type JsonFields, textOf } from '../../base/http/json-fields.js';
import type { RoomMethod, WireError, WireEvent, WireParticipant } from './client-messages.js';
import { type RoomReception, receptionOf, wireReception } from './reception.js';
import type {
  RoomConnection,
  RoomDialout,
  RoomEvents,
  RoomParticipant,
  RoomTranscriptionOptions,
} from './room-connection.js';
import { participantOf, type RoomEvent, roomEventOf } from './room-events.js';
import { RemovedError, RequestLostError, RoomBusyError, requestRefused, wordsOf } from './room-refusal.js';
import { wireTranscription } from './wire-transcription.js';

/** What the provider's client tells this process of its rooms, for those who subscribe: each a {@link WireEvent}. */
export const roomEvents = channel('voicebot:room-event');

/** How long an answer to a request may take, in milliseconds. */
const REQUEST_LIMIT_MS = 10_000;

/** Before a provider that is too busy is asked again, in milliseconds; doubles each time, and a random part is added. */
const FIRST_BUSY_WAIT_MS = 250;

/** The longest of those waits, without its random part, in milliseconds. */
const MAX_BUSY_WAIT_MS = 2_000;

/** How long a provider may be too busy, in milliseconds. */
const BUSY_LIMIT_MS = 20_000;

/** So many events are kept until the connection is started. */
const MAX_UNHEARD_EVENTS = 1_000;

/** So many different ones that are unknown here are told of. */
const MAX_UNKNOWN_EVENTS = 20;

/** The time of all rooms in this process. */
const clock = new FrameClock();

/** What carries a participant's presence in a room. */
export interface RoomCarriage {
  /** Asks for something; {@link JoinedRoom.answered} gets the answer. Rejects when it cannot be asked. */
  request(request: {
    readonly id: number;
    readonly method: RoomMethod;
    readonly params: JsonFields;
  }): void | Promise<void>;
  /** Says 20 ms. */
  say(pcm: Int16Array): void;
  /** The next 20 ms of what the others say. */
  hear(): Int16Array;
  /** Only these participants are heard from now on; `undefined`: everybody. Missing where they come as one stream. */
  hearOnly?(sessionIds: readonly string[] | undefined): void;
  /** Leaves the room, politely where that is still possible; never rejects. Safe to call twice. */
  leave(): Promise<void>;
}

/** Presence in a room, without what carries it: who is there, what happens, what was asked for and not answered yet. */
export class JoinedRoom extends EventEmitter<RoomEvents> implements RoomConnection {
  readonly #participants = new Map<string, RoomParticipant>();
  readonly #requests = new Map<number, { readonly method: RoomMethod; readonly answer: Deferred<unknown> }>();
  #lastRequest = 0;
  /** Ours: the latest first. Those before belong to connections of ours that were lost. */
  readonly #sessionIds: string[] = [];
  #isOut = false;
  #breaks = 0;
  #isBroken = false;
  /** Legs that were answered. */
  readonly #answered = new Set<string>();
  /** Names of events that are unknown here, and that were told of. */
  readonly #unknown = new Set<string>();
  /** Undefined once the connection is started. */
  #unheard: RoomEvent[] | undefined = [];
  #stopClock: (() => void) | undefined;

  /** @param token stays out of messages */
  constructor(
    private readonly carriage: RoomCarriage,
    private readonly token: string,
  ) {
    super();
  }

  get sessionId(): string {
    return this.#sessionIds[0] ?? '';
  }

  /** Whether we were in the room and are not any more. */
  get isOut(): boolean {
    return this.#isOut;
  }

  get breaks(): number {
    return this.#breaks;
  }

  get isBroken(): boolean {
    return this.#isBroken;
  }

  get participants(): ReadonlyMap<string, RoomParticipant> {
    return this.#participants;
  }

  /** We are in the room, with these others: for the first time, or again after what carried us was lost. */
  entered(sessionId: string, others: readonly WireParticipant[]): void {
    const isFirst = this.#sessionIds.length === 0;
    this.#sessionIds.unshift(sessionId);
    this.#isBroken = false;
    const present = others.map(participantOf).filter((one) => !this.#isOurs(one.sessionId));
    const before = new Map(this.#participants);
    this.#participants.clear();
    for (const one of present) this.#participants.set(one.sessionId, one);
    if (!isFirst) this.#tellWhatWasMissed(before);
  }

  /** Something has happened in the room. What means nothing here is told of once, and ignored. */
  happened(event: WireEvent): void {
    roomEvents.publish(event);
    if (event.action === 'participant-updated') return; // of which nothing is kept here
    const known = roomEventOf(event);
    if (known) this.#happened(known);
    else this.#tellUnknown(event);
  }

  /** The answer to a request. */
  answered(id: number, result: unknown, error: WireError | undefined): void {
    const request = this.#requests.get(id);
    if (!request) return;
    if (error) request.answer.reject(requestRefused(request.method, error, this.token));
    else request.answer.resolve(result);
  }

  /** What carried us is lost: no request that was made gets its answer any more, and what was just said may not have been heard. */
  broken(): void {
    this.#breaks += 1;
    this.#isBroken = true;
    for (const { method, answer } of this.#requests.values()) answer.reject(new RequestLostError(method));
  }

  /** Whether the answer to a request is still waited for. */
  isAwaited(id: number): boolean {
    return this.#requests.has(id);
  }

  /** The room is lost for good. */
  lost(detail: string, options: VoicebotErrorOptions = {}): void {
    this.#lost(new VoicebotError('VB_STREAM_CLOSED', detail, options));
  }

  /** The provider has removed us from the room. */
  removed(why: WireError): void {
    this.#lost(new RemovedError(why, this.token));
  }

  start(heard: (pcm: Int16Array) => void): void {
    const unheard = this.#unheard ?? [];
    this.#unheard = undefined;
    if (!this.#isOut) this.#stopClock ??= clock.onTick(() => heard(this.carriage.hear()));
    for (const event of unheard) this.#emit(event);
  }

  say(pcm: Int16Array): void {
    if (!this.#isOut) this.carriage.say(pcm);
  }

  hearOnly(sessionIds: readonly string[] | undefined): boolean {
    this.carriage.hearOnly?.(sessionIds);
    return this.carriage.hearOnly !== undefined;
  }

  async updatePermissions(receptions: Readonly<Record<string, RoomReception>>): Promise<void> {
    await this.#request('updatePermissions', permissionsOf(receptions));
  }

  async startDialout({ reception, ...call }: RoomDialout): Promise<{ readonly sessionId: string }> {
    const { phoneNumber, sipUri, displayName, callerId, userId } = call;
    const permissions = reception && { canReceive: wireReception(reception) };
    const params = { phoneNumber, sipUri, displayName, callerId, userId, permissions };
    const result = await this.#requestUnlessBusy('startDialOut', params);
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

  async startTranscription(options: RoomTranscriptionOptions & { readonly instanceId: string }): Promise<void> {
    await this.#request('startTranscription', wireTranscription(options));
  }

  async updateTranscription(change: { instanceId: string; participants: readonly string[] }): Promise<void> {
    await this.#request('updateTranscription', { ...change });
  }

  async stopTranscription({ instanceId }: { readonly instanceId: string }): Promise<void> {
    await this.#request('stopTranscription', { instanceId });
  }

  async leave(): Promise<void> {
    const wasIn = !this.#isOut;
    if (wasIn) this.#getOut('the room was left');
    await this.carriage.leave();
    if (wasIn) this.#tell({ name: 'left', data: {} });
  }

  #lost(error: VoicebotError): void {
    if (this.#isOut) return;
    this.#getOut('the room was lost');
    void this.carriage.leave();
    this.#tell({ name: 'left', data: { error } });
  }

  #tellUnknown(event: WireEvent): void {
    const words = wordsOf({ error: event.action, info: textOf(event.errorMsg) ?? '' }, this.token);
    if (this.#unknown.size >= MAX_UNKNOWN_EVENTS || this.#unknown.has(words)) return;
    this.#unknown.add(words);
    console.error(`the room provider tells of something that means nothing here: ${words}`);
  }

  /** A telephone that was called is a participant only once it was answered. */
  #tellWhatWasMissed(before: ReadonlyMap<string, RoomParticipant>): void {
    this.#tell({ name: 'rejoined', data: undefined });
    for (const one of before.values()) {
      if (!this.#participants.has(one.sessionId)) this.#tell({ name: 'participant_left', data: one });
    }
    for (const one of this.#participants.values()) {
      const { sessionId, kind } = one;
      if (before.has(sessionId)) continue;
      if (kind === 'dial-out' && !this.#answered.has(sessionId)) {
        this.#happened({ name: 'dialout_answered', data: { sessionId } });
      }
      this.#tell({ name: 'participant_joined', data: one });
    }
  }

  #isOurs(sessionId: string): boolean {
    return this.#sessionIds.includes(sessionId);
  }

  #happened(event: RoomEvent): void {
    if (this.#isOut) return;
    if (event.name === 'participant_joined' || event.name === 'participant_left') {
      const { sessionId } = event.data;
      if (this.#isOurs(sessionId)) return;
      if (event.name === 'participant_joined') this.#participants.set(sessionId, event.data);
      else this.#participants.delete(sessionId);
    } else if (event.name === 'dialout_answered') this.#answered.add(event.data.sessionId);
    this.#tell(event);
  }

  #tell(event: RoomEvent): void {
    if (!this.#unheard) this.#emit(event);
    else if (this.#unheard.push(event) === MAX_UNHEARD_EVENTS)
      this.lost('the connection was not started, and too many of its events wait');
  }

  #emit({ name, data }: RoomEvent): void {
    (this as EventEmitter).emit(name, data);
  }

  /** Asks again as long as the provider is too busy. @throws VoicebotError VB_ROOMS_REQUEST_FAILED */
  async #requestUnlessBusy(method: RoomMethod, params: JsonFields): Promise<unknown> {
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
  async #request(method: RoomMethod, params: JsonFields): Promise<unknown> {
    if (this.#isOut) throw requestFailed(`${method}: not in the room`);
    this.#lastRequest += 1;
    const id = this.#lastRequest;
    const answer = deferred<unknown>();
    this.#requests.set(id, { method, answer });
    try {
      const asked = Promise.resolve(this.carriage.request({ id, method, params })).then(() => answer.promise);
      return await withDeadline(Promise.race([asked, answer.promise]), REQUEST_LIMIT_MS, () =>
        requestFailed(`${method}: no answer within ${REQUEST_LIMIT_MS} ms; it may have been carried out`),
      );
    } finally {
      this.#requests.delete(id);
    }
  }

  #getOut(reason: string): void {
    this.#isOut = true;
    this.#stopClock?.();
    for (const { method, answer } of this.#requests.values()) answer.reject(requestFailed(`${method}: ${reason}`));
  }
}

/** A request whose answer means nothing: those of a {@link JoinedRoom} count from 1. */
export const unawaited = (method: RoomMethod, params: JsonFields) =>
  ({ type: 'request', id: 0, method, params }) as const;

/** Rooms that mix for each participant are told whom one of them hears. @param heard undefined: everybody */
export const hearsOnly = (sessionId: string, heard: readonly string[] | undefined) =>
  unawaited('updatePermissions', permissionsOf({ [sessionId]: receptionOf(heard) }));

/** The parameters of `updatePermissions`. */
const permissionsOf = (receptions: Readonly<Record<string, RoomReception>>): JsonFields => ({
  data: Object.fromEntries(
    Object.entries(receptions).map(([sessionId, reception]) => [sessionId, { canReceive: wireReception(reception) }]),
  ),
});

const requestFailed = (detail: string) => new VoicebotError('VB_ROOMS_REQUEST_FAILED', detail);
