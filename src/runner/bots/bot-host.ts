import type { Socket } from 'node:net';
import { WebSocket } from 'ws';
import { settlesWithin } from '../../async/deadline.js';
import { type Deferred, deferred } from '../../async/deferred.js';
import type { BotFunction } from '../../call/runner-arguments.js';
import { type LinkedOutcome, linkRunner } from '../../call/runner-link.js';
import { SilenceWatch } from '../../call/silence-watch.js';
import type { AcceptedTransferOutcome } from '../../call/transfer-outcome.js';
import { type ErrorFields, VoicebotError } from '../../errors.js';
import { carrierByName } from '../../providers/registry.js';
import { CallSocket } from './call-socket.js';
import {
  type BotOutcome,
  GOODBYE_MS,
  type MessageFromBot,
  SETTLE_LIMIT_MS,
  type ServeMessage,
  type StreamOutcome,
} from './messages.js';
import { StreamActivity } from './stream-activity.js';

/** How often it is looked whether anything has come on a stream, in milliseconds: audio comes every 20 ms. */
const LOOK_EVERY_MS = 1_000;
/** Looks in vain, one after the other, after which the far end is asked with a ping. */
const LOOKS_BEFORE_PING = 2;
/** Looks in vain after which the far end is gone: it has had 4 s to answer the ping. */
const LOOKS_BEFORE_LOST = 6;
/** Looks from one ping to the next on a stream that is alive: proxies close what is silent in one direction for long. */
const LOOKS_PER_PING = 20;
/** Longest wait for the far end to answer our close, in milliseconds. */
const CLOSE_LIMIT_MS = 2_000;

/** Close code of a bot that cannot go on with its call (RFC 6455 section 7.4.1). */
const FAILED = 1011;

interface Transfer {
  /** Settles when the carrier has taken it, or somebody refused. */
  readonly answer: Deferred<void>;
  readonly outcome: Deferred<LinkedOutcome>;
  /** The carrier has taken it: the stream may be closed without ending the call. */
  isAccepted: boolean;
}

interface HostedCall {
  readonly id: string;
  readonly attempt: number;
  readonly abort: AbortController;
  /** The call is over as far as its bot can know. */
  readonly over: Deferred<void>;
  socket: CallSocket;
  /** Of the current stream. */
  unlink: () => void;
  /** Takes the current stream under its eyes as soon as it is connected. */
  watch: (connection: Socket) => void;
  /** How the current stream ended. */
  outcome: StreamOutcome | undefined;
  transfer: Transfer | undefined;
}

/** Runs the bot function for the calls of one process. Lives in the bot's process. */
export class BotHost {
  readonly #calls = new Map<string, HostedCall>();

  constructor(
    private readonly bot: BotFunction,
    private readonly send: (message: MessageFromBot) => void,
    /** Whether the runner is gone: nobody else keeps the limits of calls then. */
    private readonly isOrphan: () => boolean = () => false,
  ) {}

  /** Calls whose bot function has not settled. */
  get callCount(): number {
    return this.#calls.size;
  }

  /** Starts a bot for a call, or tells the one that waits for it that the caller is back; `reading` is said when it listens. */
  serve(message: ServeMessage): void {
    const waiting = this.#calls.get(message.call.id);
    if (message.comeback && waiting) this.#resume(waiting, message);
    else void this.#run(message);
  }

  /**
   * The stream of a call whose bot listens.
   * @param head what has come on it already
   */
  connect(callId: string, connection: Socket | undefined, head: Buffer): void {
    const call = this.#calls.get(callId);
    connection?.on('error', () => {}); // a broken peer shows as a close
    if (call?.socket.readyState === WebSocket.OPEN && connection && !connection.destroyed) {
      call.watch(connection);
      call.socket.connect(connection, head);
      return;
    }
    connection?.destroy();
    if (!call) return;
    this.#report(call, 'far_end');
    call.socket.terminate();
  }

  /** Streams that have not come yet will not come any more. */
  runnerGone(): void {
    for (const call of this.#calls.values()) if (!call.socket.isConnected) this.callOver(call.id);
  }

  /** The carrier has ended the call: lets go of a stream it left open. */
  callOver(callId: string): void {
    const call = this.#calls.get(callId);
    if (!call) return;
    call.transfer?.answer.reject(new VoicebotError('VB_TRANSFER_FAILED', 'the call is over'));
    call.transfer?.outcome.resolve({ status: 'caller_left' });
    call.socket.terminate();
    // The bot that waits for the outcome learns it first, and need not hang up.
    if (call.outcome === 'transferring') setImmediate(() => this.#finish(call));
  }

  /** Another bot takes the call over. */
  abandon(callId: string): void {
    const call = this.#calls.get(callId);
    if (!call) return;
    this.#report(call, 'bot_timeout');
    call.socket.terminate();
    call.abort.abort();
  }

  /** Asks the call's bot to end it. */
  end(callId: string): void {
    this.#calls.get(callId)?.abort.abort();
  }

  /** Asks every bot to end its call. */
  stop(): void {
    for (const call of this.#calls.values()) call.abort.abort();
  }

  /** What became of a wish to transfer the call. */
  transferAnswer(callId: string, problem?: ErrorFields): void {
    const call = this.#calls.get(callId);
    if (!call?.transfer) return;
    const { transfer } = call;
    if (problem) {
      call.transfer = undefined;
      transfer.answer.reject(VoicebotError.revive(problem));
    } else {
      transfer.isAccepted = true;
      transfer.answer.resolve();
    }
  }

  transferAnswered(callId: string, outcome: AcceptedTransferOutcome): void {
    this.#calls.get(callId)?.transfer?.outcome.resolve(outcome);
  }

  async #run(message: ServeMessage): Promise<void> {
    const { id, attempt } = message.call;
    const call: HostedCall = {
      id,
      attempt,
      abort: new AbortController(),
      over: deferred(),
      socket: new CallSocket(),
      unlink: () => {},
      watch: () => {},
      outcome: undefined,
      transfer: undefined,
    };
    this.#calls.set(id, call);
    this.#attach(call, message);
    const limit = setTimeout(() => this.#onLimit(call), message.limitMs);
    const settled = this.#runBot(call, message);
    await Promise.race([settled, call.over.promise]);
    clearTimeout(limit);
    if (!(await settlesWithin(settled, SETTLE_LIMIT_MS))) {
      console.error(`bot of call ${id} has not returned ${SETTLE_LIMIT_MS / 1_000} s after the end of the call`);
    }
    call.socket.resume(); // a bot that never read would not see the far end's close
    if (!(await settlesWithin(closed(call.socket), CLOSE_LIMIT_MS))) call.socket.terminate();
    call.unlink();
    this.#calls.delete(id);
    this.send({ type: 'call_done', callId: id, outcome: await Promise.race([settled, 'threw' as const]) });
  }

  /** The caller is back after a transfer that came to nothing. */
  #resume(call: HostedCall, { comeback, ...message }: ServeMessage): void {
    const { transfer } = call;
    call.unlink();
    call.socket = new CallSocket();
    call.outcome = undefined;
    call.transfer = undefined;
    this.#attach(call, message);
    if (comeback) transfer?.outcome.resolve({ ...comeback, websocket: call.socket });
  }

  /** Links a call's stream with the runner. */
  #attach(call: HostedCall, message: Omit<ServeMessage, 'comeback'>): void {
    const { carrier, providerCallId, silenceMs, failedTransfer } = message;
    const { id, socket } = call;
    socket.callId = providerCallId;
    call.unlink = linkRunner(
      { websocket: socket },
      {
        failedTransfer,
        transfer: (to) => this.#transfer(call, to),
        endsFor: (reason) => this.send({ type: 'ends_for', callId: id, reason }),
      },
    );
    socket.onWanted = () => this.send({ type: 'reading', callId: id });
    socket.onClosedByBot = (code) => {
      const outcome = code === FAILED ? 'bot_crashed' : 'bot_ended';
      this.#report(call, call.transfer?.isAccepted ? 'transferring' : outcome);
    };
    socket.on('error', () => {}); // a broken peer shows as a close
    socket.on('ping', (data) => socket.answerPing(data));
    let ping: NodeJS.Timeout | undefined;
    const silence = new SilenceWatch({
      limitMs: silenceMs,
      onSilence: () => {
        this.send({ type: 'silent', callId: id });
        this.#onLimit(call);
      },
    });
    call.watch = (connection) => {
      ping = this.#keepAlive(call, socket, connection);
      if (silenceMs <= 0) return;
      silence.start();
      const activity = new StreamActivity(carrierByName(carrier).createCodec(''), connection, silence);
      socket.on('message', (data) => activity.hear(data));
    };
    socket.once('close', () => {
      clearInterval(ping);
      silence.stop();
      // While a transfer is on, the carrier closes in its own time: whoever was first, the call goes on.
      this.#report(call, call.transfer?.isAccepted ? 'transferring' : 'far_end');
      if (call.outcome !== 'transferring') this.#finish(call);
    });
  }

  /** The runner ends calls at their limits; when it is gone, the stream is closed, which ends the call. */
  #onLimit(call: HostedCall): void {
    if (!this.isOrphan()) return;
    call.abort.abort();
    setTimeout(() => call.socket.terminate(), GOODBYE_MS).unref();
  }

  #finish(call: HostedCall): void {
    call.abort.abort();
    call.over.resolve();
  }

  async #transfer(call: HostedCall, to: string): Promise<{ outcome: Promise<LinkedOutcome> }> {
    if (call.transfer) throw new VoicebotError('VB_TRANSFER_FAILED', 'one is already going on');
    const transfer: Transfer = { answer: deferred(), outcome: deferred(), isAccepted: false };
    call.transfer = transfer;
    this.send({ type: 'transfer', callId: call.id, to });
    await transfer.answer.promise;
    return { outcome: transfer.outcome.promise };
  }

  async #runBot(call: HostedCall, { body, query, call: info }: ServeMessage): Promise<BotOutcome> {
    const { socket: websocket, abort } = call;
    try {
      await this.bot({ transport: 'carrier', websocket, body, query, call: info, signal: abort.signal });
      call.socket.wantForWords(); // before the runner learns that the bot is done, and would end the stream
      this.#report(call, 'bot_ended');
      call.socket.close(1000);
      return 'returned';
    } catch (error) {
      console.error(`bot failed in call ${call.id} (attempt ${call.attempt}):`, error);
      this.#report(call, 'bot_crashed');
      call.socket.close(FAILED);
      return 'threw';
    }
  }

  /** A far end that neither sends audio nor answers a ping is gone, though its connection was never closed. */
  #keepAlive(call: HostedCall, socket: CallSocket, connection: Socket): NodeJS.Timeout {
    let bytesRead = -1;
    let looks = 0;
    let inVain = 0;
    return setInterval(() => {
      const isQuiet = connection.bytesRead === bytesRead && !socket.isPaused;
      bytesRead = connection.bytesRead;
      inVain = isQuiet ? inVain + 1 : 0;
      looks += 1;
      if (inVain >= LOOKS_BEFORE_LOST) {
        this.#report(call, 'stream_lost');
        socket.terminate();
      } else if (inVain === LOOKS_BEFORE_PING || looks % LOOKS_PER_PING === 0) socket.ping();
    }, LOOK_EVERY_MS);
  }

  /** Only the first reason of a stream counts. It is sent before the socket closes, so the runner knows when the carrier asks. */
  #report(call: HostedCall, outcome: StreamOutcome): void {
    if (call.outcome) return;
    call.outcome = outcome;
    this.send({ type: 'stream_over', callId: call.id, outcome });
  }
}

function closed(socket: CallSocket): Promise<void> {
  if (socket.readyState === socket.CLOSED) return Promise.resolve();
  return new Promise((resolve) => socket.once('close', () => resolve()));
}
