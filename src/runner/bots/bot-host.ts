import type { Socket } from 'node:net';
import type { CallId } from '../../call/call-id.js';
import type { BotFunction } from '../../call/runner-arguments.js';
import type { Tracing } from '../tracing/tracing.js';
import type { HostedCall, Hosting } from './hosted-call.js';
import { HostedLegRoom, HostedLegStream } from './hosted-leg.js';
import { HostedRoom } from './hosted-room.js';
import { HostedStream } from './hosted-stream.js';
import type { MessageFromBot, OfCall, ServedCall, ServeMessage, ServeRoomMessage, ToBot } from './messages.js';

/** The calls of one bot process, each with its bot. */
export class BotHost {
  readonly #calls = new Map<CallId, HostedCall>();
  readonly #hosting: Hosting;

  /**
   * @param send tells the runner
   * @param isOrphan whether the runner is gone: the bot process alone keeps the limits of calls then
   * @param tracing where the bot file has set up OpenTelemetry
   */
  constructor(
    bot: BotFunction,
    send: (message: MessageFromBot) => void,
    isOrphan: () => boolean = () => false,
    tracing?: Tracing,
  ) {
    this.#hosting = { bot, send, isOrphan, tracing, removeRecordings: (call) => this.#removeRecordings(call) };
  }

  /** Calls whose bot function has not settled. */
  get callCount(): number {
    return this.#calls.size;
  }

  /**
   * Starts a bot for a call, or hands the message to the one that has the call.
   * @param socket the stream that comes with `stream`
   */
  receive(message: OfCall<ToBot>, socket?: Socket): void {
    const call = this.#calls.get(message.callId);
    if (message.type === 'stream') this.#hosting.send({ type: 'socket_received', callId: message.callId });
    if (message.type === 'serve_room' || (message.type === 'serve' && !(message.comeback && call)))
      this.#serve(message);
    else if (call) call.receive(message, socket);
    else socket?.destroy();
  }

  #serve(message: OfCall<ServeMessage | ServeRoomMessage>): void {
    const { callId, call } = message;
    const hosting = this.#hosting;
    const isRoom = message.type === 'serve_room';
    if (call.linkedTo === undefined) {
      void this.#run(isRoom ? new HostedRoom(message, hosting) : new HostedStream(message, hosting), message);
      return;
    }
    const legs = this.#calls.get(call.linkedTo as CallId)?.legs;
    if (legs)
      void this.#run(
        isRoom ? new HostedLegRoom(message, hosting, legs) : new HostedLegStream(message, hosting, legs),
        message,
      );
    else this.#hosting.send({ type: 'call_done', callId, outcome: 'lost' }); // its bot has left meanwhile
  }

  /** Each of them has those removed that are linked with it. */
  #removeRecordings(of: ServedCall): void {
    for (const call of this.#calls.values()) {
      try {
        if (call.isBy(of)) call.removeRecording();
      } catch {} // the runner, which is told, tries again
    }
  }

  /** Asks every bot to end its call. */
  stop(): void {
    for (const call of this.#calls.values()) call.end();
  }

  runnerGone(): void {
    for (const call of this.#calls.values()) call.runnerGone();
  }

  async #run(call: HostedCall, { callId, limitMs }: { callId: CallId; limitMs: number }): Promise<void> {
    this.#calls.set(callId, call);
    const outcome = await call.run(limitMs);
    this.#calls.delete(callId);
    this.#hosting.send({ type: 'call_done', callId, outcome, ...(call.thrown && { errorType: call.thrown }) });
  }
}
