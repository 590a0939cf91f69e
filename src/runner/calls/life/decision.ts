import type { LogFields } from '../../../base/logger.js';
import type { AnswerDocument, CallEffect } from './call-events.js';
import type { CallFacts, CallLife, CallPhase, CallTerms, RoomFacts, StreamFacts, TimerName } from './phase.js';

/** A decision that is being made: the call as it will be, and what is to be done for it. */
export class Decision {
  readonly terms: CallTerms;
  #facts: CallFacts;
  #stream: StreamFacts;
  #room: RoomFacts;
  #phase: CallPhase;
  readonly #effects: CallEffect[] = [];

  /** @param now monotonic time in milliseconds */
  constructor(
    { terms, facts, stream, room, phase }: CallLife,
    readonly now: number,
  ) {
    this.terms = terms;
    this.#facts = facts;
    this.#stream = stream;
    this.#room = room;
    this.#phase = phase;
  }

  get facts(): CallFacts {
    return this.#facts;
  }

  get stream(): StreamFacts {
    return this.#stream;
  }

  get room(): RoomFacts {
    return this.#room;
  }

  get phase(): CallPhase {
    return this.#phase;
  }

  learn(facts: Partial<CallFacts>): void {
    this.#facts = { ...this.#facts, ...facts };
  }

  learnOfStream(facts: Partial<StreamFacts>): void {
    this.#stream = { ...this.#stream, ...facts };
  }

  learnOfRoom(facts: Partial<RoomFacts>): void {
    this.#room = { ...this.#room, ...facts };
  }

  go(phase: CallPhase): void {
    this.#phase = phase;
  }

  do(...effects: CallEffect[]): void {
    this.#effects.push(...effects);
  }

  answer(request: number, document: AnswerDocument): void {
    this.do({ do: 'answer', request, document });
  }

  /** Starts a timer, anew when it runs already. */
  setTimer(name: TimerName, ms: number): void {
    const { timers } = this.#facts;
    if (!timers.includes(name)) this.learn({ timers: [...timers, name] });
    this.do({ do: 'set_timer', name, ms });
  }

  clearTimers(...names: readonly TimerName[]): void {
    for (const name of names) {
      if (!this.#facts.timers.includes(name)) continue;
      this.timerIsOver(name);
      this.do({ do: 'clear_timer', name });
    }
  }

  timerIsOver(name: TimerName): void {
    this.learn({ timers: this.#facts.timers.filter((other) => other !== name) });
  }

  log(level: 'debug' | 'warn' | 'error', message: string, fields?: LogFields): void {
    this.do({ do: 'log', level, message, ...(fields && { fields }) });
  }

  /** A process is asked for last: it may be there at once, and what follows from that comes after everything else. */
  result(): { call: CallLife; effects: readonly CallEffect[] } {
    const isLast = (effect: CallEffect) => effect.do === 'assign_bot';
    const effects = [
      ...this.#effects.filter((effect) => !isLast(effect)),
      ...this.#effects.filter((effect) => isLast(effect)),
    ];
    return {
      call: {
        terms: this.terms,
        facts: this.#facts,
        stream: this.#stream,
        room: this.#room,
        phase: this.#phase,
      },
      effects,
    };
  }
}
