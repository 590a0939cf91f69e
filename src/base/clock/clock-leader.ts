import { allowClock, type ClockLease, type ClockReport, reportClockTo } from './clock-member.js';
import { followClock, leaveClock, machineEpoch, machineNow, machineTimeout } from './process-clock.js';

/** How far the clocks of two processes may be apart, in milliseconds of theirs. */
const WINDOW_MS = 120;
/** How often clocks are allowed more while one of the processes works, in milliseconds of the machine. */
const WORK_STEP_MS = 10;

interface ClockMember {
  readonly allow: (lease: ClockLease) => void;
  reachedMs: number;
  isWorking: boolean;
}

/** What a process that takes part has: it tells of its reports, and when the process is gone. */
export interface Membership {
  reported(report: ClockReport): void;
  /** From now on it goes at its own pace, the machine's. */
  leave(): void;
}

let leader: ClockLeader | undefined;

/** That of this process, while it leads. */
export const clockLeader = (): ClockLeader | undefined => leader;

/**
 * Lets time go faster in several processes, this one and those that join, and no further in one than in the others: where one is late,
 * since the machine is busy, the others wait. While one works for something that is waited for, time goes as it does by the machine's clock.
 */
export class ClockLeader {
  readonly #members = new Set<ClockMember>();
  readonly #own: ClockMember;
  #untilMs: number;
  #allowedAtMs = machineNow();
  #timer: NodeJS.Timeout | undefined;

  private constructor(private readonly speed: number) {
    const clock = followClock({ nowMs: machineEpoch() });
    this.#untilMs = clock.now();
    this.#own = { allow: allowClock, reachedMs: clock.now(), isWorking: false };
    this.#members.add(this.#own);
    reportClockTo((report) => this.#reported(this.#own, report));
  }

  /** @param speed how many seconds go by in one of the machine's, at most. More than 1 */
  static start(speed: number): ClockLeader {
    leader = new ClockLeader(speed);
    leader.#go();
    return leader;
  }

  /** A process takes part. @param allow tells it of what {@link allowClock} is to be called with there */
  join(allow: (lease: ClockLease) => void): Membership {
    const member = { allow, reachedMs: this.#lowestMs, isWorking: false };
    this.#members.add(member);
    allow(this.#lease);
    return {
      reported: (report) => this.#reported(member, report),
      leave: () => {
        if (!this.#members.delete(member)) return;
        member.allow({ fromMs: this.#lowestMs, speed: 1 });
        this.#go();
      },
    };
  }

  /** This process goes by the machine's clock again. */
  stop(): void {
    clearTimeout(this.#timer);
    for (const { allow } of this.#members) allow({ fromMs: this.#lowestMs, speed: 1 });
    this.#members.clear();
    leader = undefined;
    leaveClock();
  }

  get #lowestMs(): number {
    return Math.min(...[...this.#members].map(({ reachedMs }) => reachedMs));
  }

  get #lease(): ClockLease {
    return { fromMs: this.#lowestMs, untilMs: this.#untilMs, speed: this.speed };
  }

  #reported(member: ClockMember, { reachedMs, isWorking }: ClockReport): void {
    member.reachedMs = Math.max(member.reachedMs, reachedMs);
    member.isWorking = isWorking;
    this.#go();
  }

  /** Allows what can be allowed now. */
  #go(): void {
    if (leader !== this) return;
    const now = machineNow();
    const isWorking = [...this.#members].some((one) => one.isWorking);
    const wantedMs = this.#lowestMs + WINDOW_MS;
    const untilMs = isWorking ? Math.min(wantedMs, this.#untilMs + now - this.#allowedAtMs) : wantedMs;
    clearTimeout(this.#timer);
    if (isWorking) this.#timer = machineTimeout(() => this.#go(), WORK_STEP_MS);
    if (isWorking && now - this.#allowedAtMs < WORK_STEP_MS) return;
    this.#allowedAtMs = now;
    if (untilMs <= this.#untilMs) return;
    this.#untilMs = untilMs;
    const lease = this.#lease;
    for (const { allow } of this.#members) allow(lease);
  }
}
