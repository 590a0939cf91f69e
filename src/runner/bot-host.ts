import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { settlesWithin } from '../async/deadline.js';
import { deferred } from '../async/deferred.js';
import type { CallInfo } from '../call/call.js';
import type { BotFunction } from '../call/runner-arguments.js';
import type { MessageFromBot, ServeMessage, StreamOutcome } from './bot-messages.js';
import { type CallSocket, createUpgrader } from './call-socket.js';

/** How often a stream is pinged, so that a connection that died in between is noticed, in milliseconds. */
const PING_EVERY_MS = 20_000;
/** How long a bot may go on after its call is over, to save what it has to, in milliseconds. */
const SETTLE_LIMIT_MS = 30_000;
/** Longest wait for the far end to answer our close, in milliseconds. */
const CLOSE_LIMIT_MS = 2_000;

interface HostedCall {
  readonly socket: CallSocket;
  readonly abort: AbortController;
  outcome: StreamOutcome | undefined;
}

/** Runs the bot function for the calls of one process. Lives in the bot's process. */
export class BotHost {
  readonly #calls = new Map<string, HostedCall>();
  readonly #upgrader = createUpgrader();

  constructor(
    private readonly bot: BotFunction,
    private readonly send: (message: MessageFromBot) => void,
  ) {}

  /** Calls whose bot function has not settled. */
  get callCount(): number {
    return this.#calls.size;
  }

  /** Completes the upgrade on a socket handed over by the runner and starts a bot on it. */
  serve({ call, body, request, head }: ServeMessage, socket: Socket | undefined): void {
    const onLost = () => {
      this.send({ type: 'stream_over', callId: call.id, outcome: 'far_end' });
      this.send({ type: 'call_done', callId: call.id });
    };
    if (!socket) {
      onLost();
      return;
    }
    socket.on('error', () => {});
    socket.once('close', onLost); // broken off, or no proper handshake: then the callback below is never called
    this.#upgrader.handleUpgrade(request as IncomingMessage, socket, Buffer.from(head, 'base64'), (websocket) => {
      socket.off('close', onLost);
      void this.#run(websocket, socket, call, body);
    });
  }

  /** The carrier has ended the call: lets go of a stream it left open. */
  callOver(callId: string): void {
    this.#calls.get(callId)?.socket.terminate();
  }

  /** Another bot takes the call over. */
  abandon(callId: string): void {
    const call = this.#calls.get(callId);
    if (!call) return;
    this.#report(callId, call, 'bot_timeout');
    call.socket.terminate();
    call.abort.abort();
  }

  /** Asks every bot to end its call. */
  stop(): void {
    for (const call of this.#calls.values()) call.abort.abort();
  }

  async #run(socket: CallSocket, connection: Socket, info: CallInfo, body: Record<string, unknown>): Promise<void> {
    const call: HostedCall = { socket, abort: new AbortController(), outcome: undefined };
    const closed = deferred();
    this.#calls.set(info.id, call);
    socket.callId = info.id;
    this.#startWhenListening(socket, info.id);
    socket.onClosedByBot = () => this.#report(info.id, call, 'bot_ended');
    socket.on('error', () => {}); // a broken peer shows as a close
    socket.once('close', () => {
      this.#report(info.id, call, 'far_end');
      call.abort.abort();
      closed.resolve();
    });
    const ping = this.#keepAlive(info.id, call, connection);
    const settled = this.#runBot(call, info, body);
    await Promise.race([settled, closed.promise]);
    if (!(await settlesWithin(settled, SETTLE_LIMIT_MS))) {
      console.error(`bot of call ${info.id} has not returned ${SETTLE_LIMIT_MS / 1_000} s after the end of the call`);
    }
    clearInterval(ping);
    socket.resume(); // a bot that never read would not see the far end's close
    if (!(await settlesWithin(closed.promise, CLOSE_LIMIT_MS))) socket.terminate();
    this.#calls.delete(info.id);
    this.send({ type: 'call_done', callId: info.id });
  }

  async #runBot(call: HostedCall, info: CallInfo, body: Record<string, unknown>): Promise<void> {
    try {
      await this.bot({ transport: 'carrier', websocket: call.socket, body, call: info, signal: call.abort.signal });
      this.#report(info.id, call, 'bot_ended');
      call.socket.close(1000);
    } catch (error) {
      console.error(`bot failed in call ${info.id} (attempt ${info.attempt}):`, error);
      this.#report(info.id, call, 'bot_crashed');
      call.socket.close(1011);
    }
  }

  /** A far end from which nothing has come since the last ping, not even its pong, is gone. */
  #keepAlive(callId: string, call: HostedCall, connection: Socket): NodeJS.Timeout {
    let bytesRead = -1;
    return setInterval(() => {
      if (connection.bytesRead === bytesRead && !call.socket.isPaused) {
        this.#report(callId, call, 'far_end');
        call.socket.terminate();
        return;
      }
      bytesRead = connection.bytesRead;
      call.socket.ping();
    }, PING_EVERY_MS);
  }

  /** Only the first reason counts. It is sent before the socket closes, so the runner knows when the carrier asks. */
  #report(callId: string, call: HostedCall, outcome: StreamOutcome): void {
    if (call.outcome) return;
    call.outcome = outcome;
    this.send({ type: 'stream_over', callId, outcome });
  }

  /** Nothing is read before the bot listens, so that no message is lost. */
  #startWhenListening(socket: CallSocket, callId: string): void {
    socket.pause();
    const onNewListener = (event: string) => {
      if (event !== 'message') return;
      socket.off('newListener', onNewListener);
      this.send({ type: 'reading', callId });
      queueMicrotask(() => socket.resume());
    };
    socket.on('newListener', onNewListener);
  }
}
