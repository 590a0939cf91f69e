/** Where the numbers of a clock stand in the memory that the threads of a process share. */
const [VALUE, SINCE, UNTIL, SPEED] = [0, 1, 2, 3];

/** What a process is told of a clock when it begins to go by it; the threads of one process share `memory`. */
export interface ClockStart {
  /** Milliseconds since the Unix epoch. */
  readonly nowMs: number;
  /** Four numbers; undefined between processes, which share none. */
  readonly memory?: SharedArrayBuffer | undefined;
}

/**
 * The time of one process while it is not the machine's. It may be allowed to go on only up to some moment, and stands still there until it
 * is allowed more. All values are milliseconds; it never goes back.
 */
export class SharedClock {
  readonly memory: SharedArrayBuffer;
  readonly #numbers: Float64Array;

  /** @param machineNow monotonic milliseconds, the same for all threads */
  constructor(
    { nowMs, memory }: ClockStart,
    private readonly machineNow: () => number,
  ) {
    this.memory = memory ?? new SharedArrayBuffer(4 * Float64Array.BYTES_PER_ELEMENT);
    this.#numbers = new Float64Array(this.memory);
    if (!memory) this.#set(nowMs, Number.POSITIVE_INFINITY, 1);
  }

  /** Milliseconds since the Unix epoch. */
  now(): number {
    const [value = 0, since = 0, until = 0, speed = 1] = this.#numbers;
    return Math.max(value, Math.min(until, value + speed * (this.machineNow() - since)));
  }

  /** How many seconds go by in one of the machine's, where it does not stand still. */
  get speed(): number {
    return this.#numbers[SPEED] ?? 1;
  }

  /** @param fromMs where others are: a clock that is behind goes there at once @param untilMs infinity: as far as it likes */
  allow(fromMs: number, untilMs: number, speed: number): void {
    this.#set(Math.max(this.now(), fromMs), untilMs, speed);
  }

  #set(valueMs: number, untilMs: number, speed: number): void {
    this.#numbers[SINCE] = this.machineNow();
    this.#numbers[VALUE] = valueMs;
    this.#numbers[UNTIL] = untilMs;
    this.#numbers[SPEED] = speed;
  }
}
