import type { Cluster } from './cluster.js';

/** How often runners that are gone are looked for beside what the cluster tells of them, in milliseconds. */
const EVERY_MS = 5_000;

export interface GoneWatchOptions {
  readonly cluster: Cluster;
  /** Looks once for what runners that are gone have left. Must not reject. */
  readonly look: () => Promise<void>;
  /** Runs something later, unless it is cancelled. Default: by a timer that keeps no process alive. */
  readonly after?: ((ms: number, run: () => void) => () => void) | undefined;
}

/** Calls `look` for what runners that are gone have left: whenever one leaves, and from time to time; one look at a time. */
export class LostRunnerWatch {
  #cancel = () => {};
  #looking: Promise<void> | undefined;
  #isAsked = false;
  #isStopped = false;

  constructor(private readonly options: GoneWatchOptions) {}

  get isStopped(): boolean {
    return this.#isStopped;
  }

  start(): void {
    this.options.cluster.members.on('left', this.ask);
    this.ask();
  }

  /** Looks now, and once more when it is looking already. Not while Redis is away. */
  readonly ask = (): void => {
    if (this.#isStopped) return;
    this.#isAsked = true;
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
      this.#cancel();
      const { after = byTimer } = this.options;
      if (!this.#isStopped) this.#cancel = after(EVERY_MS, this.ask);
    });
  };

  /** Resolves when it is not looking. */
  async idle(): Promise<void> {
    await this.#looking;
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
    this.options.cluster.members.off('left', this.ask);
  }

  async #look(): Promise<void> {
    while (this.#isAsked && !this.#isStopped && this.options.cluster.redis.isUp) {
      this.#isAsked = false;
      await this.options.look();
    }
  }
}

function byTimer(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms).unref();
  return () => clearTimeout(timer);
}
