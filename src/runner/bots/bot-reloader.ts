import { EventEmitter } from 'node:events';
import type { BotPool } from './bot-pool.js';
import { type BotSource, prepareBot } from './bot-source.js';
import { BotWatch } from './bot-watch.js';

export interface BotReloaderOptions {
  /** Absolute path of the bot file. */
  file: string;
  pool: BotPool;
  /** Load new code whenever the bot file or a local file it imports is saved. */
  watches: boolean;
}

export interface BotReloaderEvents {
  /** New calls get this code from now on. */
  loaded: [source: BotSource];
  /** New calls get the code as it is now. `file` is what was saved, `ms` the time since then. */
  reloaded: [file: string, ms: number];
  /** The code as it is now cannot be used; new calls get the last that could. */
  reload_failed: [error: Error];
}

/** Keeps the pool on the latest code of the bot file that loads. */
export class BotReloader extends EventEmitter<BotReloaderEvents> {
  /** Why the code as it was saved last cannot be used; undefined where new calls get that. */
  notReloaded: Error | undefined;
  readonly #watch: BotWatch | undefined;
  /** The reload that goes on, or the last one. */
  #current: Promise<void> = Promise.resolve();
  /** The one after it, which sees everything saved until now. */
  #next: Promise<void> | undefined;
  #isClosed = false;

  constructor(private readonly options: BotReloaderOptions) {
    super();
    if (!options.watches) return;
    this.#watch = new BotWatch();
    this.#watch.on('change', (file, noticedAt) => void this.#reload(file, noticedAt));
  }

  /**
   * Loads the bot for the first time, and begins to watch.
   * @throws VoicebotError VB_BOT_LOAD_FAILED, or what the bot file throws
   */
  async start(): Promise<void> {
    const read = new Map<string, string | undefined>();
    const source = await this.#prepare(read);
    await this.options.pool.start(source);
    this.emit('loaded', source);
    this.#watch?.follow(read);
  }

  /**
   * Replaces the processes that wait for calls, even when nothing has changed. What was asked for while a reload goes on
   * is done after it, once. Never rejects: the event tells what came of it.
   */
  reload(): Promise<void> {
    return this.#reload(this.options.file, performance.now());
  }

  close(): void {
    this.#isClosed = true;
    this.#watch?.close();
  }

  #reload(file: string, since: number): Promise<void> {
    this.#next ??= this.#current.then(() => {
      this.#next = undefined;
      this.#current = this.#run(file, since);
      return this.#current;
    });
    return this.#next;
  }

  async #run(file: string, since: number): Promise<void> {
    if (this.#isClosed) return;
    const read = new Map<string, string | undefined>();
    const failure = await this.#prepare(read)
      .then((source) => this.#replace(source))
      .catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
    this.#watch?.follow(read);
    if (this.#isClosed) return;
    this.notReloaded = failure || undefined;
    if (failure) this.emit('reload_failed', failure);
    else this.emit('reloaded', file, performance.now() - since);
  }

  async #replace(source: BotSource): Promise<void> {
    await this.options.pool.replace(source);
    if (!this.#isClosed) this.emit('loaded', source);
  }

  #prepare(read: Map<string, string | undefined>): Promise<BotSource> {
    return prepareBot(this.options.file, { keepsJavaScript: this.options.watches, read });
  }
}
