import type { CallId } from '../../call/call-id.js';
import type { CallRecord } from '../../call/call-record.js';
import type { Speaker, TimelineEvent } from '../../call/timeline.js';
import type { ApplicationEvent, ApplicationEventType, EndedTurn } from './application-event.js';

/** The longest text of one side in an event, in characters: more is cut off. */
const MAX_TEXT = 4_000;

type EventDataOf<Type extends ApplicationEventType> = Omit<Extract<ApplicationEvent, { type: Type }>['data'], 'callId'>;

/** Picks from what happens in a call what the user's application is told, each thing once. */
export class CallEventPicker {
  readonly #told: Set<ApplicationEventType>;
  readonly #texts: Record<Speaker, string> = { caller: '', bot: '' };
  readonly #bots = new Set<number>();
  #isRecorded = false;
  #destination: string | undefined;
  /** The call as the application was told that it has ended. */
  #over: CallRecord | undefined;
  /** Of the other party. */
  #number = '';

  /** @param told what an earlier runner has told of the call */
  constructor(
    private readonly id: CallId,
    told: Iterable<ApplicationEventType> = [],
  ) {
    this.#told = new Set(told);
  }

  /** Whether a bot may still have something to tell. */
  get hasBots(): boolean {
    return this.#bots.size > 0;
  }

  see(event: TimelineEvent): ApplicationEvent[] {
    switch (event.type) {
      case 'record':
        return this.#change(event.at, event.record);
      case 'bot_assigned':
        this.#bots.add(event.bot);
        return [];
      case 'bot_done':
        this.#bots.delete(event.bot);
        return [];
      case 'recording':
        return this.#record(event.at, event.is);
      case 'said':
        if (!event.unkept) this.#hear(event.speaker, event.text);
        return [];
      case 'notice_heard': {
        const { text, from, to, evidence, heardBy } = event;
        const heard = { text, from, to, evidence, ...(heardBy !== undefined && { heardBy }) };
        return event.notice === 'disclosure' ? [eventOf(this.id, 'disclosure.heard', event.at, heard)] : [];
      }
      case 'transfer_asked':
        this.#destination = event.to;
        return [];
      case 'transfer_over':
        this.#destination = event.status === 'answered' ? event.to : undefined;
        return event.status === 'answered' ? this.#transferred(event.at) : [];
      case 'do_not_call': {
        const [{ at, how, outcome }, number] = [event, this.#number];
        return outcome === 'listed' ? this.#once('call.do_not_call', at, { number, how }) : [];
      }
      case 'turn_ended':
        return [eventOf(this.id, 'turn.ended', event.at, this.#turn(event))];
      case 'service_switched': {
        const { at, bot: attempt = 1, does, from, to, why, ms } = event;
        return [eventOf(this.id, 'service.switched', at, { attempt, does, from, to, why, ms })];
      }
      default:
        return [];
    }
  }

  #change(at: number, record: CallRecord): ApplicationEvent[] {
    const { direction, from, to, providerCallId, linkedTo, answeredAt, answeredBy, state, endReason } = record;
    const isOver = state === 'ended';
    this.#number = (direction === 'inbound' ? from : to) ?? '';
    const provider = { ...(providerCallId && { providerCallId }), ...(linkedTo && { linkedTo }) };
    return [
      ...this.#once('call.started', record.startedAt, { direction, from, to, ...provider }),
      ...(answeredAt === undefined
        ? []
        : this.#once('call.answered', answeredAt, { ...(answeredBy && { answeredBy }) })),
      ...(isOver && endReason === 'transferred' ? this.#transferred(at) : []),
      ...(isOver ? this.#ended(record, at) : []),
    ];
  }

  /** Again, when more has become known, such as what it has cost: the later one takes the place of the first. */
  #ended(record: CallRecord, at: number): ApplicationEvent[] {
    if (this.#over && record !== this.#over) this.#told.delete('call.ended');
    this.#over = record;
    return this.#once('call.ended', record.endedAt ?? at, { call: record });
  }

  #transferred(at: number): ApplicationEvent[] {
    const to = this.#destination;
    return this.#once('call.transferred', at, { ...(to !== undefined && { to }) });
  }

  #record(at: number, is: (TimelineEvent & { type: 'recording' })['is']): ApplicationEvent[] {
    this.#isRecorded = is === 'started' || is === 'resumed';
    if (is !== 'removed') return [];
    this.#texts.caller = '';
    this.#texts.bot = '';
    return this.#once('recording.removed', at, {});
  }

  #hear(speaker: Speaker, text: string): void {
    if (!this.#isRecorded) return;
    const heard = this.#texts[speaker];
    this.#texts[speaker] = `${heard}${heard && ' '}${text}`.slice(0, MAX_TEXT);
  }

  /** Texts count from one turn to the next. */
  #turn({ type, at, source, bot: attempt = 1, ...report }: TimelineEvent & { type: 'turn_ended' }): EndedTurn {
    const { caller, bot } = this.#texts;
    this.#texts.caller = '';
    this.#texts.bot = '';
    return { attempt, ...report, ...(caller && { caller }), ...(bot && { bot }) };
  }

  #once<Type extends ApplicationEventType>(type: Type, at: number, data: EventDataOf<Type>): ApplicationEvent[] {
    if (this.#told.has(type)) return [];
    this.#told.add(type);
    return [eventOf(this.id, type, at, data)];
  }
}

/** @param at milliseconds since the Unix epoch */
function eventOf<Type extends ApplicationEventType>(callId: CallId, type: Type, at: number, data: EventDataOf<Type>) {
  const timestamp = new Date(at).toISOString();
  return { type, timestamp, data: { callId, ...data } } as unknown as ApplicationEvent;
}
