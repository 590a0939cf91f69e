import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type { CallId } from '../../call/call-id.js';
import type { TimelineEvent } from '../../call/timeline.js';
import type { FromBot, MessageToBot, ToBot } from './messages.js';
import type { ReleasedStream } from './waiting-stream.js';

/** What the bot says, an event for each of its messages. */
export type BotCallEvents = { [M in FromBot as M['type']]: [message: M] };

/** The process of a bot, as far as one of its calls needs it. */
export interface BotCallProcess {
  /** A bot of this call is to begin. */
  begin(call: BotCall): void;
  /** @param socket goes with the message and stays open here */
  send(message: MessageToBot, socket?: Socket): void;
  /** Takes the call away from its bot. */
  abandon(call: BotCall): void;
}

/**
 * One bot's part in one call: what it says is emitted, the last of it `call_done`. A call has several bots when one takes over
 * from another, each in another process.
 */
export class BotCall extends EventEmitter<BotCallEvents> {
  /** Holds the call's stream, or is to get it. */
  #hasStream = false;
  /** Which of its streams that is, from 1. */
  #streamNo = 0;
  /** The stream's socket, on its way to the process. */
  #sentSocket: Socket | undefined;
  #isTalking = false;
  #hasBegun = false;
  #hearsTyped = false;
  #isOver = false;

  constructor(
    readonly callId: CallId,
    private readonly process: BotCallProcess,
    /** It was dialled beside another call of its process. */
    readonly isBeside = false,
  ) {
    super();
  }

  /** Whether its bot function has settled, or its process is gone. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Whether what is typed counts as the caller's words: a stand-in listens. */
  get hearsTyped(): boolean {
    return this.#hearsTyped && !this.#isOver;
  }

  /** Whether its bot talks to a caller or callee, who notices when the process stands still. */
  get isTalking(): boolean {
    return this.#isTalking;
  }

  /** Starts the bot; or, when its caller comes back from a transfer, tells it so. It says `reading` when it wants the stream. */
  serve(message: Extract<ToBot, { type: 'serve' | 'serve_room' }>): void {
    this.process.begin(this);
    this.#hasBegun = true;
    this.#hasStream = message.type === 'serve';
    if (message.type === 'serve') this.#streamNo += 1;
    this.send(message.type === 'serve' ? { ...message, streamNo: this.#streamNo } : message);
  }

  /** Hands the stream over. From here on the media never touches the runner. */
  give({ socket, head }: ReleasedStream): void {
    stopReading(socket);
    this.#sentSocket = socket;
    this.#isTalking = true;
    this.process.send({ type: 'stream', callId: this.callId, head: head.toString('base64') }, socket);
  }

  /** Tells the bot something, if it is still there. */
  send(message: ToBot): void {
    if (this.#hasBegun && !this.#isOver) this.process.send({ ...message, callId: this.callId });
  }

  /** Takes the call away from the bot. A process that serves nothing else is ended, since it may not be listening. */
  abandon(): void {
    if (this.#hasBegun && !this.#isOver) this.process.abandon(this);
  }

  /** What its bot has said, or its process knows of it. */
  receive(message: FromBot): void {
    if (this.#isOver) return;
    if (message.type === 'reading' && !this.#hasStream) return; // too late: another bot has taken over
    if (message.type === 'socket_received') this.#letGo();
    if (message.type === 'noted') this.#hearsTyped ||= message.events.some(isEar);
    if (message.type === 'room_news' && message.news.type === 'joined') this.#isTalking = true;
    if (message.type === 'stream_over') {
      const { streamNo = this.#streamNo } = message;
      if (streamNo < this.#streamNo) return; // too late: its caller is back from a transfer
      this.#isTalking = false;
      if (!this.#hasStream) return;
      this.#hasStream = false;
    }
    if (message.type === 'call_done') {
      this.receive({ type: 'stream_over', outcome: 'bot_ended' });
      this.#letGo();
      this.#isOver = true;
    }
    this.emit(message.type, ...([message] as BotCallEvents[typeof message.type]));
  }

  /** The process has the socket, or does not want it any more: ours is only a copy. */
  #letGo(): void {
    this.#sentSocket?.destroy();
    this.#sentSocket = undefined;
  }
}

const isEar = (event: TimelineEvent) => event.type === 'stand_ins' && event.services.includes('speech to text');

/**
 * Leaves what comes from now on to the other process, byte by byte. Pausing does not do that: this process would go on
 * to read until its buffer is full.
 */
function stopReading(socket: Socket): void {
  (socket as unknown as { _handle: { readStop(): void } | null })._handle?.readStop();
}
