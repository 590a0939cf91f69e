import { type ChildProcess, fork } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { deferred } from '../../base/async/deferred.js';
import { machineDeadline } from '../../base/clock/machine-deadline.js';
import { clockStart, machineTimeout } from '../../base/clock/process-clock.js';
import { VoicebotError } from '../../base/errors.js';
import type { ExceptionReport } from '../../base/exception/report-exception.js';
import { killGroup } from '../../base/process/kill-group.js';
import type { BotDefinition } from '../../call/bot-definition.js';
import type { CallId } from '../../call/call-id.js';
import { extensionSources } from '../../providers/registry/extensions.js';
import { BodyChecks } from './body-checks.js';
import { BotCall, type BotCallProcess } from './bot-call.js';
import { BotClock } from './bot-clock.js';
import { LastWords } from './bot-death.js';
import { botLoadError, type LoadFailure } from './bot-load-error.js';
import { mebibytes, tooLarge } from './bot-memory.js';
import { PASSED_PER_SECOND, readOutput } from './bot-output.js';
import { BotPages } from './bot-pages.js';
import type { BotProcessEvents, BotProcessOptions } from './bot-process-options.js';
import { type BotSource, compiledPath } from './bot-source.js';
import type { FromBot, MessageFromBot, MessageToBot, StreamOutcome } from './messages.js';

/** Longest a bot file may take to load, in milliseconds. */
const LOAD_LIMIT_MS = 20_000;
/** Silence after which a process whose bots talk to callers counts as hung, in milliseconds. */
const HEARTBEAT_LIMIT_MS = 2_000;
/** The same while no bot of the process talks to anybody yet, or any more. */
const QUIET_HEARTBEAT_LIMIT_MS = 8_000;
/** Longest wait for a process that was asked to exit, in milliseconds. */
const EXIT_LIMIT_MS = 2_000;

const ENTRY = fileURLToPath(new URL('./bot-main.js', import.meta.url));

/** The runner's side of one bot process. */
export class BotProcess extends EventEmitter<BotProcessEvents> implements BotCallProcess {
  /** What the bot says about recording its calls, and how they begin. */
  record: BotDefinition['record'];
  disclosure: BotDefinition['disclosure'];
  readonly bodies = new BodyChecks((message) => this.send(message));
  /** Calls ever handed to this process. */
  served = 0;
  /** Memory it took when it last told, in bytes. */
  residentBytes = 0;
  /** The one call this process has had, however often: a caller comes back from a transfer that came to nothing. */
  #onlyCall: CallId | undefined;
  readonly #child: ChildProcess;
  readonly #loaded = deferred();
  /** Calls whose bot function has not settled. */
  readonly #calls = new Map<CallId, BotCall>();
  readonly #pages: BotPages;
  readonly #clock = new BotClock((lease) => this.send({ type: 'clock', lease }));
  #heartbeat: NodeJS.Timeout | undefined;
  /** Messages from the process so far. */
  #received = 0;
  #deathOutcome: StreamOutcome = 'bot_crashed';
  readonly #lastWords = new LastWords();
  #hasLoaded = false;
  #isAlive = true;
  /** Has been told to end, or killed. */
  #isDoomed = false;
  /** Other bots take its calls over. */
  #isReplaced = false;

  constructor(
    readonly source: BotSource,
    private readonly options: BotProcessOptions,
  ) {
    super();
    this.#pages = new BotPages(options.pages, (message) => this.send(message));
    this.#child = fork(ENTRY, [], {
      env: options.environment,
      execArgv: [], // what this process was started with is not for the bot
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      detached: true, // a process group of its own, so that what the bot started ends with it
    });
    this.#child.on('message', (message: MessageFromBot) => this.#receive(message));
    this.#child.on('error', () => {}); // a failed send or kill shows as the exit
    this.#child.on('exit', (code, signal) => this.#onExit(code, signal));
    const { stdout, stderr } = this.#child;
    if (stdout) this.#read(stdout, () => {});
    if (stderr) this.#read(stderr, (line) => this.#lastWords.printed(line));
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Whether it has not been ended. */
  get isUsable(): boolean {
    return this.#isAlive && !this.#isDoomed;
  }

  get callCount(): number {
    return this.#calls.size;
  }

  /** Those among them that were dialled beside others. */
  get besideCount(): number {
    return [...this.#calls.values()].filter(({ isBeside }) => isBeside).length;
  }

  /** `starting` until it has loaded the bot file, `busy` while it has calls. */
  get state(): 'starting' | 'warm' | 'busy' | 'ending' {
    if (!this.isUsable) return 'ending';
    if (!this.#hasLoaded) return 'starting';
    return this.callCount > 0 ? 'busy' : 'warm';
  }

  /** The call whose bot has written something; undefined where the runner cannot tell. */
  get #speaker(): CallId | undefined {
    const [only, ...more] = [...this.#calls.values()].filter(({ isBeside }) => !isBeside);
    return more.length > 0 ? undefined : (only?.callId ?? this.#onlyCall);
  }

  /** Whether a bot of this call is here, even one that has been replaced and has not settled yet. */
  serves(callId: CallId): boolean {
    return this.#calls.has(callId);
  }

  /** Whether this bot of a call is here. */
  has(call: BotCall): boolean {
    return this.#calls.get(call.callId) === call;
  }

  /**
   * Loads the bot file.
   * @throws VoicebotError VB_BOT_LOAD_FAILED with file, line and message
   */
  async load(): Promise<void> {
    const { source } = this;
    const { botEnvironment: environment, roomsClient, standIns, speech } = this.options;
    const common = { source, environment, roomsClient, standIns, speech };
    this.send({ type: 'load', ...common, clock: clockStart(), extensions: extensionSources() });
    const late = `${source.file} did not finish loading within ${LOAD_LIMIT_MS} ms`;
    const inTime = machineDeadline(LOAD_LIMIT_MS, () => new VoicebotError('VB_BOT_LOAD_FAILED', late));
    await inTime(this.#loaded.promise).catch((error: unknown) => {
      if (!this.#isDoomed) this.emit('load_failed');
      this.kill();
      throw error;
    });
  }

  /** For a bot of a call, which begins when it is served. */
  createCall(callId: CallId, isBeside = false): BotCall {
    const call = new BotCall(callId, this, isBeside);
    call.once('call_done', () => this.#calls.delete(callId));
    return call;
  }

  begin(call: BotCall): void {
    const { callId } = call;
    if (!call.isBeside) {
      this.#onlyCall = this.served === 0 || this.#onlyCall === callId ? callId : undefined;
      this.served += 1;
    }
    this.#calls.set(callId, call);
    this.#clock.begin(call);
    this.#watchHeartbeat();
  }

  send(message: MessageToBot, socket?: Socket): void {
    if (!this.#child.connected) return;
    this.#child.send(message, socket, { keepOpen: true }, () => {}); // a failed send shows as the exit
    if (socket) this.#watchHeartbeat(); // its bot begins to talk
  }

  /** A process that serves nothing else is ended, since it may not be listening. */
  abandon(call: BotCall): void {
    const { callId } = call;
    if ([...this.#calls.values()].some((other) => other !== call && !other.isBeside))
      this.send({ type: 'abandon', callId });
    else this.kill('bot_timeout');
  }

  /** Asks the bots to end their calls. */
  stop(): void {
    this.send({ type: 'stop' });
  }

  /** Ends a process that has nothing to do any more. */
  exit(): void {
    this.send({ type: 'exit' });
    this.#killLater();
  }

  #killLater(): void {
    this.#isDoomed = true;
    machineTimeout(() => this.kill(), EXIT_LIMIT_MS).unref();
  }

  /** Ends the process and everything it started, at once. */
  kill(outcome: StreamOutcome = 'bot_crashed'): void {
    if (!this.#isAlive) return;
    this.#isDoomed = true;
    this.#deathOutcome = outcome;
    this.#killGroup();
  }

  /** Also removes what a process that died while loading could not remove itself. */
  #killGroup(): void {
    killGroup(this.#child);
    if (this.#child.pid !== undefined) rmSync(compiledPath(this.source.file, this.#child.pid), { force: true });
  }

  #receive(message: MessageFromBot): void {
    this.#received += 1;
    if (message.type === 'ready') this.#ready(message);
    else if (message.type === 'heartbeat') this.#lives(message);
    else if (message.type === 'load_failed') this.#loadFailed(message);
    else if (message.type === 'exception') this.#exception(message.report);
    else if (message.type === 'open_page' || message.type === 'close_page') this.#pages.receive(message);
    else if (message.type === 'service_health') this.emit('service_health', message.state);
    else if (message.type === 'clock') this.#clock.reported(message.report);
    else if (message.type === 'body_checked') this.bodies.receive(message);
    else this.#told(this.#calls.get(message.callId), message);
    this.#watchHeartbeat();
  }

  #lives({ residentBytes, lateMs }: Extract<MessageFromBot, { type: 'heartbeat' }>): void {
    this.residentBytes = residentBytes;
    this.emit('heartbeat', lateMs);
    this.#watchMemory(residentBytes);
  }

  #exception({ line, exception, callId, isFatal }: ExceptionReport): void {
    const whose = (callId as CallId | undefined) ?? this.#speaker;
    if (isFatal) this.#lastWords.printed(line);
    this.emit('output', line, whose, exception);
    if (isFatal && whose) this.#told(this.#calls.get(whose), { type: 'failed', exception });
  }

  #told(call: BotCall | undefined, message: FromBot): void {
    const isLost = message.type === 'call_done' && this.#isReplaced;
    call?.receive(isLost ? { type: 'call_done', outcome: 'lost' } : message);
  }

  #read(stream: Readable, note: (line: string) => void): void {
    const name = `the output of bot process ${this.pid}`;
    const tell = (line: string) => this.emit('output', line, this.#speaker);
    readOutput(stream, {
      line: (line) => {
        note(line);
        tell(line);
      },
      isCut: () => tell(`${name} is cut off: more than ${mebibytes(PASSED_PER_SECOND)} in a second`),
      goesOn: (leftOut) => tell(`${name} goes on: ${mebibytes(leftOut)} were left out`),
    });
  }

  #loadFailed(failure: LoadFailure): void {
    const { file, parts } = this.source;
    this.#loaded.reject(botLoadError(file, failure, parts));
  }

  #ready({ residentBytes, record, disclosure }: Extract<MessageFromBot, { type: 'ready' }>): void {
    this.record = record;
    this.disclosure = disclosure;
    this.residentBytes = residentBytes;
    if (this.#takesTooMuch(residentBytes)) {
      this.#loaded.reject(tooLarge(this.source.file, residentBytes));
      return;
    }
    this.#hasLoaded = true;
    this.#loaded.resolve();
  }

  #takesTooMuch(residentBytes: number): boolean {
    const { memoryBytes } = this.options;
    return memoryBytes > 0 && residentBytes > memoryBytes;
  }

  /** A bot that takes too much is asked to leave its calls to others, before the machine ends it, and others with it. */
  #watchMemory(residentBytes: number): void {
    if (this.#isDoomed || !this.#takesTooMuch(residentBytes)) return;
    this.#isReplaced = true;
    const limit = `its limit of ${mebibytes(this.options.memoryBytes)} (VOICEBOT_BOT_MEMORY_MIB)`;
    this.emit(
      'problem',
      `bot process ${this.pid} takes ${mebibytes(residentBytes)}, more than ${limit}: it is replaced`,
    );
    if (this.#calls.size === 0) {
      this.exit();
      return;
    }
    this.#killLater();
    for (const call of this.#calls.values()) {
      call.receive({ type: 'stream_over', outcome: 'bot_crashed' });
      call.send({ type: 'abandon' });
    }
  }

  get #silenceLimitMs(): number {
    const isTalking = [...this.#calls.values()].some((call) => call.isTalking);
    return isTalking ? HEARTBEAT_LIMIT_MS : QUIET_HEARTBEAT_LIMIT_MS;
  }

  /** A process without calls may be as silent as it likes. */
  #watchHeartbeat(): void {
    clearTimeout(this.#heartbeat);
    if (this.#calls.size > 0) this.#heartbeat = machineTimeout(() => this.#onSilence(), this.#silenceLimitMs);
  }

  /** When it was the runner that stood still, the heartbeats of that time are still waiting to be read. */
  #onSilence(): void {
    const received = this.#received;
    setImmediate(() => {
      if (this.#received !== received || !this.#isAlive) return;
      const exit = `no sign of life for ${this.#silenceLimitMs} ms`;
      this.emit('died', [...this.#calls.keys()], this.#lastWords.deathBy(exit));
      this.kill('bot_timeout');
    });
  }

  #onExit(code: number | null, signal: NodeJS.Signals | null): void {
    const wasTold = this.#isDoomed;
    const calls = [...this.#calls.values()];
    this.#isAlive = false;
    clearTimeout(this.#heartbeat);
    this.#killGroup(); // and with it what the bot started and left behind
    this.#pages.closeAll();
    this.bodies.close();
    const how = signal ? `signal ${signal}` : `code ${code}`;
    this.#loaded.reject(
      new VoicebotError('VB_BOT_LOAD_FAILED', `${this.source.file} ended its process with ${how} while loading`),
    );
    for (const call of calls) {
      this.#told(call, { type: 'stream_over', outcome: this.#deathOutcome });
      this.#told(call, { type: 'call_done', outcome: this.#deathOutcome === 'bot_timeout' ? 'hung' : 'lost' });
    }
    const callIds = calls.map(({ callId }) => callId);
    if (!wasTold && this.#hasLoaded) {
      this.#lastWords.whenRead(this.#child, how, (death) => this.emit('died', callIds, death));
    }
    this.emit('exit');
  }
}
