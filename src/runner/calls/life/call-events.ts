import type { ErrorFields } from '../../../base/errors.js';
import type { LogFields } from '../../../base/logger.js';
import type { BotEndReason, EndReason } from '../../../call/call.js';
import type { CallId } from '../../../call/call-id.js';
import type { ConsultRequest, Handover } from '../../../call/consult.js';
import type { RoomNews } from '../../../call/runner-link.js';
import type { FailedTransfer, FailedTransferOutcome, TransferFailure } from '../../../call/transfer-outcome.js';
import type { BotOutcome, ServedCall, StreamOutcome, ToBot } from '../../bots/messages.js';
import type { CallChange } from './call-registry.js';
import type { TimerName } from './phase.js';

/** What happens to a call. A `request` is answered with one document, at once or later. */
export type CallEvent =
  /* The carrier. */
  /** It asks for the first document. `botProblem`: why no bot can be loaded. */
  | { readonly type: 'answer_asked'; readonly request: number; readonly botProblem: unknown }
  /** It asks for what comes after a stream; of which, where the address says it. */
  | {
      readonly type: 'resume_asked';
      readonly request: number;
      readonly streamNo: number | undefined;
      readonly botProblem: unknown;
    }
  /** It asks for the document of a transfer. */
  | {
      readonly type: 'transfer_document_asked';
      readonly request: number;
      readonly no: number;
      readonly to: string;
      readonly botProblem: unknown;
    }
  /** The destination of a transfer has answered. */
  | {
      readonly type: 'destination_answered';
      readonly no: number;
      readonly to: string;
      readonly legId: string | undefined;
    }
  /** It has finished dialling the destination, or the talk with it is over: it asks what is next. */
  | {
      readonly type: 'transfer_ended';
      readonly request: number;
      readonly no: number;
      readonly to: string;
      readonly outcome: 'completed' | 'caller_left' | TransferFailure;
      readonly cause: string;
      readonly legId: string | undefined;
      readonly botProblem: unknown;
    }
  /** It has taken a call that we dial. */
  | { readonly type: 'placed' }
  /** The dialled phone rings. */
  | { readonly type: 'rang' }
  /** It has found out what answered. */
  | { readonly type: 'machine_detected'; readonly isMachine: boolean }
  /** The provider says that the call is over. */
  | { readonly type: 'provider_says_over'; readonly reason: EndReason }
  /** A media stream has been let in. */
  | { readonly type: 'stream_connected' }
  /** It was closed at the carrier's end before a bot read it. */
  | { readonly type: 'stream_closed'; readonly entry: number }
  /** The carrier says that it lost a stream. */
  | { readonly type: 'stream_problem'; readonly problem: string }
  /** A runner that is gone had agreed with the carrier on a transfer. */
  | { readonly type: 'transfer_adopted'; readonly no: number; readonly to: string }
  /* What was asked of it. */
  /** The number may be called, and the carrier can come for the document. */
  | { readonly type: 'transfer_checked'; readonly no: number; readonly to: string }
  | { readonly type: 'transfer_agreed'; readonly no: number }
  | { readonly type: 'transfer_refused'; readonly no: number; readonly problem: ErrorFields }
  /** Whether the carrier has a call that we dial. */
  | { readonly type: 'dialled_looked_up'; readonly isThere: boolean }
  /** Whether the destination of a transfer is being called. `isCheck`: asked because the tunnel is back. */
  | {
      readonly type: 'destination_looked_up';
      readonly no: number;
      readonly step: 'accepted' | 'answered';
      readonly isThere: boolean;
      readonly isCheck: boolean;
    }
  /** The call of a caller who was to be brought back is gone. */
  | { readonly type: 'transfer_lost'; readonly no: number }
  /** The carrier cannot reach us while a caller waits. */
  | { readonly type: 'link_lost' }
  /** The carrier has agreed to come, for the first time since it was asked. */
  | { readonly type: 'carrier_agreed' }
  /** It was asked to come and knows no such call. `isTooLate`: the caller could wait no longer. */
  | { readonly type: 'unknown_at_carrier'; readonly isTooLate: boolean }
  /** The tunnel is back. */
  | { readonly type: 'reached_again'; readonly hasMoved: boolean }
  /* The bots, by their numbers. */
  | { readonly type: 'bot_assigned'; readonly entry: number; readonly bot: number }
  | { readonly type: 'bot_missing'; readonly entry: number; readonly error: unknown }
  /** It listens to its stream, which it wants now. */
  | { readonly type: 'bot_reading'; readonly bot: number }
  | { readonly type: 'socket_received'; readonly bot: number }
  | { readonly type: 'stream_over'; readonly bot: number; readonly outcome: StreamOutcome }
  | { readonly type: 'bot_ends_for'; readonly bot: number; readonly reason: BotEndReason }
  /** Its code has thrown for a cause that the next bot would meet as well: that of the bot before, or the bot's own options. */
  | { readonly type: 'bot_is_hopeless'; readonly bot: number; readonly why: 'fails_alike' | 'misconfigured' }
  | { readonly type: 'bot_cannot_read'; readonly bot: number; readonly error: ErrorFields }
  | { readonly type: 'transfer_wanted'; readonly bot: number; readonly to: string }
  /** Neither side has said anything for as long as the call may be silent. */
  | { readonly type: 'bot_silent'; readonly bot: number }
  | { readonly type: 'bot_done'; readonly bot: number; readonly outcome: BotOutcome }
  /** It wants a number dialled beside the call. */
  | ({ readonly type: 'consult_wanted'; readonly bot: number; readonly request: number } & ConsultRequest)
  /** The call that was placed for it, or why none was. */
  | {
      readonly type: 'consulted';
      readonly bot: number;
      readonly request: number;
      readonly leg?: ServedCall;
      readonly problem?: ErrorFields;
    }
  /** How far what it hands over has come. */
  | { readonly type: 'handover_told'; readonly bot: number; readonly handover: Handover | undefined }
  /* The call that this one was dialled beside, or that was dialled beside this one. */
  /** One that was dialled beside it is over. */
  | { readonly type: 'leg_over'; readonly leg: CallId; readonly reason: EndReason }
  /** A bot has joined the two, or parts them. */
  | { readonly type: 'leg_bridged'; readonly isBridged: boolean }
  /** The call that it was dialled beside wants it no more, or is over. */
  | { readonly type: 'leg_unwanted' }
  /** What happens in the room of the call. */
  | { readonly type: 'room_event'; readonly bot: number; readonly news: RoomNews }
  /** It wants to call a number out of its room. */
  | { readonly type: 'target_asked'; readonly bot: number; readonly request: number; readonly to: string }
  /** `to`: the number as E.164; absent when it may not be called. */
  | {
      readonly type: 'target_checked';
      readonly bot: number;
      readonly request: number;
      readonly to?: string;
      readonly problem?: ErrorFields;
    }
  /* The room. */
  /** The provider holds a caller at our expense until the room is there. */
  | { readonly type: 'caller_held' }
  | { readonly type: 'room_opened' }
  /** There will be none, or no bot for it. */
  | { readonly type: 'room_failed'; readonly reason: EndReason }
  /* The runner. */
  | { readonly type: 'timer_ran_out'; readonly name: TimerName }
  /** The call never came about. */
  | { readonly type: 'not_placed'; readonly reason: EndReason }
  /** The runner that had the call before this one is gone, and its bots with it. */
  | { readonly type: 'runner_lost' }
  /** Bots that end their calls from here on do so because the runner stops. */
  | { readonly type: 'runner_stops' }
  /** The runner leaves. */
  | { readonly type: 'runner_leaves'; readonly reason: EndReason };

/** What the carrier is told to do. */
export type AnswerDocument =
  | {
      readonly is: 'stream';
      readonly streamNo: number;
      /** Nothing but the bot may be heard: the other party has not heard that a machine calls. */
      readonly isSilent?: boolean;
    }
  | { readonly is: 'dial'; readonly to: string; readonly no: number }
  | { readonly is: 'apology' }
  | { readonly is: 'hangup' };

/** What a bot of the call is told. */
export type BotNotice = Extract<
  ToBot,
  {
    type: 'end' | 'call_over' | 'transfer_answer' | 'transfer_over' | 'target_answer' | 'consult_answer' | 'leg_lost';
  }
>;

/** What is to be done for a call. */
export type CallEffect =
  | { readonly do: 'answer'; readonly request: number; readonly document: AnswerDocument }
  | { readonly do: 'set_timer'; readonly name: TimerName; readonly ms: number }
  | { readonly do: 'clear_timer'; readonly name: TimerName }
  /** Changes the call's record. */
  | { readonly do: 'record'; readonly change: CallChange }
  /** The same: the call is answered now. */
  | { readonly do: 'record_answer' }
  | {
      readonly do: 'log';
      readonly level: 'debug' | 'warn' | 'error';
      readonly message: string;
      readonly fields?: LogFields;
    }
  /** The call is over: nothing is to be done for it any more. */
  | { readonly do: 'end'; readonly reason: EndReason }
  /* Bots. */
  /** A bot will be wanted. */
  | { readonly do: 'expect_bot' }
  | { readonly do: 'forget_bot' }
  /** Asks for a bot process; `bot_assigned` or `bot_missing` follows. */
  | { readonly do: 'assign_bot'; readonly entry: number }
  /** Starts the call's bot in the process it was assigned, or tells the one that waits that its caller is back. */
  | {
      readonly do: 'serve_bot';
      readonly bot: number;
      readonly attempt: number;
      readonly comeback?: FailedTransferOutcome;
      readonly failedTransfer?: FailedTransfer;
    }
  | { readonly do: 'tell_bot'; readonly bot: number; readonly message: BotNotice }
  /** Takes the call away from a bot. */
  | { readonly do: 'abandon_bot'; readonly bot: number }
  /* Calls that are dialled beside this one. */
  /** `consulted` follows. */
  | ({ readonly do: 'consult'; readonly bot: number; readonly request: number } & ConsultRequest)
  /** This happens to one of them. */
  | { readonly do: 'tell_leg'; readonly leg: CallId; readonly event: EventOf<'leg_bridged' | 'leg_unwanted'> }
  /* The stream that no bot reads yet, by the number of its start. */
  | { readonly do: 'give_stream'; readonly entry: number; readonly bot: number }
  | { readonly do: 'play_tone'; readonly entry: number }
  /** Closes it in order. */
  | { readonly do: 'end_stream'; readonly entry: number }
  /** Breaks it off. */
  | { readonly do: 'drop_stream'; readonly entry: number }
  /** Lets no other stream in for the current document. */
  | { readonly do: 'use_pass' }
  /** Lets one more stream in for it: no bot has the one that was let in. */
  | { readonly do: 'renew_pass' }
  /* The carrier. */
  /** Ends the call there, unless it has ended by itself within the grace. */
  | { readonly do: 'hang_up'; readonly graceMs: number }
  /** Asks it to come for a document, again and again. `hadStream`: a stream was there since the latest one. */
  | { readonly do: 'recover'; readonly graceMs: number; readonly hadStream: boolean }
  | { readonly do: 'stop_recovering' }
  /** `transfer_checked` or `transfer_refused` follows. */
  | { readonly do: 'check_transfer'; readonly no: number; readonly to: string }
  /** `transfer_agreed` or `transfer_refused` follows. */
  | { readonly do: 'ask_transfer'; readonly no: number; readonly to: string }
  /** `dialled_looked_up` follows. */
  | { readonly do: 'look_up_dialled' }
  /** `destination_looked_up` follows. */
  | {
      readonly do: 'look_up_destination';
      readonly no: number;
      readonly to: string;
      readonly step: 'accepted' | 'answered';
      readonly isCheck: boolean;
    }
  /** The carrier is to come for another document instead of a transfer's; `transfer_lost` may follow. */
  | { readonly do: 'bring_back'; readonly no: number }
  /* The room. */
  | { readonly do: 'close_room' }
  /** Leaves it to its expiry: the provider is still moving the caller out of it. */
  | { readonly do: 'leave_room' }
  /** `target_checked` follows. */
  | { readonly do: 'check_target'; readonly bot: number; readonly request: number; readonly to: string };

export type EventType = CallEvent['type'];
export type EventOf<Type extends EventType> = Extract<CallEvent, { type: Type }>;
