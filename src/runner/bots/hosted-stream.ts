import type { Socket } from 'node:net';
import { WebSocket } from 'ws';
import { settlesWithin } from '../../base/async/deadline.js';
import { type Deferred, deferred } from '../../base/async/deferred.js';
import { type ErrorFields, VoicebotError } from '../../base/errors.js';
import type { CarrierRunnerArguments } from '../../call/runner-arguments.js';
import { type LinkedOutcome, linkRunner } from '../../call/runner-link.js';
import { SilenceWatch } from '../../call/silence-watch.js';
import { carrierByName } from '../../providers/registry/carriers.js';
import { CallSocket } from './call-socket.js';
import { HostedCall, type Hosting } from './hosted-call.js';
import type { ServeMessage, StreamOutcome, ToBot } from './messages.js';
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

interface AskedTransfer {
  /** Settles when the carrier has taken it, or the runner or the carrier refused. */
  readonly answer: Deferred<void>;
  readonly outcome: Deferred<LinkedOutcome>;
  /** The carrier has taken it: the stream may be closed without ending the call. */
  isAccepted: boolean;
}

/** A bot's call on a carrier's media stream. The bot says `reading` when it listens, and is given the stream then. */
export class HostedStream extends HostedCall {
  #socket: CallSocket;
  /** Begins to look after the current stream when it is connected. */
  #watch: (connection: Socket) => void = () => {};
  #unlink: () => void = () => {};
  #streamNo: number | undefined;
  /** How the current stream ended. */
  #outcome: StreamOutcome | undefined;
  #transfer: AskedTransfer | undefined;

  constructor(
    private readonly message: ServeMessage,
    hosting: Hosting,
  ) {
    super(message, hosting);
    this.#streamNo = message.streamNo;
    this.#socket = this.#createSocket(message);
  }

  /** A stream that has not come yet will not come any more. */
  override runnerGone(): void {
    super.runnerGone();
    if (!this.#socket.isConnected || this.#isUnanswered) this.callOver();
    if (!this.#transfer || this.#transfer.isAccepted) return;
    this.#transfer.answer.reject(runnerIsGone());
    this.#transfer = undefined;
  }

  /** The carrier's news of the caller decides about any other end. */
  protected get isEndedByBot(): boolean {
    return this.#outcome === 'bot_ended' || this.#outcome === 'transferring';
  }

  protected arguments(): CarrierRunnerArguments {
    const { body, query, call } = this.message;
    return { transport: 'carrier', websocket: this.#socket, body, query, call, signal: this.abort.signal };
  }

  protected returned(): void {
    this.#socket.wantForWords(); // before the runner learns that the bot is done, and would end the stream
    this.#report('bot_ended');
    this.#socket.close(1000);
  }

  protected threw(): void {
    this.#report('bot_crashed');
    this.#socket.close(FAILED);
  }

  /** Lets go of a stream that the carrier has left open. */
  protected override callOver(): void {
    this.#transfer?.answer.reject(new VoicebotError('VB_TRANSFER_FAILED', 'the call is over'));
    this.#transfer?.outcome.resolve({ status: 'caller_left' });
    const isClosed = this.#socket.readyState === WebSocket.CLOSED;
    this.#socket.terminate();
    if (isClosed || this.#outcome === 'transferring') this.#callOverSoon();
  }

  /** The bot that waits for what becomes of its transfer learns it first, and need not hang up. */
  #callOverSoon(): void {
    setImmediate(() => super.callOver());
  }

  protected abandon(): void {
    this.#report('bot_timeout');
    this.legs.left(true);
    this.#socket.terminate();
    this.end();
  }

  /** The stream is closed, which ends the call. */
  protected override goodbyeOver(): void {
    this.#socket.terminate();
  }

  protected hear(message: ToBot, socket?: Socket): void {
    if (message.type === 'serve') this.#resume(message);
    else if (message.type === 'stream') this.#connect(socket, Buffer.from(message.head, 'base64'));
    else if (message.type === 'transfer_over') this.#transfer?.outcome.resolve(message.outcome);
    else if (message.type === 'transfer_answer') this.#transferAnswered(message.problem);
  }

  protected async letGo(): Promise<void> {
    const socket = this.#socket;
    socket.resume(); // a bot that never read would not see the far end's close
    if (!(await settlesWithin(closed(socket), CLOSE_LIMIT_MS))) socket.terminate();
    this.#unlink();
  }

  /** @param head what has come on the stream already */
  #connect(connection: Socket | undefined, head: Buffer): void {
    connection?.on('error', () => {}); // a broken peer shows as a close
    if (this.#socket.readyState === WebSocket.OPEN && connection && !connection.destroyed) {
      this.#watch(this.#socket.connect(connection, head));
      return;
    }
    connection?.destroy();
    this.#report('far_end');
    this.#socket.terminate();
  }

  /** The caller is back after a transfer that came to nothing. */
  #resume({ comeback, ...message }: ServeMessage): void {
    const transfer = this.#transfer;
    const before = this.#socket;
    this.#unlink();
    this.#outcome = undefined;
    this.#streamNo = message.streamNo;
    this.#transfer = undefined;
    this.#socket = this.#createSocket(message);
    before.terminate(); // its end may not have been seen yet, and says nothing of the next stream
    if (comeback) transfer?.outcome.resolve({ ...comeback, websocket: this.#socket });
  }

  /** For a stream of the call: links it with the runner, and tells that when it is wanted and over. */
  #createSocket({ carrier, providerCallId, silenceMs, failedTransfer }: Omit<ServeMessage, 'comeback'>): CallSocket {
    const socket = new CallSocket();
    socket.carrier = carrier;
    socket.providerCallId = providerCallId;
    this.#unlink = linkRunner(
      { websocket: socket },
      {
        ...this.link,
        failedTransfer,
        account: this.message.account,
        transfer: (to) => this.#askForTransfer(to),
        cannotRead: (error) => this.cannotRead(error),
        endsFor: (reason) => this.tell({ type: 'ends_for', reason }),
      },
    );
    socket.onWanted = () => this.tell({ type: 'reading' });
    socket.onClosedByBot = (code) => {
      if (this.#socket === socket) this.#reportClosed(code === FAILED ? 'bot_crashed' : 'bot_ended');
    };
    socket.on('error', () => {}); // a broken peer shows as a close
    socket.on('ping', (data) => socket.answerPing(data));
    let ping: NodeJS.Timeout | undefined;
    const silence = new SilenceWatch({
      limitMs: silenceMs,
      onSilence: () => {
        this.tell({ type: 'silent' });
        this.limitReached();
      },
    });
    this.#watch = (connection) => {
      ping = this.#keepAlive(socket, connection);
      if (silenceMs <= 0) return;
      silence.start();
      const activity = new StreamActivity(carrierByName(carrier), connection, silence);
      socket.onHeard = (message) => activity.hear(message);
    };
    socket.once('close', () => {
      clearInterval(ping);
      silence.stop();
      if (this.#socket !== socket) return;
      this.#reportClosed('far_end');
      const isWaiting = this.#isUnanswered && !this.hosting.isOrphan();
      if (this.#outcome !== 'transferring' && !isWaiting) super.callOver();
    });
    return socket;
  }

  /** The carrier has closed the stream, and not answered whether it transfers the call: some do so in this order. */
  get #isUnanswered(): boolean {
    const isClosed = this.#outcome === 'far_end' || this.#outcome === 'stream_lost';
    return isClosed && this.#transfer !== undefined;
  }

  async #askForTransfer(to: string): Promise<{ outcome: Promise<LinkedOutcome> }> {
    if (this.hosting.isOrphan()) throw runnerIsGone();
    if (this.#transfer) throw new VoicebotError('VB_TRANSFER_FAILED', 'one is already going on');
    const transfer: AskedTransfer = { answer: deferred(), outcome: deferred(), isAccepted: false };
    this.#transfer = transfer;
    this.tell({ type: 'transfer', to });
    await transfer.answer.promise;
    return { outcome: transfer.outcome.promise };
  }

  /** A far end that neither sends audio nor answers a ping is gone, though its connection was never closed. */
  #keepAlive(socket: CallSocket, connection: Socket): NodeJS.Timeout {
    let bytesRead = -1;
    let looks = 0;
    let inVain = 0;
    return setInterval(() => {
      const isQuiet = connection.bytesRead === bytesRead && !socket.isPaused;
      bytesRead = connection.bytesRead;
      inVain = isQuiet ? inVain + 1 : 0;
      looks += 1;
      if (inVain >= LOOKS_BEFORE_LOST) {
        this.#report('stream_lost');
        socket.terminate();
      } else if (inVain === LOOKS_BEFORE_PING || looks % LOOKS_PER_PING === 0) socket.ping();
    }, LOOK_EVERY_MS);
  }

  #transferAnswered(problem: ErrorFields | undefined): void {
    if (!this.#transfer) return;
    const { answer } = this.#transfer;
    if (problem) {
      if (this.#isUnanswered) this.#callOverSoon();
      this.#transfer = undefined;
      answer.reject(VoicebotError.revive(problem));
    } else {
      if (this.#isUnanswered) this.#outcome = 'transferring';
      this.#transfer.isAccepted = true;
      answer.resolve();
    }
  }

  /** While a transfer is on, the carrier closes in its own time: whichever side was first, the call goes on. */
  #reportClosed(outcome: StreamOutcome): void {
    this.#report(this.#transfer?.isAccepted ? 'transferring' : outcome);
  }

  /** Only the first reason of a stream counts. It is sent before the socket closes, so the runner knows when the carrier asks. */
  #report(outcome: StreamOutcome): void {
    if (this.#outcome) return;
    this.#outcome = outcome;
    this.tell({ type: 'stream_over', outcome, streamNo: this.#streamNo });
  }
}

const runnerIsGone = () => new VoicebotError('VB_RUNNER_STOPPING', 'the runner that has callers transferred is gone');

function closed(socket: CallSocket): Promise<void> {
  if (socket.readyState === socket.CLOSED) return Promise.resolve();
  return new Promise((resolve) => socket.once('close', () => resolve()));
}
