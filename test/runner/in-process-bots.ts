import { EventEmitter } from 'node:events';
import { pathToFileURL } from 'node:url';
import type { BotFunction } from '../../src/call/runner-arguments.js';
import { BotHost } from '../../src/runner/bots/bot-host.js';
import type {
  MessageFromBot,
  MessageToBot,
  ServeMessage,
  ServeRoomMessage,
} from '../../src/runner/bots/bot-messages.js';
import type { BotProcess, BotProcessEvents } from '../../src/runner/bots/bot-process.js';
import type { BotSource } from '../../src/runner/bots/bot-source.js';
import { RoomBotHost } from '../../src/runner/bots/room-bot-host.js';
import type { ReleasedStream } from '../../src/runner/calls/waiting-stream.js';
import type { RunnerOptions } from '../../src/runner/runner.js';

/** What passes between two processes is a copy. */
const copied = <T>(message: T): T => JSON.parse(JSON.stringify(message));

/** Runs the bots of what is not about processes in the test's own process. They cannot crash it, hang, or print. */
class InProcessBots extends EventEmitter<BotProcessEvents> {
  served = 0;
  isUsable = true;
  readonly #calls = new Set<string>();
  readonly #streams = new Set<string>();
  #host: BotHost | undefined;
  #roomHost: RoomBotHost | undefined;

  constructor(readonly source: BotSource) {
    super();
  }

  get callCount(): number {
    return this.#calls.size;
  }

  serves(callId: string): boolean {
    return this.#calls.has(callId);
  }

  async load(): Promise<void> {
    const { bot } = (await import(pathToFileURL(this.source.file).href)) as { bot: BotFunction };
    const tell = (message: MessageFromBot) => setImmediate(() => this.#receive(copied(message)));
    this.#host = new BotHost(bot, tell);
    this.#roomHost = new RoomBotHost(bot, tell);
  }

  serve(message: ServeMessage): void {
    this.#begin(message.call.id);
    this.#streams.add(message.call.id);
    setImmediate(() => this.#host?.serve(copied(message)));
  }

  give(callId: string, { socket, head }: ReleasedStream): void {
    setImmediate(() => {
      this.emit('taken', callId);
      this.#host?.connect(callId, socket, head);
    });
  }

  serveRoom(message: ServeRoomMessage): void {
    this.#begin(message.call.id);
    setImmediate(() => this.#roomHost?.serve(copied(message)));
  }

  tell(message: MessageToBot): void {
    setImmediate(() => this.#deliver(copied(message)));
  }

  abandon(callId: string): void {
    this.#host?.abandon(callId);
    this.#roomHost?.abandon(callId);
  }

  stop(): void {
    this.#host?.stop();
    this.#roomHost?.stop();
  }

  exit(): void {
    if (!this.isUsable) return;
    this.isUsable = false;
    setImmediate(() => this.emit('exit'));
  }

  kill(): void {
    for (const callId of this.#calls) {
      this.#host?.callOver(callId);
      this.#roomHost?.callOver(callId);
      this.#receive({ type: 'call_done', callId, outcome: 'lost' });
    }
    this.exit();
  }

  #begin(callId: string): void {
    this.served += 1;
    this.#calls.add(callId);
  }

  #deliver(message: MessageToBot): void {
    if (message.type === 'target_answer') this.#roomHost?.targetAnswer(message);
    else if (message.type === 'transfer_answer') this.#host?.transferAnswer(message.callId, message.problem);
    else if (message.type === 'transfer_over') this.#host?.transferAnswered(message.callId, message.outcome);
    else if (message.type === 'call_over') {
      this.#host?.callOver(message.callId);
      this.#roomHost?.callOver(message.callId);
    } else if (message.type === 'end') {
      this.#host?.end(message.callId);
      this.#roomHost?.end(message.callId);
    }
  }

  #receive(message: MessageFromBot): void {
    if (message.type === 'reading') this.emit('reading', message.callId);
    else if (message.type === 'ends_for') this.emit('ends_for', message.callId, message.reason);
    else if (message.type === 'transfer') this.emit('transfer', message.callId, message.to);
    else if (message.type === 'silent') this.emit('silent', message.callId);
    else if (message.type === 'room_news') this.emit('room_news', message.callId, message.news);
    else if (message.type === 'check_target') this.emit('check_target', message.callId, message.requestId, message.to);
    else if (message.type === 'stream_over') this.#streamOver(message.callId, message.outcome);
    else if (message.type === 'call_done' && this.#calls.delete(message.callId)) {
      this.#streamOver(message.callId, 'bot_ended');
      this.emit('call_done', message.callId, message.outcome);
    }
  }

  #streamOver(...[callId, outcome]: BotProcessEvents['stream_over']): void {
    if (this.#streams.delete(callId)) this.emit('stream_over', callId, outcome);
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
