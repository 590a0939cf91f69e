import type { ClockLease, ClockReport } from '../../base/clock/clock-member.js';
import type { ClockStart } from '../../base/clock/shared-clock.js';
import type { ErrorFields } from '../../base/errors.js';
import type { Exception } from '../../base/exception/exception.js';
import type { ExceptionReport } from '../../base/exception/report-exception.js';
import type { RoomsClient } from '../../bot/transports/room/join-room.js';
import type { BotDefinition } from '../../call/bot-definition.js';
import type { BotEndReason, CallInfo, EndReason } from '../../call/call.js';
import type { CallId, ProviderCallId } from '../../call/call-id.js';
import type { RecordingOrder } from '../../call/call-tape.js';
import type { Handover } from '../../call/consult.js';
import type { HeardNotice, HeardNotices, NoticeKind } from '../../call/disclosure.js';
import type { DoNotCallOutcome, DoNotCallWay, EarlierDoNotCall } from '../../call/do-not-call.js';
import type { CallAccount, RoomNews, RoomPast } from '../../call/runner-link.js';
import type { ServiceState } from '../../call/service-name.js';
import type { HeardBy, TimelineEvent } from '../../call/timeline.js';
import type { AcceptedTransferOutcome, FailedTransfer, FailedTransferOutcome } from '../../call/transfer-outcome.js';
import type { ExtensionSource } from '../../providers/registry/extensions.js';
import type { RoomUserIds } from '../../providers/rooms/user-ids.js';
import type { BotSource } from './bot-source.js';

/** How long a bot gets to say goodbye when it is asked to end its call, in milliseconds; runner and bot both keep it. */
export const GOODBYE_MS = 5_000;

/** A bot that has not heard of its runner for so long leaves its room to that of another runner of the cluster, in milliseconds. */
export const BOT_LEASE_MS = 5_000;

/** How long a bot may go on after its call is over, to save what it has to, in milliseconds. */
export const SETTLE_LIMIT_MS = 30_000;

/**
 * How a bot's stream came to its end: the bot closed it, the carrier closed it, the carrier fell silent without closing
 * it, the bot failed, or the call is being transferred.
 */
export type StreamOutcome = 'bot_ended' | 'far_end' | 'stream_lost' | 'bot_crashed' | 'bot_timeout' | 'transferring';

/** How a bot function settled; `lost` when its process died before, `hung` when it was ended because it did not answer. */
export type BotOutcome = 'returned' | 'threw' | 'lost' | 'hung';

/** What the bot is told of its call. */
export interface ServedCall extends CallInfo {
  readonly id: CallId;
}

/**
 * A call whose bot is to be started. The bot's process says `reading` when the bot begins to listen to its stream; the
 * stream itself then comes with `stream`, unless another bot of the call was faster.
 */
export interface ServeMessage {
  type: 'serve';
  call: ServedCall;
  /** Which of the streams that this bot gets, from 1. */
  streamNo?: number;
  /** The carrier's identifier of the call: what the stream must introduce itself with. */
  providerCallId: ProviderCallId;
  /** Whose wire the stream speaks. */
  carrier: string;
  /** The account that the call is at, where that is not the one of the bot's environment. */
  account?: CallAccount | undefined;
  body: Readonly<Record<string, unknown>>;
  /** Custom parameters of the call's addresses. */
  query: Readonly<Record<string, string>>;
  /** After this much silence of both sides the runner is told, in milliseconds; 0 means never. */
  silenceMs: number;
  /** Longest the call may last, in milliseconds: kept here too, for the runner may be gone by then. */
  limitMs: number;
  /** The call is back from a transfer that came to nothing, for the bot that is still waiting for it. */
  comeback?: FailedTransferOutcome;
  /** The same for a bot that takes over from the one that has asked for it. */
  failedTransfer?: FailedTransfer;
  /** What an earlier bot of the call was about to hand over. */
  handover?: Handover | undefined;
  /** The number of the other party was, or is being, put on the do-not-call list for an earlier bot of the call. */
  doNotCall?: EarlierDoNotCall | undefined;
  /** What the other party has heard from earlier bots of the call. */
  heardNotices?: HeardNotices | undefined;
  /** Missing where the call is not recorded. */
  recording?: RecordingOrder | undefined;
  /** The runner is told what is said and done also where it is not recorded. Default false. */
  tellsTalk?: boolean | undefined;
  traceparent?: string | undefined;
}

/** A call in a media room that the bot is to join. */
export interface ServeRoomMessage {
  type: 'serve_room';
  call: ServedCall;
  room_url: string;
  token: string;
  body: Readonly<Record<string, unknown>>;
  phone_number?: string;
  /** What the call's participants are called in the room. */
  userIds?: RoomUserIds | undefined;
  /** What earlier bots of the call have done. */
  past: RoomPast;
  /**
   * Another runner goes on with the call when this one has not said `runner_there` for so long, in milliseconds, or is gone: the bot
   * leaves the room to the next one then. Undefined for a runner that is alone.
   */
  leaseMs?: number | undefined;
  silenceMs: number;
  /** How long a callee of the bot may let it ring, in milliseconds. */
  ringMs: number;
  limitMs: number;
  /** What an earlier bot of the call was about to hand over. */
  handover?: Handover | undefined;
  /** The number of the other party was, or is being, put on the do-not-call list for an earlier bot of the call. */
  doNotCall?: EarlierDoNotCall | undefined;
  heardNotices?: HeardNotices | undefined;
  recording?: RecordingOrder | undefined;
  tellsTalk?: boolean | undefined;
  traceparent?: string | undefined;
}

/** What a bot is told about its call. A new message is declared here, and handled where the bot's calls are hosted. */
export type ToBot =
  | ServeMessage
  /**
   * The media stream of the call, upgraded; the socket travels beside the message. The bot's process answers `socket_received`.
   * `head`: what the carrier has sent on it already, base64.
   */
  | { type: 'stream'; head: string }
  | ServeRoomMessage
  /** Whether the bot may call a number: `to` as E.164, or why not. */
  | { type: 'target_answer'; requestId: number; to?: string; problem?: ErrorFields }
  /** The carrier says the call is over. */
  | { type: 'call_over' }
  /** Its runner still has the call. */
  | { type: 'runner_there' }
  /** Another bot takes this call over: drop its stream without hanging up. */
  | { type: 'abandon' }
  /** End this call politely. */
  | { type: 'end' }
  /**
   * What the caller is taken to have said, for a bot with stand-ins. `at`: when it was typed, milliseconds since the Unix epoch; `by`: what
   * has understood it where it was spoken.
   */
  | { type: 'typed'; text: string; at?: number | undefined; by?: HeardBy | undefined }
  /**
   * What became of the bot's wish to have a number dialled beside its call: the call that was placed for it, or why none was. Its media comes as
   * `serve` or `serve_room` of that call, to the same process.
   */
  | { type: 'consult_answer'; requestId: number; leg?: ServedCall; problem?: ErrorFields }
  /** What became of the wish not to be called again. `problem`: why it is not on the list. */
  | { type: 'do_not_call_answer'; requestId: number; outcome: DoNotCallOutcome; problem?: ErrorFields }
  /** The recording is removed, wherever that was asked for: nothing more is kept. */
  | { type: 'remove_recording' }
  /** A call that was dialled beside this one is over before its bot has had it. */
  | { type: 'leg_lost'; legId: CallId; reason: EndReason }
  /** The carrier has taken the transfer, or the runner or the carrier refused it. */
  | { type: 'transfer_answer'; problem?: ErrorFields }
  | { type: 'transfer_over'; outcome: AcceptedTransferOutcome };

/** What a bot says about its call: the events of a `BotCall`. A new message is declared here, and handled by each of its listeners. */
export type FromBot =
  /** The stream's socket is in the bot's process. */
  | { type: 'socket_received' }
  /** The bot begins to listen to the stream. */
  | { type: 'reading' }
  /** `streamNo`: of which stream, as `serve` has said. */
  | { type: 'stream_over'; outcome: StreamOutcome; streamNo?: number | undefined }
  /** The bot ends the call in order. Comes before the end of its stream. */
  | { type: 'ends_for'; reason: BotEndReason }
  /** The bot has failed over audio that no other one could read: the stream's, or a sound file's. Comes before the end of its stream. */
  | { type: 'unreadable'; error: ErrorFields }
  /** The bot has failed over its own options, as every other one would. Comes before the end of its stream. */
  | { type: 'misconfigured' }
  /** The bot's function, or its process, has ended with an exception. Comes before the end of its stream. */
  | { type: 'failed'; exception: Exception }
  /** The bot wants the caller connected to another number. */
  | { type: 'transfer'; to: string }
  /** The bot wants a number dialled beside its call. @see ConsultRequest */
  | { type: 'consult'; requestId: number; to: string; ringSeconds: number; legId?: string | undefined }
  /** It wants a call that was dialled beside its own ended, whether it rings or is answered. */
  | { type: 'end_leg'; legId: CallId }
  /** How far a warm transfer, or a bridge, has come: for the bot that may take over. */
  | { type: 'handover'; handover?: Handover | undefined }
  /** The other party is not to be called again. */
  | { type: 'do_not_call'; requestId: number; how: DoNotCallWay }
  /** They have heard that it is so. */
  | { type: 'do_not_call_told'; isHeard: boolean }
  /** The other party has heard to its end that a machine calls, or that the call is recorded. */
  | { type: 'notice_heard'; notice: NoticeKind; heard: HeardNotice }
  /** Who has heard them was a screening assistant: the person has not. */
  | { type: 'notices_forgotten' }
  /** The other party objects to the recording: the bot has removed what it had of it. */
  | { type: 'recording_removed' }
  /** Neither side has said anything for as long as the call may be silent. */
  | { type: 'silent' }
  /** What happens in the call's room. */
  | { type: 'room_news'; news: RoomNews }
  /** The bot wants to call a number out of its room. */
  | { type: 'check_target'; requestId: number; to: string }
  /** What has happened in the call, as the bot has noted it. */
  | { type: 'noted'; events: readonly TimelineEvent[] }
  /** The bot function has settled; `errorType`: the class of what it has thrown. */
  | { type: 'call_done'; outcome: BotOutcome; errorType?: string | undefined };

/** A message about one of the process's calls, as it travels. */
export type OfCall<M extends ToBot | FromBot> = M & { callId: CallId };

/** How the bots of a test speak where flite is their voice. */
export interface TestSpeech {
  /** Address of a lab that says it for all of them, `http://` on this machine. Default: each says it by itself. */
  readonly saidAt?: string | undefined;
  /** Tones in place of words. Default false. */
  readonly saysTones?: boolean | undefined;
}

export type MessageToBot =
  | OfCall<ToBot>
  /**
   * Values for the bot's environment travel here and not in the process environment, which others can read.
   * `roomsClient`: what joining a room with it takes is loaded before a call needs it; with `browser`, the process has its pages
   * opened by the runner. `standIns`: nothing that needs a key is asked. `clock`:
   * what time goes by; default: the machine's. `extensions`: those that the runner uses.
   */
  | {
      type: 'load';
      source: BotSource;
      environment: Record<string, string>;
      roomsClient?: RoomsClient | undefined;
      standIns?: boolean | undefined;
      clock?: ClockStart | undefined;
      speech?: TestSpeech | undefined;
      extensions?: readonly ExtensionSource[] | undefined;
    }
  /** The page is open, or why not. */
  | { type: 'page_opened'; requestId: number; problem?: ErrorFields }
  /** The page is not there any more, and was not asked to close. */
  | { type: 'page_gone'; requestId: number }
  /** Whether custom data is what the bot says it must be; the process answers `body_checked`. */
  | { type: 'check_body'; requestId: number; body: Readonly<Record<string, unknown>> }
  /** How far time may go in the process; it answers `clock`. */
  | { type: 'clock'; lease: ClockLease }
  /** What another process has found out about a service. `probes`: this one is to try it again. */
  | { type: 'service_health'; state: ServiceState; probes: boolean }
  /** End all calls politely. */
  | { type: 'stop' }
  | { type: 'exit' };

export type MessageFromBot =
  | { type: 'clock'; report: ClockReport }
  | OfCall<FromBot>
  /** `residentBytes`: the memory of its process. `record`, `disclosure`: what the bot says about recording its calls, and how they begin. */
  | {
      type: 'ready';
      residentBytes: number;
      record?: BotDefinition['record'];
      disclosure?: BotDefinition['disclosure'];
    }
  /** Code of the user's has thrown. `callId`: of which call, where that is known. */
  | { type: 'exception'; report: ExceptionReport }
  /** `known`: the error that the bot file has thrown, when it is one of ours. `exception`: the place in the user's files. */
  | { type: 'load_failed'; message: string; stack: string; known?: ErrorFields; exception?: Exception }
  /** `lateMs`: how late its event loop was. */
  | { type: 'heartbeat'; residentBytes: number; lateMs: number }
  /** A sentence for each problem of the custom data. */
  | { type: 'body_checked'; requestId: number; problems: readonly string[] }
  /** A service that bots of the process have asked has failed, or works again. */
  | { type: 'service_health'; state: ServiceState }
  /** A page is wanted in the runner's browser. `url`: on this machine. */
  | { type: 'open_page'; requestId: number; url: string }
  | { type: 'close_page'; requestId: number };
