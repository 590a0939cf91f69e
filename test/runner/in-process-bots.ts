import { EventEmitter } from 'node:events';
import { pathToFileURL } from 'node:url';
import { type BotDefinition, definitionOf } from '../../src/call/bot-definition.js';
import type { BotFunction } from '../../src/call/runner-arguments.js';
import { BodyChecks } from '../../src/runner/bots/body-checks.js';
import { BotCall, type BotCallProcess } from '../../src/runner/bots/bot-call.js';
import { BotHost } from '../../src/runner/bots/bot-host.js';
import type { BotProcess } from '../../src/runner/bots/bot-process.js';
import type { BotProcessEvents } from '../../src/runner/bots/bot-process-options.js';
import type { BotSource } from '../../src/runner/bots/bot-source.js';
import type { MessageFromBot, MessageToBot } from '../../src/runner/bots/messages.js';
import type { ReleasedStream } from '../../src/runner/bots/waiting-stream.js';
import type { RunnerOptions } from '../../src/runner/runner-options.js';

/** What passes between two processes is a copy. */
const copied = <T>(message: T): T => JSON.parse(JSON.stringify(message));

/** Gives its stream away without another process: the same socket goes on. */
class InProcessCall extends BotCall {
  constructor(
    callId: string,
    private readonly bots: InProcessBots,
    isBeside: boolean,
  ) {
    super(callId, bots, isBeside);
  }

  override give(stream: ReleasedStream): void {
    setImmediate(() => {
      this.bots.connect(this.callId, stream);
    });
  }
}

/** Runs the bots of what is not about processes in the test's own process. They cannot crash it, hang, or print. */
class InProcessBots extends EventEmitter<BotProcessEvents> implements BotCallProcess {
  readonly bodies = new BodyChecks((message) => this.send(message));
  served = 0;
  isUsable = true;
  readonly residentBytes = 0;
  readonly #calls = new Map<string, BotCall>();
  #definition: BotDefinition | undefined;
  #host: BotHost | undefined;

  constructor(readonly source: BotSource) {
    super();
  }

  get callCount(): number {
    return this.#calls.size;
  }

  get state(): BotProcess['state'] {
    return this.callCount > 0 ? 'busy' : 'warm';
  }

  get besideCount(): number {
    return [...this.#calls.values()].filter(({ isBeside }) => isBeside).length;
  }

  serves(callId: string): boolean {
    return this.#calls.has(callId);
  }

  has(call: BotCall): boolean {
    return this.#calls.get(call.callId) === call;
  }

  async load(): Promise<void> {
    const loaded = (await import(pathToFileURL(this.source.file).href)) as { bot?: BotFunction; default?: BotFunction };
    const bot = (loaded.bot ?? loaded.default) as BotFunction;
    this.#definition = definitionOf(bot);
    const tell = (message: MessageFromBot) => setImmediate(() => this.#receive(copied(message)));
    this.#host = new BotHost(bot, tell);
  }

  createCall(callId: string, isBeside = false): BotCall {
    const call = new InProcessCall(callId, this, isBeside);
    call.once('call_done', () => this.#calls.delete(callId));
    return call;
  }

  begin(call: BotCall): void {
    if (!call.isBeside) this.served += 1;
    this.#calls.set(call.callId, call);
  }

  send(message: MessageToBot): void {
    setImmediate(() => this.#deliver(copied(message)));
  }

  connect(callId: string, { socket, head }: ReleasedStream): void {
    this.#host?.receive({ type: 'stream', callId, head: head.toString('base64') }, socket);
  }

  abandon({ callId }: BotCall): void {
    this.#host?.receive({ type: 'abandon', callId });
  }

  stop(): void {
    this.#host?.stop();
  }

  exit(): void {
    if (!this.isUsable) return;
    this.isUsable = false;
    setImmediate(() => this.emit('exit'));
  }

  kill(): void {
    for (const callId of this.#calls.keys()) {
      this.#host?.receive({ type: 'call_over', callId });
      this.#receive({ type: 'call_done', callId, outcome: 'lost' });
    }
    this.exit();
  }

  async #checkBody({ requestId, body }: Extract<MessageToBot, { type: 'check_body' }>): Promise<void> {
    const problems = (await this.#definition?.checkBody?.(body)) ?? [];
    this.#receive({ type: 'body_checked', requestId, problems });
  }

  #deliver(message: MessageToBot): void {
    if (message.type === 'check_body') void this.#checkBody(message);
    else if ('callId' in message) this.#host?.receive(message);
  }

  #receive(message: MessageFromBot): void {
    if (message.type === 'body_checked') this.bodies.receive(message);
    else if ('callId' in message) this.#calls.get(message.callId)?.receive(message);
  }
}

/** Options of a runner whose bots run in the test's own process: much faster, for what is not about processes. */
export const IN_PROCESS: Pick<RunnerOptions, 'createBotProcess'> = {
  createBotProcess: (source) => new InProcessBots(source) as unknown as BotProcess,
};

/** What bots of {@link IN_PROCESS} print is not shown, until jest restores its mocks. */
export function muteBots(): void {
  jest.spyOn(console, 'error').mockImplementation(() => {});
}
