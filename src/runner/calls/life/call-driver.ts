import type { CallId } from '../../../call/call-id.js';
import type { CallRecord } from '../../../call/call-record.js';
import type { BotCall } from '../../bots/bot-call.js';
import type { ServeMessage, ServeRoomMessage } from '../../bots/messages.js';
import type { CallEffect } from './call-events.js';
import type { CallLife } from './phase.js';

/** What the supervisor carries out by itself. */
type OwnEffect =
  | 'set_timer'
  | 'clear_timer'
  | 'record'
  | 'record_answer'
  | 'log'
  | 'expect_bot'
  | 'forget_bot'
  | 'assign_bot'
  | 'tell_bot'
  | 'tell_leg'
  | 'abandon_bot'
  | 'serve_bot'
  | 'give_stream';

/** What is left to the driver of the provider. With `end` the call is forgotten. */
export type DriverEffect = Exclude<CallEffect, { do: OwnEffect }>;

export type EffectOf<Kind extends CallEffect['do']> = Extract<CallEffect, { do: Kind }>;

/** JSON. */
export type CallParts = Readonly<Record<string, unknown>>;

/** Turns what the provider says into events, and effects into requests to the provider. */
export interface CallDriver {
  carryOut(life: CallLife, effect: DriverEffect): void;
  /** What a bot of the call is told to begin with. */
  serveMessage(life: CallLife, record: CallRecord, effect: EffectOf<'serve_bot'>): ServeMessage | ServeRoomMessage;
  /** What another runner needs of a live call beside its life and its record: JSON, without secrets. */
  partsOf(id: CallId): CallParts | undefined;
  /** The same of a call that another runner had: it goes on here. Resolves when bots can be sent into it. */
  restore(id: CallId, parts: CallParts): Promise<void>;
  /** Forgets a live call that another runner has now. */
  forget(id: CallId): void;
  /** Hands the stream that waits for a bot over to this one. */
  giveStream(life: CallLife, entry: number, bot: BotCall): void;
}
