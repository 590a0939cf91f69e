import type { TimerName } from './phase.js';
import type { RunningTimers } from './portable-life.js';

/** Timers of bots on their way. When it was the runner that stood still, messages of that time are still waiting to be read. */
const LATE_TIMERS: ReadonlySet<TimerName> = new Set(['beside', 'tone', 'entry']);

export interface CallTimersOptions {
  /** Resolves to whether the call is still this runner's, when there is doubt; undefined where there is none. */
  inDoubt(): Promise<boolean> | undefined;
  ranOut(name: TimerName): void;
}

interface RunningTimer {
  readonly timeout: NodeJS.Timeout;
  /** When it runs out, in milliseconds since the Unix epoch. */
  readonly dueAt: number;
}

/** The timers of one call, each at most once. */
export class CallTimers {
  readonly #running = new Map<TimerName, RunningTimer>();

  constructor(private readonly options: CallTimersOptions) {}

  /** For another runner, which lets them {@link goOn}. */
  get running(): RunningTimers {
    return Object.fromEntries([...this.#running].map(([name, { dueAt }]) => [name, dueAt]));
  }

  goOn(timers: RunningTimers): void {
    for (const [name, dueAt] of Object.entries(timers) as Array<[TimerName, number]>)
      this.set(name, Math.max(0, dueAt - Date.now()));
  }

  set(name: TimerName, ms: number): void {
    this.stop(name);
    const isLate = LATE_TIMERS.has(name);
    const ranOut = (): void => this.#ranOut(name, timer);
    const timeout = setTimeout(isLate ? () => setImmediate(ranOut) : ranOut, ms);
    const timer: RunningTimer = { timeout, dueAt: Date.now() + ms };
    this.#running.set(name, timer);
  }

  stop(name: TimerName): void {
    clearTimeout(this.#running.get(name)?.timeout);
    this.#running.delete(name);
  }

  clear(): void {
    for (const name of [...this.#running.keys()]) this.stop(name);
  }

  /** Nothing, when it was stopped or set anew in the meantime. */
  #ranOut(name: TimerName, timer: RunningTimer): void {
    const tell = () => {
      if (this.#running.get(name) !== timer) return;
      this.#running.delete(name);
      this.options.ranOut(name);
    };
    if (this.#running.get(name) !== timer) return;
    const isOurs = this.options.inDoubt();
    if (isOurs) void isOurs.then((is) => is && tell());
    else tell();
  }
}
