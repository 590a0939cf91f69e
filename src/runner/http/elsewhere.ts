import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { CallId } from '../../call/call-id.js';
import type { CallRecord } from '../../call/call-record.js';
import type { PlacedCall } from '../../call/placed-call.js';
import type { ClusterStatus } from '../../call/runner-status.js';

/** A request to be passed on as it came. */
export interface PassedRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** What another runner has answered. */
export interface PeerAnswer {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly body: Buffer;
}

/** What operators ask of calls, at whichever runner. */
export interface AskedElsewhere {
  /** Whether a request comes from another runner of the cluster. */
  isFromPeer(request: Pick<IncomingMessage, 'headers' | 'method' | 'url'>): boolean;
  /** Has the runner answer that has the call. @returns undefined when no other runner has it, or that one does not answer */
  answer(id: CallId, request: PassedRequest): Promise<PeerAnswer | undefined>;
}

/** Calls of several runners, the newest first. */
export interface CallList {
  readonly calls: readonly PlacedCall[];
  /** Whether those of the other runners are among them: not while the runners cannot ask for each other's. */
  readonly isWhole: boolean;
}

/** The calls of all runners that act as one, as operators see them at any one. */
export interface ShownElsewhere extends AskedElsewhere {
  readonly status: ClusterStatus;
  /** A call of this runner, with where it is. */
  place(record: CallRecord): PlacedCall;
  list(): Promise<CallList>;
  /** Those that this runner does not have; undefined while they cannot be asked for. */
  others(): Promise<PlacedCall[] | undefined>;
  /** A call that this runner does not have; undefined when no runner has it, or it cannot be asked for. */
  find(id: CallId): Promise<PlacedCall | undefined>;
  /** Has the runner answer that has a call, or what is left of it, for however long that takes. @returns whether it has begun to */
  passOn(call: PlacedCall, request: IncomingMessage, response: ServerResponse): Promise<boolean>;
}

/** A live call as its runner has it. */
export interface PortableCall {
  readonly record: CallRecord;
  /** What another runner needs to go on with it: JSON, read by the one that goes on. */
  readonly life: Readonly<Record<string, unknown>>;
}

/** A webhook, or whatever else the provider asks of a call. */
export interface AskedCall {
  readonly id: CallId;
  /** What the provider calls it. */
  readonly providerCallId?: string;
  readonly isFromPeer: boolean;
  /** It can begin a call. */
  readonly isNew: boolean;
  readonly request: PassedRequest;
}

/** What a runner does with its live calls when they move from and to others. */
export interface MovingCalls {
  /** A live call as it is; undefined when it is over. */
  pack(id: CallId): PortableCall | undefined;
  /**
   * Goes on with a call of another runner.
   * @param isLost its bots are gone, with their runner or left behind: another one is brought
   * @throws VoicebotError VB_CLUSTER_UNSUITABLE when it cannot be read; nothing is begun then
   */
  unpack(call: PortableCall, isLost: boolean): Promise<void>;
  /** Another runner has the call: it goes on there, and nothing is ended here. */
  letGo(id: CallId): void;
  /**
   * Whether the provider does not come by itself for what comes next: in a room, and for as long as a transfer goes on. Not one that
   * cannot be read.
   */
  isForTaking(call: PortableCall): boolean;
}

/** The calls of one runner, as far as the others may have to do with them. */
export interface SharedCalls {
  readonly moves: MovingCalls;
  /** Live here. */
  isLive(id: CallId): boolean;
  readonly ids: () => readonly CallId[];
  /** Whether a stream with this token may be connected to the call now. */
  admits?(id: CallId, token: string): boolean;
  /** No bot of the call waits here, so that its stream may be served elsewhere. */
  isMovable?(id: CallId): boolean;
  /** A call that is over elsewhere: what comes of it is answered with its end. */
  noteOver(id: CallId): void;
}

/** The calls of the other runners of a cluster. */
export interface CallsElsewhere {
  /** The calls of this runner, once they can come. */
  serve(calls: SharedCalls): void;
  /** Whether a request comes from another runner of the cluster. */
  isFromPeer(request: Pick<IncomingMessage, 'headers' | 'method' | 'url'>): boolean;
  /** A live call of this runner has changed. */
  changed(id: CallId): void;
  /** Writes down a call that is about to be dialled: its webhooks may come to any runner. @throws VoicebotError VB_CLUSTER_UNREACHABLE */
  begun(id: CallId): Promise<void>;
  /** When this process has stood still for long: whether a call is still its own. Undefined where there is no doubt. */
  inDoubt(id: CallId): Promise<boolean> | undefined;
  /**
   * Finds the runner that has a call, and has it answer.
   * @returns its answer; undefined when this runner is to answer, which has the call then or may begin it
   */
  route(asked: AskedCall): Promise<PeerAnswer | undefined>;
  /** The webhook is answered: what was claimed for it and has not become a call belongs to no runner again. */
  settle(id: CallId): Promise<void>;
  /**
   * A media stream has come whose call another runner has: its call moves here, if no bot waits for it there.
   * @returns passes the stream on to where one does; undefined when it can be served here, or by no runner
   */
  bringForStream(
    id: CallId,
    token: string,
  ): Promise<((request: IncomingMessage, stream: Duplex, head: Buffer) => void) | undefined>;
}
