import { type ChildProcess, fork } from 'node:child_process';
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { extname } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { withDeadline } from '../async/deadline.js';
import { deferred } from '../async/deferred.js';
import { VoicebotError } from '../errors.js';
import { botLoadError } from './bot-load-error.js';
import type { MessageFromBot, MessageToBot, ServeMessage, StreamOutcome } from './bot-messages.js';

/** Longest a bot file may take to load, in milliseconds. */
const LOAD_LIMIT_MS = 20_000;
/** Silence after which a process with calls counts as hung, in milliseconds. */
const HEARTBEAT_LIMIT_MS = 8_000;

const EXTENSION = extname(import.meta.url);
const ENTRY = fileURLToPath(new URL(`./bot-main${EXTENSION}`, import.meta.url));

export interface BotProcessEvents {
  reading: [callId: string];
  stream_over: [callId: string, outcome: StreamOutcome];
  call_done: [callId: string];
  output: [line: string];
  /** The process is gone. Emitted once, after the streams it still had were reported over. */
  exit: [];
}

export interface BotProcessOptions {
  botFile: string;
  /** The process's own environment. */
  environment: Record<string, string>;
  /** Values the bot finds in `process.env`, handed over the channel. */
  botEnvironment: Record<string, string>;
}

/** The runner's side of one bot process. */
export class BotProcess extends EventEmitter<BotProcessEvents> {
  /** Calls ever handed to this process. */
  served = 0;
  readonly #child: ChildProcess;
  readonly #loaded = deferred();
  /** Calls whose stream this process holds. */
  readonly #streams = new Set<string>();
  /** Calls whose bot function has not settled. */
  readonly #calls = new Set<string>();
  #heartbeat: NodeJS.Timeout | undefined;
  #deathOutcome: StreamOutcome = 'bot_crashed';
  #isAlive = true;

  constructor(private readonly options: BotProcessOptions) {
    super();
    this.#child = fork(ENTRY, [], {
      env: options.environment,
      execArgv: EXTENSION === '.ts' ? ['--import', 'tsx'] : [],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      detached: true, // a process group of its own, so that what the bot started ends with it
    });
    this.#child.on('message', (message: MessageFromBot) => this.#receive(message));
    this.#child.on('error', () => {}); // a failed send or kill shows as the exit
    this.#child.on('exit', (code, signal) => this.#onExit(code, signal));
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      if (stream) createInterface({ input: stream }).on('line', (line) => this.emit('output', line));
    }
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get callCount(): number {
    return this.#calls.size;
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  /**
   * Loads the bot file.
   * @throws VoicebotError VB_BOT_LOAD_FAILED with file, line and message
   */
  async load(): Promise<void> {
    const { botFile, botEnvironment } = this.options;
    this.#tell({ type: 'load', botFile, environment: botEnvironment });
    await withDeadline(
      this.#loaded.promise,
      LOAD_LIMIT_MS,
      () => new VoicebotError('VB_BOT_LOAD_FAILED', `${botFile} did not finish loading within ${LOAD_LIMIT_MS} ms`),
    ).catch((error: unknown) => {
      this.kill();
      throw error;
    });
  }

  /** Hands an accepted socket over. From here on the media never touches the runner. */
  serve(message: ServeMessage, socket: Socket): void {
    this.served += 1;
    this.#calls.add(message.call.id);
    this.#streams.add(message.call.id);
    this.#watchHeartbeat();
    this.#child.send(message, socket, { keepOpen: false });
  }

  callOver(callId: string): void {
    if (this.#calls.has(callId)) this.#tell({ type: 'call_over', callId });
  }

  /** Takes a call away from its bot. A process that serves nothing else is ended, since it may not be listening. */
  abandon(callId: string): void {
    if (this.#calls.size > 1) this.#tell({ type: 'abandon', callId });
    else this.kill('bot_timeout');
  }

  /** Asks the bots to end their calls. */
  stop(): void {
    this.#tell({ type: 'stop' });
  }

  /** Ends a process that has nothing to do any more. */
  exit(): void {
    this.#tell({ type: 'exit' });
  }

  /** Ends the process and everything it started, at once. */
  kill(outcome: StreamOutcome = 'bot_crashed'): void {
    if (!this.#isAlive || this.#child.pid === undefined) return;
    this.#deathOutcome = outcome;
    try {
      process.kill(-this.#child.pid, 'SIGKILL');
    } catch {
      this.#child.kill('SIGKILL'); // the group is already empty
    }
  }

  #receive(message: MessageFromBot): void {
    this.#heartbeat?.refresh();
    if (message.type === 'ready') this.#loaded.resolve();
    else if (message.type === 'load_failed') this.#loaded.reject(botLoadError(this.options.botFile, message));
    else if (message.type === 'reading') this.emit('reading', message.callId);
    else if (message.type === 'stream_over') this.#streamOver(message.callId, message.outcome);
    else if (message.type === 'call_done') this.#callDone(message.callId);
  }

  #streamOver(callId: string, outcome: StreamOutcome): void {
    if (this.#streams.delete(callId)) this.emit('stream_over', callId, outcome);
  }

  #callDone(callId: string): void {
    this.#streamOver(callId, 'bot_ended');
    this.#calls.delete(callId);
    if (this.#calls.size === 0) clearTimeout(this.#heartbeat);
    this.emit('call_done', callId);
  }

  #watchHeartbeat(): void {
    clearTimeout(this.#heartbeat);
    this.#heartbeat = setTimeout(() => this.kill('bot_timeout'), HEARTBEAT_LIMIT_MS);
  }

  #onExit(code: number | null, signal: NodeJS.Signals | null): void {
    this.#isAlive = false;
    clearTimeout(this.#heartbeat);
    const how = signal ? `signal ${signal}` : `code ${code}`;
    this.#loaded.reject(
      new VoicebotError('VB_BOT_LOAD_FAILED', `${this.options.botFile} ended its process with ${how} while loading`),
    );
    for (const callId of [...this.#calls]) {
      this.#streamOver(callId, this.#deathOutcome);
      this.#callDone(callId);
    }
    this.emit('exit');
  }

  #tell(message: MessageToBot): void {
    if (this.#child.connected) this.#child.send(message, () => {});
  }
}
