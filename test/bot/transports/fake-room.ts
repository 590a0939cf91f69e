import { EventEmitter } from 'node:events';
import { deferred } from '../../../src/base/async/deferred.js';
import type { DialTarget } from '../../../src/call/call-port.js';
import type {
  JoinOptions,
  RoomConnection,
  RoomEvents,
  RoomParticipant,
  RoomTranscriptionOptions,
} from '../../../src/providers/rooms/room-connection.js';

type Listener = (data: unknown) => void;
type Method =
  | 'join'
  | 'startDialout'
  | 'stopDialout'
  | 'sendDtmf'
  | 'sipCallTransfer'
  | 'sipRefer'
  | 'startTranscription'
  | 'updateTranscription'
  | 'stopTranscription'
  | 'eject'
  | 'leave';

export const participant = (sessionId: string, kind: RoomParticipant['kind'] = 'web'): RoomParticipant => ({
  sessionId,
  userName: sessionId,
  isOwner: false,
  kind,
});

/** A room in which happens what a test says. It notes what it is asked, in order, and says yes unless told otherwise. */
export class FakeRoom implements RoomConnection {
  readonly sessionId = 'bot-session';
  breaks = 0;
  isBroken = false;
  readonly participants = new Map<string, RoomParticipant>();
  readonly joins: JoinOptions[] = [];
  /** Such as `eject caller`. */
  readonly asked: string[] = [];
  readonly said: Int16Array[] = [];
  /** The provider's identifiers of calls that go out, in order. */
  readonly legs = ['leg-1', 'leg-2', 'leg-3'];
  hasLeft = false;
  hearOnly?: (sessionIds: readonly string[] | undefined) => boolean;
  /** Of the transcriptions that were asked for, in order. */
  readonly transcriptions: Array<RoomTranscriptionOptions & { readonly instanceId: string }> = [];
  readonly #emitter = new EventEmitter();
  readonly #answers = new Map<Method, () => Promise<void>>();
  #kept: Array<() => void> | undefined = [];
  #heard: ((pcm: Int16Array) => void) | undefined;

  readonly join = async (options: JoinOptions): Promise<RoomConnection> => {
    this.joins.push(options);
    await this.#answer('join');
    return this;
  };

  /** Makes a request wait; the returned functions settle it. */
  hold(method: Method): { accept(): void; refuse(error: Error): void } {
    const held = deferred();
    this.#answers.set(method, () => held.promise);
    return { accept: () => held.resolve(), refuse: (error) => held.reject(error) };
  }

  refuse(method: Method, error: Error): void {
    this.#answers.set(method, () => Promise.reject(error));
  }

  accept(method: Method): void {
    this.#answers.delete(method);
  }

  /** Lets something happen. */
  tell<Name extends keyof RoomEvents>(event: Name, ...args: RoomEvents[Name]): void {
    const deliver = () => void this.#emitter.emit(event, ...args);
    if (this.#kept) this.#kept.push(deliver);
    else deliver();
  }

  comes(who: RoomParticipant): void {
    this.participants.set(who.sessionId, who);
    this.tell('participant_joined', who);
  }

  goes(who: RoomParticipant): void {
    this.participants.delete(who.sessionId);
    this.tell('participant_left', who);
  }

  speak(pcm: Int16Array): void {
    this.#heard?.(pcm);
  }

  get listenerCount(): number {
    return this.#emitter.eventNames().reduce((sum, name) => sum + this.#emitter.listenerCount(name), 0);
  }

  on<Name extends keyof RoomEvents>(event: Name, listener: (...args: RoomEvents[Name]) => void): void {
    this.#emitter.on(event, listener as Listener);
  }

  off<Name extends keyof RoomEvents>(event: Name, listener: (...args: RoomEvents[Name]) => void): void {
    this.#emitter.off(event, listener as Listener);
  }

  start(heard: (pcm: Int16Array) => void): void {
    this.#heard = heard;
    const kept = this.#kept ?? [];
    this.#kept = undefined;
    for (const deliver of kept) deliver();
  }

  say(pcm: Int16Array): void {
    this.said.push(pcm);
  }

  async startDialout(target: DialTarget & { displayName?: string; callerId?: string }): Promise<{ sessionId: string }> {
    const { phoneNumber, sipUri, ...rest } = target;
    const more = Object.values(rest).map((value) => ` ${value}`);
    await this.#ask('startDialout', `${phoneNumber ?? sipUri}${more.join('')}`);
    return { sessionId: this.legs.shift() as string };
  }

  stopDialout({ sessionId }: { sessionId: string }): Promise<void> {
    return this.#ask('stopDialout', sessionId);
  }

  sendDtmf({ sessionId, tones }: { sessionId: string; tones: string }): Promise<void> {
    return this.#ask('sendDtmf', `${sessionId} ${tones}`);
  }

  sipCallTransfer({ sessionId, toEndPoint }: { sessionId: string; toEndPoint: string }): Promise<void> {
    return this.#ask('sipCallTransfer', `${sessionId} ${toEndPoint}`);
  }

  sipRefer({ sessionId, toEndPoint }: { sessionId: string; toEndPoint: string }): Promise<void> {
    return this.#ask('sipRefer', `${sessionId} ${toEndPoint}`);
  }

  startTranscription(options: RoomTranscriptionOptions & { readonly instanceId: string }): Promise<void> {
    this.transcriptions.push(options);
    return this.#ask('startTranscription', '');
  }

  updateTranscription({ participants }: { readonly participants: readonly string[] }): Promise<void> {
    return this.#ask('updateTranscription', participants.join(','));
  }

  stopTranscription(): Promise<void> {
    return this.#ask('stopTranscription', '');
  }

  eject(sessionIds: readonly string[]): Promise<void> {
    return this.#ask('eject', sessionIds.join(','));
  }

  async leave(): Promise<void> {
    if (this.hasLeft) return;
    this.hasLeft = true;
    await this.#ask('leave', '');
    this.tell('left', {});
  }

  #ask(method: Method, what: string): Promise<void> {
    this.asked.push(`${method} ${what}`.trim());
    return this.#answer(method);
  }

  async #answer(method: Method): Promise<void> {
    await this.#answers.get(method)?.();
  }
}
