import { type BotEntry, type CallTimeline, epochOf, type TimelineStep } from '../../call/timeline.js';
import type { Turn } from './frames/index.js';

/** Notes of a turn that is asked early: they reach the call's timeline when it is released, with their times, and never otherwise. */
class EarlyNotes implements CallTimeline {
  #kept: Array<readonly [entry: BotEntry, at: number]> | undefined = [];

  constructor(
    private readonly timeline: CallTimeline,
    turn: Turn,
  ) {
    void turn.decided.then((isWanted) => {
      const kept = this.#kept ?? [];
      this.#kept = undefined;
      if (isWanted) for (const [entry, at] of kept) timeline.note(entry, at);
    });
    this.#isWanted = () => !turn.dropped.aborted;
  }

  readonly #isWanted: () => boolean;

  note(entry: BotEntry, at = epochOf(performance.now())): void {
    if (entry.type === 'usage')
      this.timeline.note(entry, at); // the vendor charges it, wanted or not
    else if (this.#kept) this.#kept.push([entry, at]);
    else if (this.#isWanted()) this.timeline.note(entry, at);
  }

  during<Result>(step: TimelineStep, work: () => Result): Result {
    return this.timeline.during(step, work);
  }
}

const ofTurns = new WeakMap<Turn, EarlyNotes>();

/** @returns where what happens for a turn is noted: the call's timeline, or what keeps the notes until the turn is released */
export function notesOf(turn: Turn | undefined, timeline: CallTimeline | undefined): CallTimeline | undefined {
  if (!turn || !timeline) return timeline;
  const known = ofTurns.get(turn);
  if (known || turn.isReleased) return known ?? timeline;
  const notes = new EarlyNotes(timeline, turn);
  ofTurns.set(turn, notes);
  return notes;
}
