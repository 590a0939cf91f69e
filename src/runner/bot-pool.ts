import { EventEmitter } from 'node:events';
import { withDeadline } from '../async/deadline.js';
import { type Deferred, deferred } from '../async/deferred.js';
import { VoicebotError } from '../errors.js';
import type { StreamOutcome } from './bot-messages.js';
import { BotProcess, type BotProcessOptions } from './bot-process.js';

/** Longest a call waits for a bot process that is ready, in milliseconds. */
const READY_LIMIT_MS = 10_000;
/** Pause before another try when the bot file has become unloadable, in milliseconds. */
const RETRY_MS = 2_000;

export interface BotPoolOptions extends BotProcessOptions {
  /** Calls one process serves at once, 1 or more. With 1 every call has a process of its own. */
  callsPerProcess: number;
  /** Processes kept ready beyond those that serve calls, 1 or more. */
  warm: number;
}

export interface BotPoolEvents {
  reading: [callId: string];
  stream_over: [callId: string, outcome: StreamOutcome, process: BotProcess];
  call_done: [callId: string];
  /** A line that a bot or something it started has written. */
  output: [line: string];
  /** No further process could be loaded; tried again after a pause. */
  problem: [error: unknown];
}

/** Keeps bot processes that have already loaded the bot file. */
export class BotPool extends EventEmitter<BotPoolEvents> {
  readonly #ready = new Set<BotProcess>();
  readonly #all = new Set<BotProcess>();
  #waiting: Deferred<void> = deferred();
  #loading = 0;
  #isClosed = false;

  constructor(private readonly options: BotPoolOptions) {
    super();
  }

  /** Processes that could take a call now. */
  get readyCount(): number {
    return [...this.#ready].filter((process) => this.#hasRoom(process)).length;
  }

  /** Calls whose bot function has not settled. */
  get callCount(): number {
    return [...this.#all].reduce((sum, process) => sum + process.callCount, 0);
  }

  /**
   * Loads the first process, then the rest of the warm ones behind it.
   * @throws VoicebotError VB_BOT_LOAD_FAILED
   */
  async start(): Promise<void> {
    await this.#add();
    this.#refill();
  }

  /**
   * A process with room for one more call, the fullest first. The caller must hand it the call in the same turn.
   * @throws VoicebotError VB_DEADLINE_EXCEEDED
   */
  async acquire(): Promise<BotProcess> {
    const limit = Date.now() + READY_LIMIT_MS;
    for (;;) {
      const process = [...this.#ready]
        .filter((candidate) => this.#hasRoom(candidate))
        .sort((a, b) => b.callCount - a.callCount)[0];
      if (process) {
        queueMicrotask(() => this.#refill());
        return process;
      }
      this.#refill();
      await withDeadline(
        this.#waiting.promise,
        Math.max(1, limit - Date.now()),
        () => new VoicebotError('VB_DEADLINE_EXCEEDED', `no bot process became ready within ${READY_LIMIT_MS} ms`),
      );
    }
  }

  /** Asks every bot to end its call. */
  stopCalls(): void {
    for (const process of this.#all) process.stop();
  }

  /** Ends every process and everything it started. */
  close(): void {
    this.#isClosed = true;
    for (const process of this.#all) process.kill();
  }

  #hasRoom(process: BotProcess): boolean {
    const { callsPerProcess } = this.options;
    return callsPerProcess === 1 ? process.served === 0 : process.callCount < callsPerProcess;
  }

  #refill(): void {
    if (this.#isClosed) return;
    const idle = [...this.#ready].filter((process) => process.callCount === 0 && this.#hasRoom(process)).length;
    for (let missing = this.options.warm - idle - this.#loading; missing > 0; missing -= 1) {
      void this.#add().catch((error: unknown) => {
        if (this.#isClosed) return;
        this.emit('problem', error);
        setTimeout(() => this.#refill(), RETRY_MS).unref();
      });
    }
  }

  async #add(): Promise<void> {
    const process = new BotProcess(this.options);
    this.#all.add(process);
    this.#loading += 1;
    process.once('exit', () => {
      this.#all.delete(process);
      if (this.#ready.delete(process)) this.#refill();
    });
    process.on('reading', (callId) => this.emit('reading', callId));
    process.on('stream_over', (callId, outcome) => this.emit('stream_over', callId, outcome, process));
    process.on('call_done', (callId) => this.#onCallDone(callId, process));
    process.on('output', (line) => this.emit('output', line));
    try {
      await process.load();
      this.#ready.add(process);
      this.#announce();
    } finally {
      this.#loading -= 1;
    }
  }

  #onCallDone(callId: string, process: BotProcess): void {
    if (this.options.callsPerProcess === 1) process.exit();
    else this.#announce();
    this.emit('call_done', callId);
  }

  #announce(): void {
    this.#waiting.resolve();
    this.#waiting = deferred();
  }
}
