import type { WebSocket } from 'ws';
import type { VoicebotError } from '../base/errors.js';
import type { BotEndReason, EndReason } from './call.js';
import type { CallTape } from './call-tape.js';
import type { ConsultLeg, ConsultRequest, Handover } from './consult.js';
import type { HeardNotice, HeardNotices, NoticeKind } from './disclosure.js';
import type { DoNotCallOutcome, DoNotCallWay, EarlierDoNotCall } from './do-not-call.js';
import type { CallStandIns } from './stand-ins.js';
import type { CallTimeline } from './timeline.js';
import type { AcceptedTransferOutcome, FailedTransfer } from './transfer-outcome.js';

/** How a transfer that the carrier has accepted went on: with `websocket` the caller is back, on a media stream that the bot has not read from. */
export type LinkedOutcome = AcceptedTransferOutcome & { readonly websocket?: WebSocket };

/** What a bot's transport tells the runner about its call. */
export type RoomNews =
  /** The bot is in the room. */
  | { readonly type: 'joined' }
  /** The held caller has been forwarded. */
  | { readonly type: 'forwarded' }
  /** The provider has taken a call that goes out; it may ring already. */
  | { readonly type: 'dialled'; readonly sessionId: string }
  | { readonly type: 'ringing' }
  /** The other party is there and hears the bot. */
  | { readonly type: 'connected' }
  /** The provider has taken a transfer, or its destination rings. */
  | { readonly type: 'transferring'; readonly transfer?: RoomTransferState }
  /** A transfer came to nothing. */
  | { readonly type: 'transfer_failed' }
  /** How the call came to its end, as far as the bot could see. The first one counts. */
  | { readonly type: 'over'; readonly reason: EndReason }
  /** Neither side has said anything for as long as the call may be silent. */
  | { readonly type: 'silent' };

/** A transfer that the provider carries out. */
export interface RoomTransferState {
  /** E.164, or a `sip:` address. */
  readonly to: string;
  /** The leg of the caller, which leaves the room with the transfer. */
  readonly leg: { readonly sessionId: string; readonly kind: 'dial-in' | 'dial-out' };
  /** The leg of the destination, as soon as the provider reports an event of it. */
  readonly destination?: string | undefined;
  readonly isRinging: boolean;
}

/** What an earlier bot of the same call has done, for the one that takes over. */
export interface RoomPast {
  /** The held caller is in the room, or on the way to it. */
  readonly isForwarded: boolean;
  /** The call that goes out: dialling it again would ring twice. */
  readonly dialout: { readonly sessionId: string; readonly isAnswered: boolean } | undefined;
  /** It may have been dialled, and the provider has not named it. Default false. */
  readonly isDialling?: boolean | undefined;
  /** The transfer that was going on: the caller hears the destination ring. */
  readonly transfer?: RoomTransferState | undefined;
}

/** What a runner has of every call. */
export interface CallRunnerLink {
  /** Where what happens in the call is noted. */
  readonly timeline?: CallTimeline | undefined;
  /** For a bot with stand-ins. */
  readonly standIns?: CallStandIns | undefined;
  /** Hears the call; missing where it is not recorded. */
  readonly tape?: CallTape | undefined;
  /** From here on neither audio nor what is said or pressed is kept, until it is resumed. */
  pauseRecording?(): void;
  resumeRecording?(): void;
  /** What the other party has heard from earlier bots of the call, which this one need not say again. */
  readonly heardNotices?: HeardNotices | undefined;
  /** The other party has heard it. After the one of the recording everything is kept that the call is to leave. */
  tellNotice?(kind: NoticeKind, heard: HeardNotice): void;
  /** Another listener comes on, who has heard nothing of them: until they have, nothing is kept, and the next bot says them again. */
  forgetNotices?(): void;
  /** The call is not recorded any more: nothing more is kept, and what there is goes. */
  removeRecording?(): void;
  /** Whether something of the call is kept, or will be after the notice. */
  isRecorded?(): boolean;
  /**
   * Has a number dialled beside the call, under the limits of every call that goes out. Resolves when the provider has taken it. A number
   * that rings or is answered already, because an earlier bot of the call has dialled it, is taken on instead of dialled again.
   * @throws VoicebotError VB_REQUEST_INVALID, VB_TARGET_REFUSED, VB_DIAL_LIMIT, VB_STREAM_CLOSED when the call is over, and what the
   *   provider refuses it with
   */
  consult?(request: ConsultRequest): Promise<ConsultLeg>;
  /** What an earlier bot of the call was about to hand over; undefined where there is nothing to go on with. */
  readonly handover?: Handover | undefined;
  /**
   * Puts the other party on the do-not-call list. Resolves when that is done, or cannot be; `problem`: why it failed.
   */
  doNotCall?(how: DoNotCallWay): Promise<{ readonly outcome: DoNotCallOutcome; readonly problem?: VoicebotError }>;
  /** It was done, or is being done, for an earlier bot of the call. */
  readonly askedNotToBeCalled?: EarlierDoNotCall | undefined;
  /** Nothing more is to be said of it. @param isHeard the other party has heard that it is done */
  tellDoNotCall?(isHeard: boolean): void;
  /** How far it has come; undefined: it came to nothing, and the caller is with the bot. */
  tellHandover?(handover: Handover | undefined): void;
  /** When the bot function has returned, this is waited for before the call is ended. */
  beforeReturn?(wait: () => Promise<void>): void;
}

/** The account at which a call is ended. */
export interface CallAccount {
  readonly authId: string;
  readonly authToken: string;
  /** Base address of the voice API, without the account part. */
  readonly apiUrl: string;
}

/** What a runner can do for the call of one media stream that the stream itself cannot. */
export interface StreamRunnerLink extends CallRunnerLink {
  /** The account that the call is at, where that is not the one of the bot's environment. */
  readonly account?: CallAccount | undefined;
  /** Why the caller is with this bot; absent when no other bot had it transferred. */
  readonly failedTransfer?: FailedTransfer | undefined;
  /**
   * Makes the carrier dial `to` (E.164) as soon as the media stream is closed. Resolves when the carrier has accepted:
   * close the stream then, and wait for the outcome.
   * @throws VoicebotError when the transfer is refused; nothing has changed then
   */
  transfer(to: string): Promise<{ readonly outcome: Promise<LinkedOutcome> }>;
  /**
   * The bot ends the call in order: the caller has been told what there is to tell, and no other bot takes over. Call it
   * before the stream is closed and before the carrier is asked to hang up.
   */
  endsFor(reason: BotEndReason): void;
  /** The stream carries audio that no bot can read: no other one takes over. */
  cannotRead(error: VoicebotError): void;
}

/** What a runner is to the bot in one room. */
export interface RoomRunnerLink extends CallRunnerLink {
  readonly past: RoomPast;
  /** After this much silence of both sides the runner is told, in milliseconds; 0 means never. */
  readonly silenceMs: number;
  /** How long a callee may let the phone ring, in milliseconds. */
  readonly ringMs: number;
  /** Another bot has taken the call over: this one hangs up no leg. */
  isReplaced(): boolean;
  /**
   * @returns `to` as E.164 when calls may go there
   * @throws VoicebotError VB_REQUEST_INVALID, VB_TARGET_REFUSED, VB_DIAL_LIMIT
   */
  checkTarget(to: string): Promise<string>;
  tell(news: RoomNews): void;
  /** What the call's participants are called in the room. With `leg`: it was dialled beside the room's own call. */
  readonly userIds?: { readonly bot: string; readonly leg?: string } | undefined;
  /**
   * Set by the call's transport: called before a number is dialled beside the call, so that the caller and it do not hear each other. What it
   * resolves to is called when that number is there, or will not come.
   */
  prepareConsult?: (() => Promise<() => void>) | undefined;
}

/** What a runner is to one bot of a call, beyond the arguments that it starts it with. */
export type RunnerLink = StreamRunnerLink | RoomRunnerLink;

/** What a transport has of its call: by it the bot's runner is found. */
export type CallPlace = { readonly websocket: WebSocket } | { readonly roomUrl: string; readonly token: string };

type LinkOf<P extends CallPlace> = P extends { readonly websocket: WebSocket } ? StreamRunnerLink : RoomRunnerLink;

/** Registered: the bot file may import another copy of this package than the one that runs it. */
const RUNNER_LINKS = Symbol.for('voicebot.runnerLinks');

const links = sharedLinks();

function sharedLinks(): Map<WebSocket | string, RunnerLink> {
  const shared = globalThis as { [RUNNER_LINKS]?: Map<WebSocket | string, RunnerLink> };
  shared[RUNNER_LINKS] ??= new Map();
  return shared[RUNNER_LINKS];
}

const keyOf = (place: CallPlace) => ('websocket' in place ? place.websocket : `${place.token} ${place.roomUrl}`);

/** Connects a call's stream or room with the runner that has started a bot for it. @returns undoes it */
export function linkRunner<P extends CallPlace>(place: P, link: LinkOf<P>): () => void {
  const key = keyOf(place);
  links.set(key, link);
  return () => {
    if (links.get(key) === link) links.delete(key);
  };
}

/** Undefined for a stream that no runner let in, and for a room that no runner gave the bot. */
export function runnerLinkOf<P extends CallPlace>(place: P): LinkOf<P> | undefined {
  return links.get(keyOf(place)) as LinkOf<P> | undefined;
}
