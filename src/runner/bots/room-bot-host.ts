import { settlesWithin } from '../../async/deadline.js';
import { type Deferred, deferred } from '../../async/deferred.js';
import { isRoomsDialinRequest, withHiddenKey } from '../../call/rooms-dialin-request.js';
import type { BotFunction, RoomsRunnerArguments } from '../../call/runner-arguments.js';
import { linkRunner, type RoomNews } from '../../call/runner-link.js';
import { VoicebotError } from '../../errors.js';
import {
  type BotOutcome,
  type MessageFromBot,
  type MessageToBot,
  SETTLE_LIMIT_MS,
  type ServeRoomMessage,
} from './messages.js';

interface HostedRoomCall {
  readonly abort: AbortController;
  /** The call is over as far as its bot can know. */
  readonly over: Deferred<void>;
  /** Another bot has it now. */
  isReplaced: boolean;
  /** Numbers that the runner has been asked about, by request. */
  readonly asked: Map<number, Deferred<string>>;
}

/** Runs the bot function for calls in media rooms. Lives in the bot's process. */
export class RoomBotHost {
  readonly #calls = new Map<string, HostedRoomCall>();
  #requests = 0;

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

  serve(message: ServeRoomMessage): void {
    void this.#run(message);
  }

  /** Everybody has left. */
  callOver(callId: string): void {
    const call = this.#calls.get(callId);
    call?.abort.abort();
    call?.over.resolve();
  }

  /** Another bot takes the call over, in the same room. */
  abandon(callId: string): void {
    const call = this.#calls.get(callId);
    if (call) call.isReplaced = true;
    this.callOver(callId);
  }

  /** Asks the call's bot to end it. */
  end(callId: string): void {
    this.#calls.get(callId)?.abort.abort();
  }

  /** Asks every bot to end its call. */
  stop(): void {
    for (const callId of this.#calls.keys()) this.end(callId);
  }

  targetAnswer({ callId, requestId, to, problem }: Extract<MessageToBot, { type: 'target_answer' }>): void {
    const asked = this.#calls.get(callId)?.asked.get(requestId);
    if (problem) asked?.reject(VoicebotError.revive(problem));
    else asked?.resolve(to ?? '');
  }

  async #run(message: ServeRoomMessage): Promise<void> {
    const { room_url, token, past, silenceMs, limitMs } = message;
    const { id } = message.call;
    const call: HostedRoomCall = {
      abort: new AbortController(),
      over: deferred(),
      isReplaced: false,
      asked: new Map(),
    };
    this.#calls.set(id, call);
    const unlink = linkRunner(
      { roomUrl: room_url, token },
      {
        past,
        silenceMs,
        isReplaced: () => call.isReplaced,
        checkTarget: (to) => this.#checkTarget(id, call, to),
        tell: (news) => this.#told(id, call, news),
      },
    );
    const limit = setTimeout(() => this.#onLimit(call), limitMs);
    const settled = this.#runBot(message, call);
    await Promise.race([settled, call.over.promise]);
    clearTimeout(limit);
    if (!(await settlesWithin(settled, SETTLE_LIMIT_MS))) {
      console.error(`bot of call ${id} has not returned ${SETTLE_LIMIT_MS / 1_000} s after the end of the call`);
    }
    unlink();
    this.#calls.delete(id);
    this.send({ type: 'call_done', callId: id, outcome: await Promise.race([settled, 'threw' as const]) });
  }

  async #runBot(message: ServeRoomMessage, hosted: HostedRoomCall): Promise<BotOutcome> {
    const { abort } = hosted;
    const { call, room_url, token, body, phone_number } = message;
    const args: RoomsRunnerArguments = {
      transport: 'rooms',
      room_url,
      token,
      body: isRoomsDialinRequest(body) ? withHiddenKey(body) : body,
      ...(phone_number !== undefined && { phone_number }),
      call,
      signal: abort.signal,
    };
    try {
      await this.bot(args);
      return 'returned';
    } catch (error) {
      console.error(`bot failed in call ${call.id} (attempt ${call.attempt}):`, error);
      hosted.isReplaced = true;
      abort.abort(); // what it has left running leaves the caller to the next bot
      return 'threw';
    }
  }

  #told(callId: string, call: HostedRoomCall, news: RoomNews): void {
    if (news.type === 'silent') this.#onLimit(call);
    if (!call.isReplaced) this.send({ type: 'room_news', callId, news });
  }

  /** The runner ends calls at their limits; when it is gone, the bot is asked to from here. The room's own end holds besides. */
  #onLimit(call: HostedRoomCall): void {
    if (this.isOrphan()) call.abort.abort();
  }

  async #checkTarget(callId: string, { asked }: HostedRoomCall, to: string): Promise<string> {
    if (this.isOrphan()) {
      throw new VoicebotError('VB_TARGET_REFUSED', 'the runner that decides where calls may go is gone');
    }
    this.#requests += 1;
    const requestId = this.#requests;
    const answer = deferred<string>();
    asked.set(requestId, answer);
    this.send({ type: 'check_target', callId, requestId, to });
    return answer.promise.finally(() => asked.delete(requestId));
  }
}
