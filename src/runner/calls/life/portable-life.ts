import type { CallLife, CallPhase, TimerName } from './phase.js';

/** Timers that run, and when they run out: milliseconds since the Unix epoch. */
export type RunningTimers = Readonly<Partial<Record<TimerName, number>>>;

/** The life of a call as JSON: what another runner needs to go on with it. */
export interface PortableLife {
  readonly life: CallLife;
  readonly timers: RunningTimers;
}

/** Times by this machine's monotonic clock mean nothing elsewhere, and are left out. */
export function packLife(life: CallLife, timers: RunningTimers): PortableLife {
  const { stream, phase } = life;
  return {
    life: { ...life, stream: { ...stream, waitingSince: undefined, requests: [] }, phase: withResumedAt(phase, 0) },
    timers,
  };
}

/** What JSON has left out is undefined again. */
export function unpackLife({ life, timers }: PortableLife): PortableLife {
  const { terms, facts, stream, room, phase } = life;
  const running = Object.keys(timers) as TimerName[];
  return {
    life: {
      terms: { ...terms, operatorNumber: terms.operatorNumber, phoneNumber: terms.phoneNumber },
      facts: { ...facts, decided: facts.decided, seen: facts.seen, timers: running },
      stream: { ...stream, waitingSince: undefined, requests: [] },
      room: { ...room, dialout: room.dialout, transfer: room.transfer },
      phase: withResumedAt(phase, Number.NEGATIVE_INFINITY),
    },
    timers,
  };
}

function withResumedAt(phase: CallPhase, resumedAt: number): CallPhase {
  return phase.is === 'waiting_for_stream' || phase.is === 'returning' ? { ...phase, resumedAt } : phase;
}
