import type { CallId } from '../../call/call-id.js';
import type { CallRecord } from '../../call/call-record.js';
import type { TimelineEvent } from '../../call/timeline.js';
import type { TurnReport } from '../../call/turn-report.js';

/** What belongs to each kind of event beside `callId`. A new kind is declared here, and described in docs/events.md. */
interface EventData {
  /** The call is there: it rings, or is being dialled. The first event of a call. */
  'call.started': Pick<CallRecord, 'direction' | 'from' | 'to' | 'providerCallId' | 'linkedTo'>;
  /** The bot's side, or the callee, has picked up. `answeredBy`: see {@link CallRecord}. */
  'call.answered': Pick<CallRecord, 'answeredBy'>;
  /** The caller talks to the destination of a transfer. `to`: E.164 or a `sip:` address, where the bot has told it. */
  'call.transferred': { readonly to?: string };
  'turn.ended': EndedTurn;
  /** Another service goes on in the place of one that has failed or takes too long. */
  'service.switched': SwitchedService;
  /** The call is over. The last event of a call; its record will not change any more. */
  'call.ended': { readonly call: CallRecord };
}

/** One answer of the bot, with how long the caller waited for it. */
export interface EndedTurn extends TurnReport {
  /** Which bot of the call gave it: its `attempt`. */
  readonly attempt: number;
  /** What the times count from, milliseconds since the Unix epoch. */
  readonly startedAt: number;
  /** What the caller was understood to say, and what the caller heard of the answer. Only while the call is recorded. */
  readonly caller?: string;
  readonly bot?: string;
}

/** What has taken over from what, why, and how long the call had none that worked. */
export interface SwitchedService
  extends Pick<TimelineEvent & { type: 'service_switched' }, 'does' | 'from' | 'to' | 'why' | 'ms'> {
  /** Which bot of the call it serves: its `attempt`. */
  readonly attempt: number;
}

export type ApplicationEventType = keyof EventData;

/** What the user's application is told of a call: the body of a request, as JSON. */
export type ApplicationEvent = {
  readonly [Type in ApplicationEventType]: {
    readonly type: Type;
    /** When it happened, ISO 8601. */
    readonly timestamp: string;
    readonly data: { readonly callId: CallId } & EventData[Type];
  };
}[ApplicationEventType];
