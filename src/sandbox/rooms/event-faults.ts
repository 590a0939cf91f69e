import { isWireParticipant, type WireEvent } from '../../providers/rooms/client-messages.js';

/** The events of a room that tell of its participants and their calls. @see rooms reference 9.1 */
export type RoomEventName =
  | 'participant-joined'
  | 'participant-left'
  | `dialin-${'ready' | 'connected' | 'stopped' | 'warning' | 'error'}`
  | `dialout-${'connected' | 'answered' | 'stopped' | 'warning' | 'error'}`
  | 'dtmf-event';

/**
 * What becomes of the events of one name, on the way from the room to each of its clients: `drop` loses them, `double` sends them twice,
 * `delay` sends them late, `hold` sends them behind a later event.
 */
export interface RoomEventFault {
  /** Events of this name. */
  readonly event: RoomEventName;
  /** What is done to them. */
  readonly fault: 'drop' | 'double' | 'delay' | 'hold';
  /** Milliseconds: how late the event comes with `delay`, or its repetition with `double`. Default 0: at once. */
  readonly delayMs?: number;
  /** With `hold`: the event comes right behind the next one of this name. Default: behind the next one of any name. */
  readonly until?: RoomEventName;
  /** Whether `participant-joined` and `participant-left` of participants without a telephone are left alone. Default false. */
  readonly telephonesOnly?: boolean;
  /** How many such events it happens to, for each client. Default: all. */
  readonly times?: number;
}

/** The events that one client is told, with their faults. */
export class FaultyEvents {
  readonly #counts = new Map<RoomEventFault, number>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #held: { readonly event: WireEvent; readonly until: RoomEventName | undefined }[] = [];

  /** @param faults read again for each event; of those that fit an event the first one counts */
  constructor(
    private readonly faults: readonly RoomEventFault[],
    private readonly deliver: (event: WireEvent) => void,
  ) {}

  tell(event: WireEvent): void {
    const found = this.faults.find((fault) => this.#fits(fault, event));
    if (found) this.#tellBadly(event, found);
    else this.#tellNow(event);
  }

  /** Nothing is told any more. */
  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#held = [];
  }

  #fits(fault: RoomEventFault, event: WireEvent): boolean {
    const { times = Infinity, telephonesOnly = false } = fault;
    if (fault.event !== event.action || (this.#counts.get(fault) ?? 0) >= times) return false;
    const { participant } = event;
    return !(telephonesOnly && isWireParticipant(participant) && participant.participantType === 'unknown');
  }

  #tellBadly(event: WireEvent, found: RoomEventFault): void {
    this.#counts.set(found, (this.#counts.get(found) ?? 0) + 1);
    const { fault, delayMs = 0, until } = found;
    if (fault === 'hold') this.#held.push({ event, until });
    if (fault === 'double') this.#tellNow(event);
    if (fault === 'double' && delayMs === 0) this.#tellNow(event);
    else if (fault === 'double' || fault === 'delay') this.#tellIn(delayMs, event);
  }

  #tellIn(delayMs: number, event: WireEvent): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#tellNow(event);
    }, delayMs);
    this.#timers.add(timer);
  }

  #tellNow(event: WireEvent): void {
    this.deliver(event);
    const isDue = ({ until = event.action }: { readonly until: string | undefined }) => until === event.action;
    const due = this.#held.filter(isDue);
    this.#held = this.#held.filter((held) => !isDue(held));
    for (const held of due) this.#tellNow(held.event);
  }
}
