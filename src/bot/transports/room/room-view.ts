import type { RoomReception } from '../../../providers/rooms/reception.js';
import type {
  RoomConnection,
  RoomDialout,
  RoomEvents,
  RoomParticipant,
} from '../../../providers/rooms/room-connection.js';
import { isBeside } from '../../../providers/rooms/user-ids.js';
import { earlierDialout } from './earlier-dialout.js';

export interface ViewedCall {
  /** It was dialled beside the room's own call. */
  readonly isBeside: boolean;
  /** What the number that it dials is called in the room. */
  readonly legUserId: string | undefined;
  /** What an earlier bot of it has dialled, by session id. */
  readonly dialled: readonly string[];
  /** An earlier bot of it may have dialled its number, and knew no leg of it. */
  readonly isDialling: boolean;
}

/** The other bots of this process in the same room. */
export interface Surroundings {
  isOfOther(sessionId: string): boolean;
  /** One of them has asked for a number, and the provider has not named its leg yet. */
  isOtherDialling(): boolean;
  /** Whom the number that is dialled hears at first. */
  reception(): RoomReception;
}

type EventTaker = (data: never) => void;

/** Events of telephones that are dialled. */
const OF_DIALOUTS: readonly string[] = [
  'dialout_connected',
  'dialout_answered',
  'dialout_stopped',
  'dialout_warning',
  'dialout_error',
] satisfies (keyof RoomEvents)[];
/** Events that one participant, or one telephone, is named in. */
const OF_ONE: readonly string[] = [
  ...OF_DIALOUTS,
  'dialin_ready',
  'participant_joined',
  'participant_left',
  'dialin_connected',
  'dialin_stopped',
  'dialin_warning',
  'dialin_error',
  'dtmf',
  'transcription_message',
] satisfies readonly string[];

/**
 * A room as far as it concerns one of the calls in it. The room's own call has all of it but what belongs to calls that were dialled
 * beside it; those have the one telephone that they have dialled.
 */
export class RoomView implements RoomConnection {
  readonly startTranscription?: NonNullable<RoomConnection['startTranscription']>;
  readonly updateTranscription?: NonNullable<RoomConnection['updateTranscription']>;
  readonly stopTranscription?: NonNullable<RoomConnection['stopTranscription']>;
  readonly #wrapped = new Map<string, Map<EventTaker, EventTaker>>();
  /** Those that this call has dialled. */
  readonly #dialled: Set<string>;
  #dialling = 0;
  /** What the next request finds in place of a call of its own. */
  #mayBeDialled: boolean;

  constructor(
    private readonly room: RoomConnection,
    private readonly call: ViewedCall,
    private readonly around: Surroundings,
  ) {
    this.#dialled = new Set(call.dialled);
    this.#mayBeDialled = call.isDialling;
    const { startTranscription, updateTranscription, stopTranscription } = room;
    if (startTranscription) this.startTranscription = startTranscription.bind(room);
    if (updateTranscription) this.updateTranscription = updateTranscription.bind(room);
    if (stopTranscription) this.stopTranscription = stopTranscription.bind(room);
  }

  get sessionId(): string {
    return this.room.sessionId;
  }

  get breaks(): number {
    return this.room.breaks ?? 0;
  }

  get isBroken(): boolean {
    return this.room.isBroken ?? false;
  }

  get participants(): ReadonlyMap<string, RoomParticipant> {
    return new Map([...this.room.participants].filter(([, participant]) => this.#isMine(participant)));
  }

  get isDialling(): boolean {
    return this.#dialling > 0;
  }

  /** Whether this call has dialled a telephone. */
  owns(sessionId: string): boolean {
    return this.#dialled.has(sessionId);
  }

  on<Name extends keyof RoomEvents>(event: Name, listener: (...args: RoomEvents[Name]) => void): void {
    const given = listener as unknown as EventTaker;
    const wrapped: EventTaker = (data) => {
      if (!OF_ONE.includes(event) || this.#concerns(event, data)) given(data);
    };
    const listeners = this.#wrapped.get(event) ?? new Map<EventTaker, EventTaker>();
    this.#wrapped.set(event, listeners.set(given, wrapped));
    this.room.on(event, wrapped as unknown as typeof listener);
  }

  off<Name extends keyof RoomEvents>(event: Name, listener: (...args: RoomEvents[Name]) => void): void {
    const given = listener as unknown as EventTaker;
    const wrapped = this.#wrapped.get(event)?.get(given);
    if (wrapped) this.room.off(event, wrapped as unknown as typeof listener);
    this.#wrapped.get(event)?.delete(given);
  }

  /** Nothing that the others say, from before its own telephone is there, reaches a call beside. */
  start(heard: (pcm: Int16Array) => void): void {
    this.room.start((pcm) => heard(this.#hasPhone ? pcm : new Int16Array(pcm.length)));
  }

  get #hasPhone(): boolean {
    return !this.call.isBeside || [...this.#dialled].some((sessionId) => this.room.participants.has(sessionId));
  }

  say(pcm: Int16Array): void {
    this.room.say(pcm);
  }

  hearOnly(sessionIds: readonly string[] | undefined): boolean {
    return this.room.hearOnly?.(sessionIds) ?? false;
  }

  async startDialout(call: RoomDialout): Promise<{ readonly sessionId: string }> {
    const { isBeside: isLinked, legUserId: userId } = this.call;
    const named = isLinked && userId ? { ...call, userId, reception: this.around.reception() } : call;
    this.#dialling += 1;
    try {
      const { sessionId } = await (this.#mayBeDialled ? this.#earlier(call) : this.room.startDialout(named));
      this.#dialled.add(sessionId);
      if (isLinked) this.hearOnly([sessionId]);
      return { sessionId };
    } finally {
      this.#dialling -= 1;
    }
  }

  stopDialout(leg: { readonly sessionId: string }): Promise<void> {
    return this.room.stopDialout(leg);
  }

  sendDtmf(keys: { readonly sessionId: string; readonly tones: string }): Promise<void> {
    return this.room.sendDtmf(keys);
  }

  sipCallTransfer(transfer: { readonly sessionId: string; readonly toEndPoint: string }): Promise<void> {
    return this.room.sipCallTransfer(transfer);
  }

  sipRefer(transfer: { readonly sessionId: string; readonly toEndPoint: string }): Promise<void> {
    return this.room.sipRefer(transfer);
  }

  eject(sessionIds: readonly string[]): Promise<void> {
    return this.room.eject(sessionIds);
  }

  leave(): Promise<void> {
    return this.room.leave();
  }

  #earlier({ phoneNumber }: RoomDialout): Promise<{ readonly sessionId: string }> {
    this.#mayBeDialled = false;
    const isOurs = (one: Pick<RoomParticipant, 'sessionId' | 'userId'>, isLegEvent: boolean) =>
      isLegEvent ? !this.around.isOfOther(one.sessionId) : this.#isMine(one);
    return earlierDialout(this.room, phoneNumber, isOurs);
  }

  #isMine(participant: Pick<RoomParticipant, 'sessionId' | 'userId'>): boolean {
    const { sessionId, userId } = participant;
    if (this.#dialled.has(sessionId)) return true;
    if (this.call.isBeside) return userId !== undefined && userId === this.call.legUserId;
    return !isBeside(participant) && !this.around.isOfOther(sessionId);
  }

  #concerns(event: string, data: { readonly sessionId?: string; readonly userId?: string }): boolean {
    const { sessionId } = data;
    if (sessionId === undefined) return !this.call.isBeside || this.isDialling || !event.startsWith('dial');
    if (!OF_DIALOUTS.includes(event)) return this.#isMine({ ...data, sessionId });
    if (this.#dialled.has(sessionId)) return true;
    if (this.around.isOfOther(sessionId)) return false;
    // What is told of a leg before the provider has named it may be of either.
    return this.isDialling || (!this.call.isBeside && !this.around.isOtherDialling());
  }
}
