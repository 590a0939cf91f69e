import { syncBuiltinESMExports } from 'node:module';

/** At each turn of the event loop, in milliseconds: some fifty times faster than real time, and slower than a socket on loopback. */
const STEP_MS = 5;
/** Then the clock stands, for a test that hangs is not to turn it for ever. */
const LONGEST_MS = 120_000;
/** What the event loop waits for while other threads work on it, and turns hundreds of times meanwhile: files, names of hosts, ciphers. */
const WORK = /^(FSReq|GetAddrInfoReq|\w+(Job|Request)$)/;
/** The longest that the clock stands for such work, in turns of the event loop. */
const MOST_STANDING = 100_000;

/**
 * A clock that hurries, with all timers: it moves a little at each turn of the event loop, so that sockets between two ends in
 * this process have the turns that they need, however busy the machine is, and stands while another thread works for this process.
 * Disposed of, it is the real one again.
 */
export class HastyClock implements Disposable {
  #isOver = false;
  #standing = 0;

  constructor() {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    syncBuiltinESMExports(); // for what is imported from node:timers/promises
    void this.#hurry();
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    jest.useRealTimers();
    syncBuiltinESMExports();
  }

  async #hurry(): Promise<void> {
    for (let passedMs = 0; passedMs < LONGEST_MS && !this.#isOver; passedMs += STEP_MS) {
      jest.advanceTimersByTime(STEP_MS);
      do await new Promise((resolve) => setImmediate(resolve));
      while (!this.#isOver && this.#isWorking());
    }
  }

  #isWorking(): boolean {
    if (!process.getActiveResourcesInfo().some((name) => WORK.test(name))) return false;
    this.#standing += 1;
    return this.#standing < MOST_STANDING;
  }
}

/** Each test that follows has such a clock. */
export function hurried(): void {
  let clock: HastyClock;

  beforeEach(() => {
    clock = new HastyClock();
  });

  afterEach(() => clock[Symbol.dispose]());
}
