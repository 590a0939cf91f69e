import type { EndReason } from '../../../call/call.js';
import type { CallId } from '../../../call/call-id.js';
import type { Handover } from '../../../call/consult.js';
import type { RoomTransferState } from '../../../call/runner-link.js';
import type { FailedTransfer, FailedTransferOutcome } from '../../../call/transfer-outcome.js';
import type { StreamOutcome } from '../../bots/messages.js';

/*
 * The life of a call whose audio a carrier streams to us:
 *
 *   dialling ──rings──> ringing                     (only a call that we dial)
 *       │                  │
 *       └──── the carrier asks for the first document ────┐      (an inbound call begins as `ringing`)
 *                                                         v
 *   ┌────────────────────────────────────────────> waiting_for_stream <─────────────┐
 *   │                                                     │ stream connected        │ the bot is gone
 *   │ the carrier comes for                               v                         │
 *   │ the next document            ┌──────────────── starting <──────────────── returning
 *   │                              │                      │ a bot reads             ^
 *   │                              │ no bot               v                         │ no answer
 *   ├── between_streams <──stream lost, bot failed─── talking                       │
 *   │                              │                      │ transfer agreed         │
 *   │                              │                      v                         │
 *   └─────────── no answer, and the bot is gone ──── transferring ──────────────────┘
 *                                  │                      │ the talk is over
 *                                  v                      v
 *                               ending <── the end is decided ──
 *
 * The life of a call in a room, which a bot joins and to which it brings the other party:
 *
 *   opening_room ──room is there──> starting ──a bot is in the room──> joined ──the other party is there──> talking
 *                                      ^                                 │                                  │    ^
 *                                      └──── the bot fails ──────────────┴──────────────────────────────────┤    │
 *                                                                                                           v    │ came to nothing
 *                                                                                                        transferring
 *
 * Every phase may go to `ended`: the provider says that the call is over, a limit runs out, or the runner stops. Nothing leaves
 * `ended`.
 */
export type CallPhase =
  /** The carrier was asked to place the call. */
  | { readonly is: 'dialling' }
  | { readonly is: 'ringing' }
  /** The room of the call is being created. */
  | { readonly is: 'opening_room' }
  /** The carrier has the document of a stream, or is about to fetch it. */
  | {
      readonly is: 'waiting_for_stream';
      /** Fetches of the continuation that found the stream never connected. */
      readonly resumes: number;
      /** When the latest of them came. */
      readonly resumedAt: number;
    }
  /** The same after a transfer that came to nothing, for the bot that waits for its caller. */
  | {
      readonly is: 'returning';
      readonly bot: number;
      readonly outcome: FailedTransferOutcome;
      readonly resumes: number;
      readonly resumedAt: number;
    }
  | StartingPhase
  /** A bot is in the room, and the other party is not. */
  | { readonly is: 'joined'; readonly bot: number }
  | { readonly is: 'talking'; readonly bot: number }
  /** The stream is over and the call is not: the carrier comes for the next document. */
  | {
      readonly is: 'between_streams';
      readonly outcome: StreamOutcome;
      /** A bot has had the stream: the next one goes to another bot. */
      readonly hadBot: boolean;
      /** No end of the stream was told: its runner is gone, whose bot may have gone on with the caller. */
      readonly isAssumed?: boolean | undefined;
    }
  | TransferringPhase
  /** The end is decided and no bot has the caller: the carrier is to say that the call is over, and one bot may wait for that. */
  | { readonly is: 'ending'; readonly bot: number | undefined }
  | { readonly is: 'ended'; readonly reason: EndReason };

/** Bots are being started, one after the other; the first one that is there has the call. */
export interface StartingPhase {
  readonly is: 'starting';
  /** Which of the call's starts this is: also the number of its stream, where it has one. */
  readonly entry: number;
  /** The bots on their way. */
  readonly bots: readonly StartingBot[];
  /** Of the bot that was tried last. */
  readonly attempt: number;
  /** A bot process has been asked for. */
  readonly isAssigning: boolean;
}

export interface StartingBot {
  readonly bot: number;
  readonly attempt: number;
}

export interface TransferringPhase {
  readonly is: 'transferring';
  /** Which of the call's transfers this is, from 1 on; in a room 0, whose bot carries it out. */
  readonly no: number;
  /** E.164. */
  readonly to: string;
  readonly step: 'accepted' | 'answered';
  /** The bot that has asked for it, until it is done. */
  readonly bot: number | undefined;
  /** Its stream is still open. */
  readonly hasStream: boolean;
}

/** Names of the timers of a call: at most one of each. */
export type TimerName =
  /** The call has lasted as long as it may, but for a goodbye. */
  | 'length'
  /** The bot was asked to end the call and has not. */
  | 'goodbye'
  /** Another bot is started beside the one that is not there yet. */
  | 'beside'
  /** The caller hears a tone. */
  | 'tone'
  /** No bot is waited for any longer. */
  | 'entry'
  /** The carrier has not said what becomes of a call that we dial. */
  | 'dial_news'
  /** The carrier has not said what becomes of the call. */
  | 'last_word'
  /** The bot's process has not said how the stream ended. */
  | 'outcome'
  /** The same, when the carrier says that it lost the stream. */
  | 'problem'
  /** The carrier has not said what becomes of a transfer. */
  | 'transfer_news'
  /** The bot in the room has not brought the other party. */
  | 'connect'
  /** The callee has not answered the call that the room's bot dialled. */
  | 'answer'
  /** The call that it was bridged with is over. */
  | 'parted';

/** What holds for the whole of a call. Times are milliseconds. */
export interface CallTerms {
  readonly id: CallId;
  readonly media: 'stream' | 'room';
  readonly isDialled: boolean;
  /** The carrier's way to us is a tunnel, which may break. */
  readonly isTunnelled: boolean;
  /** Longest it may last. */
  readonly lengthMs: number;
  /** How long a dialled phone may ring. */
  readonly ringMs: number;
  /** A call that a machine answered is ended. */
  readonly endsOnMachine: boolean;
  /** `OPERATOR_NUMBER`, E.164; undefined on a real account where it is not set. */
  readonly operatorNumber: string | undefined;
  /** Whom the bot in the room is to call, E.164. */
  readonly phoneNumber: string | undefined;
  /** The call whose bot has had this one dialled beside it: this one's media goes to the same process. */
  readonly linkedTo?: CallId | undefined;
}

/** What every call has, whatever its phase. */
export interface CallFacts {
  /** Which bot serves it: 1, and one more for each that was replaced. */
  readonly attempt: number;
  /** Streams that were lost without anybody's fault, after which the caller came back. */
  readonly reconnects: number;
  /** Why the call ends, as it was decided here; the provider's word for the end counts only without it. */
  readonly decided: EndReason | undefined;
  /** Why it ends, as the bot in its room has seen. */
  readonly seen: EndReason | undefined;
  /** It is answered, or its caller is held at our expense: its length counts from then on. */
  readonly isAnswered: boolean;
  readonly isMachine: boolean;
  /** Its bot has been asked to end it. */
  readonly isAskedToEnd: boolean;
  /** Its bot has ended it in order: no other bot owes the caller a word. */
  readonly hasBotEnded: boolean;
  /** Its last two bots have failed alike, or one over its own options, so that another one is not tried. */
  readonly isHopeless: boolean;
  /** What its bot hands over, for the next one to go on with. */
  readonly handover: Handover | undefined;
  /** A bot has joined it with a call that it was dialled beside, or that was dialled beside it: they end together. */
  readonly isBridged: boolean;
  /** How often bots have been put on their way. */
  readonly entries: number;
  /** Timers that run. */
  readonly timers: readonly TimerName[];
}

/** What a call has that a carrier streams. */
export interface StreamFacts {
  /** Counts the streams that the carrier was told to open, one after another. */
  readonly streamNo: number;
  /** How the latest stream ended; undefined while one is there, and before the first. */
  readonly outcome: StreamOutcome | undefined;
  /** What the carrier says has happened to the stream, until it is known whether a bot has ended it. */
  readonly problem: string | undefined;
  /** Since when the caller has waited for a bot. */
  readonly waitingSince: number | undefined;
  /** The document of the next stream was given while the one before seemed to be there: its bot is counted already. */
  readonly isNextCounted: boolean;
  /** Requests for the next document that wait for the end of the stream. */
  readonly requests: readonly PendingDocument[];
  /** What the call ends with when the carrier says nothing more, and how long that is waited for. */
  readonly lastWord: { readonly reason: EndReason; readonly ms: number } | undefined;
  /** The carrier is being asked to come. */
  readonly isRecovering: boolean;
  /** The caller waits because the carrier cannot reach us. */
  readonly isLinkLost: boolean;
  /** Transfers this call has asked for so far. */
  readonly transfers: number;
  readonly asked: RequestedTransfer | undefined;
  /** The transfer that was refused, since the latest document; the carrier may have taken it all the same. */
  readonly refused: number | undefined;
  /** What the next bot has to know, when the one that asked for the transfer is gone. */
  readonly failedTransfer: FailedTransfer | undefined;
}

/** A transfer that a bot has asked for, until it is agreed on or refused. */
export interface RequestedTransfer {
  readonly no: number;
  readonly to: string;
  /** The bot, until it is done. */
  readonly bot: number | undefined;
  /** The carrier has been asked, and has not answered. */
  readonly isAtCarrier: boolean;
}

export interface PendingDocument {
  readonly no: number;
  /** Why no bot could be loaded when it came; undefined when one could. */
  readonly botProblem: unknown;
}

/** What a call in a room has: what its bots have done, for the next one. */
export interface RoomFacts {
  readonly isForwarded: boolean;
  readonly dialout: { readonly sessionId: string; readonly isAnswered: boolean } | undefined;
  /** A bot was told that it may call who it was started for, and has not told of the leg. */
  readonly isDialling: boolean;
  readonly transfer: RoomTransferState | undefined;
  /** Numbers its bots have asked to call, beside the one they were started for. */
  readonly targets: number;
}

export interface CallLife {
  readonly terms: CallTerms;
  readonly facts: CallFacts;
  readonly stream: StreamFacts;
  readonly room: RoomFacts;
  readonly phase: CallPhase;
}

/** Bots a call may use up before the caller hears the recorded line, or is left to the provider. */
export const MAX_ATTEMPTS = 3;

/** Whether another bot may be tried after the one with this number. */
export const hasMoreBots = ({ isHopeless }: CallFacts, attempt: number): boolean =>
  !isHopeless && attempt < MAX_ATTEMPTS;

export type PhaseName = CallPhase['is'];
export type PhaseOf<Name extends PhaseName> = Extract<CallPhase, { is: Name }>;

/**
 * A call that begins.
 * @param attempt of its first bot: 2 when a runner that is gone has had the call
 */
export function newCall(terms: CallTerms, phase: CallPhase, attempt = 1): CallLife {
  return {
    terms,
    phase,
    facts: {
      attempt,
      reconnects: 0,
      decided: undefined,
      seen: undefined,
      isAnswered: false,
      isMachine: false,
      isAskedToEnd: false,
      hasBotEnded: false,
      isHopeless: false,
      handover: undefined,
      isBridged: false,
      entries: 0,
      timers: [],
    },
    stream: {
      streamNo: 1,
      outcome: undefined,
      problem: undefined,
      waitingSince: undefined,
      isNextCounted: false,
      requests: [],
      lastWord: undefined,
      isRecovering: false,
      isLinkLost: false,
      transfers: 0,
      asked: undefined,
      refused: undefined,
      failedTransfer: undefined,
    },
    room: { isForwarded: false, dialout: undefined, isDialling: false, transfer: undefined, targets: 0 },
  };
}

/**
 * Why a call ends, as far as that is known: what was decided here, else what its bot has seen. A caller who was transferred goes on
 * without us, whatever was to become of the call.
 */
export function reasonOf({ decided, seen }: CallFacts): EndReason | undefined {
  return seen === 'transferred' ? seen : (decided ?? seen);
}
