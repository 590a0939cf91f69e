import { AsyncLocalStorage } from 'node:async_hooks';
import type { EventEmitter } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { errorText } from '../../base/error-text.js';

/** A check while it runs, with what it has not waited for. */
interface RunningCheck {
  readonly name: string;
  /** Undefined once it has ended. */
  fail: ((error: unknown) => void) | undefined;
}

/** What fails in code that nothing waits for: it ends a process, and here fails a check, or the test. */
export class StrayErrors {
  readonly #checks = new AsyncLocalStorage<RunningCheck>();
  #told: string[] = [];

  constructor(private readonly own: Pick<EventEmitter, 'on' | 'off'> = process) {}

  /**
   * Listens until the test is over.
   * @returns ends that
   */
  listen(): () => void {
    const happened = (error: unknown) => this.#happened(error);
    this.own.on('uncaughtException', happened).on('unhandledRejection', happened);
    return () => void this.own.off('uncaughtException', happened).off('unhandledRejection', happened);
  }

  /**
   * Runs a check.
   * @throws what it throws, or what fails of it meanwhile
   */
  async within<T>(name: string, check: () => Promise<T>): Promise<T> {
    const running: RunningCheck = { name, fail: undefined };
    const failed = new Promise<never>((_, reject) => {
      running.fail = reject;
    });
    failed.catch(() => {});
    try {
      const answer = await Promise.race([this.#checks.run(running, check), failed]);
      // A promise that nothing waits for is known as such when all that is at hand has run.
      return await Promise.race([turn(answer), failed]);
    } finally {
      running.fail = undefined;
    }
  }

  /** What has failed outside of a check since this was asked last, for people. */
  take(): readonly string[] {
    const told = this.#told;
    this.#told = [];
    return told;
  }

  #happened(error: unknown): void {
    const check = this.#checks.getStore();
    if (check?.fail) check.fail(error);
    else {
      const whose = check
        ? `the check ${check.name} has left something running, which failed`
        : 'something has failed that nothing waited for';
      this.#told.push(`${whose}: ${errorText(error)}`);
    }
  }
}

/** Of this process. */
export const strayErrors = new StrayErrors();
