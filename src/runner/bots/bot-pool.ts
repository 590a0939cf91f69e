import { EventEmitter } from 'node:events';
import { availableParallelism } from 'node:os';
import { type Deferred, deferred } from '../../base/async/deferred.js';
import { machineDeadline } from '../../base/clock/machine-deadline.js';
import { VoicebotError } from '../../base/errors.js';
import { refuseProblems } from '../../base/names/option-names.js';
import type { CallId } from '../../call/call-id.js';
import type { BotCall } from './bot-call.js';
import { type BotDeath, diedWaiting } from './bot-death.js';
import { BotDemand } from './bot-demand.js';
import type { BotPoolEvents, BotPoolOptions } from './bot-pool-options.js';
import { BotProcess } from './bot-process.js';
import type { BotSource } from './bot-source.js';

/** Longest a call waits for a bot process that is ready, in milliseconds. */
const READY_LIMIT_MS = 10_000;
/** How long a process is kept for a call whose stream does not come, in milliseconds. */
const STREAM_LIMIT_MS = 5_000;
/** How often processes that no call needs any more are looked for while there are some, in milliseconds. */
const TRIM_EVERY_MS = 10_000;
/** Pause before another try when the bot file has become unloadable, in milliseconds. */
const RETRY_MS = 2_000;

/** Keeps bot processes that have already loaded the bot file. */
export class BotPool extends EventEmitter<BotPoolEvents> {
  /** What the bot says about recording its calls, as of the latest process. */
  record: BotProcess['record'];
  readonly #ready = new Set<BotProcess>();
  readonly #all = new Set<BotProcess>();
  #waiting: Deferred<void> = deferred();
  /** Processes that load code which is still wanted. */
  readonly #loading = new Set<BotProcess>();
  /** Calls that will want a process, or wait for one. */
  readonly #expected = new Map<CallId, NodeJS.Timeout | undefined>();
  readonly #demand: BotDemand;
  /** Runs out when processes that no call needs any more are ended. */
  #trimming: NodeJS.Timeout | undefined;
  #source: BotSource | undefined;
  /** Why the latest process could not be loaded; undefined once another one was. */
  #problem: Error | undefined;
  #isClosed = false;

  constructor(private readonly options: BotPoolOptions) {
    super();
    const { callsPerProcess } = options;
    this.#demand = new BotDemand({ processors: availableParallelism(), callsPerProcess });
  }

  /** Processes that could take a call now. */
  get readyCount(): number {
    return [...this.#ready].filter((process) => this.#hasRoom(process)).length;
  }

  /** Why a call would get no bot: none is ready, and none could be loaded last time it was tried. */
  get problem(): Error | undefined {
    return this.readyCount === 0 ? this.#problem : undefined;
  }

  /** Those that have not ended. */
  get processes(): Iterable<BotProcess> {
    return this.#all;
  }

  /** Calls whose bot function has not settled. */
  get callCount(): number {
    return [...this.#all].reduce((sum, process) => sum + process.callCount, 0);
  }

  /**
   * Loads the first process; the rest of the warm ones follow it.
   * @throws VoicebotError VB_BOT_LOAD_FAILED, VB_RUNNER_STOPPING when it was closed before
   */
  async start(source: BotSource): Promise<void> {
    if (this.#isClosed) throw new VoicebotError('VB_RUNNER_STOPPING');
    this.#source = source;
    await this.#add(source);
  }

  /**
   * Gives new calls another code: loads a first process with it, then ends the ones of the old code that serve no call.
   * Those that do are left to the end of their calls. When it does not load, everything stays as it is.
   * @throws VoicebotError VB_BOT_LOAD_FAILED, or what the bot file throws
   */
  async replace(source: BotSource): Promise<void> {
    if (this.#isClosed) return;
    const process = this.#create(source);
    await process.load();
    if (this.#isClosed) return;
    this.#source = source;
    for (const old of this.#all) if (old !== process) this.#retire(old);
    this.#welcome(process);
  }

  /**
   * A call has come whose stream will want a bot: a process is loaded for it unless one is there. It counts until it was
   * {@link assign}ed a process, or is {@link forget forgotten}.
   * @returns whether the call will have its bot in time; `late` when too many others come first
   */
  expect(callId: CallId): 'in_time' | 'late' {
    if (!this.#expected.has(callId)) {
      this.#demand.called();
      const late = setTimeout(() => this.forget(callId), STREAM_LIMIT_MS).unref();
      this.#expected.set(callId, late);
    }
    const isInTime = this.#demand.isInTime(this.#expected.size - this.#freePlaces(this.#ready));
    this.#refill();
    return isInTime ? 'in_time' : 'late';
  }

  /** A call that was expected wants no bot any more. */
  forget(callId: CallId): void {
    clearTimeout(this.#expected.get(callId));
    this.#expected.delete(callId);
    this.#trimLater();
  }

  /**
   * Finds a process with room for one more call, the fullest first, and lets `hand` have its bot serve the call at once: before
   * it returns, so that no other call takes the same place. A process that still has an earlier bot of this call is left out.
   * @throws VoicebotError VB_DEADLINE_EXCEEDED, VB_RUNNER_STOPPING, and {@link problem}: at once, or when the processes that load have failed
   */
  async assign(callId: CallId, hand: (bot: BotCall) => void): Promise<void> {
    const late = `no bot process became ready within ${READY_LIMIT_MS} ms`;
    const inTime = machineDeadline(READY_LIMIT_MS, () => new VoicebotError('VB_DEADLINE_EXCEEDED', late));
    for (;;) {
      const process = [...this.#ready]
        .filter((candidate) => this.#hasRoom(candidate) && !candidate.serves(callId))
        .sort((a, b) => b.callCount - a.callCount)[0];
      clearTimeout(this.#expected.get(callId));
      if (process) {
        this.#expected.delete(callId);
        hand(this.#callOf(process, callId));
        this.#refill();
        return;
      }
      const problem = this.#isClosed ? new VoicebotError('VB_RUNNER_STOPPING') : this.#problem;
      if (problem) {
        this.forget(callId);
        throw problem;
      }
      this.#expected.set(callId, undefined);
      this.#refill();
      await inTime(this.#waiting.promise).catch((error: unknown) => {
        this.forget(callId);
        throw error;
      });
    }
  }

  /**
   * The same for a call that was dialled beside another one: its bot is in the process of the other call's bot, and takes none of its places.
   * @returns false while that process has an earlier bot of this call, or is being ended
   */
  assignBeside(other: BotCall, callId: CallId, hand: (bot: BotCall) => void): boolean {
    const process = [...this.#all].find((each) => each.isUsable && each.has(other));
    if (!process || process.serves(callId)) return false;
    hand(this.#callOf(process, callId, true));
    return true;
  }

  /**
   * Custom data for a call that is to go out.
   * @throws VoicebotError VB_REQUEST_INVALID naming every problem that the bot has with it
   */
  async checkBody(body: Readonly<Record<string, unknown>>): Promise<void> {
    const [process] = this.#ready;
    const problems = (await process?.bodies.check(body)) ?? [];
    refuseProblems(problems, 'VB_REQUEST_INVALID');
  }

  /** Asks every bot to end its call. */
  stopCalls(): void {
    for (const process of this.#all) process.stop();
  }

  /** Ends every process and everything it started. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#trimming);
    for (const late of this.#expected.values()) clearTimeout(late);
    this.#turnWaitersAway(new VoicebotError('VB_RUNNER_STOPPING'));
    for (const process of this.#all) process.kill();
  }

  /** Ready processes that serve no call. */
  get #idle(): BotProcess[] {
    return [...this.#ready].filter((process) => process.callCount === 0 && this.#hasRoom(process));
  }

  /** Processes to keep ready beyond those that calls need. */
  get #spare(): number {
    return Math.max(this.options.warm, this.#demand.spare);
  }

  /** How many more calls these processes could serve. */
  #freePlaces(processes: Iterable<BotProcess>): number {
    const { callsPerProcess } = this.options;
    const usable = [...processes].filter((process) => this.#hasRoom(process));
    return usable.reduce((sum, process) => sum + callsPerProcess - placesTaken(process), 0);
  }

  #hasRoom(process: BotProcess): boolean {
    const { callsPerProcess } = this.options;
    if (!process.isUsable) return false;
    return callsPerProcess === 1 ? process.served === 0 : placesTaken(process) < callsPerProcess;
  }

  #refill(): void {
    const source = this.#source;
    if (this.#isClosed || !source) return;
    const idle = this.#idle;
    const busy = [...this.#ready].filter((process) => !idle.includes(process));
    const lacking = Math.max(0, this.#expected.size - this.#freePlaces(busy));
    const wanted = this.#spare + Math.ceil(lacking / this.options.callsPerProcess) - idle.length;
    // More at once than there are processors would make each of them late, and those no call waits for would take the
    // processors from bots that begin to talk.
    const atOnce = this.#expected.size > this.#freePlaces(this.#ready) ? availableParallelism() : 1;
    for (let missing = Math.min(wanted, atOnce) - this.#loading.size; missing > 0; missing -= 1) {
      void this.#add(source).catch((error: unknown) => this.#loadFailed(error));
    }
    this.#trimLater();
  }

  /** Idle processes beyond those to keep ready and those that calls will need. */
  get #surplus(): BotProcess[] {
    const idle = this.#idle;
    return idle.slice(0, Math.max(0, idle.length - this.#spare - this.#expected.size));
  }

  /** Ends what is left of a rush, or of calls whose streams did not come. */
  #trimLater(): void {
    if (this.#isClosed || this.#trimming || this.#idle.length <= this.options.warm) return;
    this.#trimming = setTimeout(() => {
      this.#trimming = undefined;
      for (const process of this.#surplus) this.#retire(process);
      this.#trimLater();
    }, TRIM_EVERY_MS).unref();
  }

  #loadFailed(error: unknown): void {
    if (this.#isClosed) return;
    this.#problem = error instanceof Error ? error : new Error(String(error));
    this.emit('problem', error);
    if (this.#loading.size === 0 && this.readyCount === 0) this.#turnWaitersAway(this.#problem);
    this.#retryLater();
  }

  #retryLater(): void {
    if (!this.#isClosed) setTimeout(() => this.#refill(), RETRY_MS).unref();
  }

  #onDied(callIds: readonly string[], death: BotDeath, { file }: BotSource): void {
    if (callIds.length > 0) this.emit('died', callIds, death);
    else if (!this.#isClosed) this.emit('problem', diedWaiting(file, death));
  }

  async #add(source: BotSource): Promise<void> {
    const process = this.#create(source);
    this.#loading.add(process);
    const load = this.#demand.load();
    try {
      await process.load();
      load.done();
      if (this.#loading.delete(process)) this.#welcome(process);
    } catch (error) {
      if (this.#loading.has(process)) throw error; // otherwise no call waits for this code any more
    } finally {
      load.failed(); // means nothing when it was done
      this.#loading.delete(process);
    }
  }

  /** A process that has not begun to load. */
  #create(source: BotSource): BotProcess {
    const { createProcess = (...parts) => new BotProcess(...parts) } = this.options;
    const process = createProcess(source, this.options);
    this.#all.add(process);
    this.emit('created', process);
    process.once('exit', () => {
      this.#all.delete(process);
      if (!this.#ready.delete(process)) return;
      if (process.served > 0) this.#refill();
      else this.#retryLater();
    });
    process.on('died', (callIds, death) => this.#onDied(callIds, death, source));
    process.on('output', (...told) => this.emit('output', ...told));
    process.on('problem', (error) => this.emit('problem', error));
    return process;
  }

  #callOf(process: BotProcess, callId: CallId, isBeside = false): BotCall {
    const call = process.createCall(callId, isBeside);
    call.once('call_done', () => this.#onCallDone(process));
    return call;
  }

  /** From now on this process may take calls. */
  #welcome(process: BotProcess): void {
    this.#problem = undefined;
    this.record = process.record;
    this.#ready.add(process);
    this.#announce();
    this.#refill();
  }

  /** From now on this process gets no calls; it ends with its last one. */
  #retire(process: BotProcess): void {
    const wasLoading = this.#loading.delete(process);
    this.#ready.delete(process);
    if (wasLoading) process.kill();
    else if (process.callCount === 0) process.exit();
  }

  #onCallDone(process: BotProcess): void {
    const isOld = process.source !== this.#source;
    const isSurplus = this.options.callsPerProcess === 1 || isOld || this.#idle.length > this.#spare;
    if (process.callCount === 0 && isSurplus) {
      this.#ready.delete(process);
      process.exit();
    } else this.#announce();
    this.emit('call_done');
  }

  #turnWaitersAway(error: Error): void {
    this.#waiting.reject(error);
    this.#waiting = deferred();
  }

  #announce(): void {
    this.#waiting.resolve();
    this.#waiting = deferred();
  }
}

/** Calls that were dialled beside others take no place. */
const placesTaken = ({ callCount, besideCount }: BotProcess): number => callCount - besideCount;
