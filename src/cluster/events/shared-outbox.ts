import type { CallId } from '../../call/call-id.js';
import type { CallRecord } from '../../call/call-record.js';
import type { KeptEvent, OutboxFile, OutboxState } from '../../runner/events/outbox-file.js';
import { inOrder, type OutboxChange } from './outbox-store.js';

/** The events of one call on this runner's disk, and what Redis knows of them. */
export class SharedOutbox {
  /** Under which this runner owns it in Redis; 0 when it has not been told. */
  term = 0;
  /** There is something to write. */
  isDirty = true;
  /** Redis may have lost what it knew. */
  isWhole = true;
  /** A runner that is there has it. */
  isOthers = false;
  /** It is being given away: nothing more is delivered. */
  isLeaving = false;
  writing: Promise<void> | undefined;
  /** Events that are in Redis, with their places in the order, and those that have ever been. */
  readonly #stored = new Map<string, number>();
  readonly #seen = new Set<string>();
  #record: CallRecord | undefined;
  #told = 0;

  /** @param isCaretaker it is not this runner's call: it was found with a runner that is gone */
  constructor(
    readonly callId: CallId,
    readonly file: OutboxFile,
    public isCaretaker: boolean,
  ) {}

  /** One that is in Redis as it is in the file. */
  static stored(callId: CallId, file: OutboxFile, state: OutboxState, term: number): SharedOutbox {
    const outbox = new SharedOutbox(callId, file, true);
    outbox.term = term;
    outbox.isDirty = false;
    outbox.isWhole = false;
    outbox.#know(state);
    outbox.#record = state.record;
    outbox.#told = state.told.length;
    return outbox;
  }

  /** An event of it is not in Redis. */
  get hasNews(): boolean {
    return this.file.ids.some((id) => !this.#stored.has(id));
  }

  /** What Redis does not know yet. */
  change(): OutboxChange {
    const { file, isCaretaker, term } = this;
    const isWhole = this.isWhole || term === 0;
    const waiting = new Set(file.ids);
    let last = Math.max(0, ...this.#stored.values());
    const added = [...waiting].flatMap((id) => {
      const before = this.#stored.get(id);
      if (before !== undefined && !isWhole) return [];
      const kept = file.read(id);
      if (!kept) return []; // somebody has removed or cut off the file
      if (before === undefined) last += 1;
      return [[before ?? last, kept] as const];
    });
    return {
      isCaretaker,
      term,
      record: isWhole || file.record !== this.#record ? file.record : undefined,
      told: isWhole || file.types.size !== this.#told ? [...file.types] : undefined,
      added,
      accepted: [...this.#stored.keys()].filter((id) => !waiting.has(id)),
    };
  }

  /** Redis has taken a change. */
  written({ record, told, added, accepted }: OutboxChange, term: number): void {
    this.term = term;
    this.isOthers = false;
    this.#record = record ?? this.#record;
    this.#told = told?.length ?? this.#told;
    for (const [place, { id }] of added) this.#isStored(id, place);
    for (const id of accepted) this.#stored.delete(id);
  }

  /**
   * What other runners have left in Redis, and this one has taken, comes into the file, before what is there.
   * @param state undefined when nothing is left of it
   */
  receive(state: OutboxState | undefined, term: number): void {
    const { file, isCaretaker } = this;
    this.term = term;
    this.isWhole = true;
    this.isDirty = true;
    if (!state) return;
    const events = inOrder([...state.events, ...this.#unknownTo(state, file)]);
    const record = isCaretaker ? (state.record ?? file.record) : (file.record ?? state.record);
    this.#know(state);
    file.replace({ record, told: state.told, events });
  }

  /** What an earlier runner has left of the call in another file of this disk comes into this one, behind what is there. */
  include(other: OutboxFile): void {
    const { file } = this;
    const mine = { told: [...file.types], events: keptIn(file) };
    const more = this.#unknownTo(mine, other);
    if (more.length === 0) return;
    file.replace({ ...mine, record: file.record ?? other.record, events: inOrder([...mine.events, ...more]) });
  }

  #know(state: OutboxState): void {
    for (const [at, { id }] of state.events.entries()) this.#isStored(id, at + 1);
  }

  #isStored(id: string, place: number): void {
    this.#stored.set(id, place);
    this.#seen.add(id);
  }

  /** Events of a file that are told neither there nor yet; what Redis has had and has no more, somebody has delivered. */
  #unknownTo({ told, events }: OutboxState, file: OutboxFile): KeptEvent[] {
    const there = new Set(events.map(({ id }) => id));
    return keptIn(file).filter(({ id, event: { type } }) => {
      const isToldOnce = type !== 'turn.ended' && told.includes(type);
      return !there.has(id) && !this.#seen.has(id) && !isToldOnce;
    });
  }
}

const keptIn = (file: OutboxFile): KeptEvent[] => file.ids.flatMap((id) => file.read(id) ?? []);
