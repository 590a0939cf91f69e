import { type Deferred, deferred } from '../../base/async/deferred.js';
import { VoicebotError } from '../../base/errors.js';
import type { CallInfo, EndReason } from '../../call/call.js';
import type { ConsultLeg, ConsultRequest, LostLeg, ReachedLeg } from '../../call/consult.js';
import type { FromBot, ToBot } from './messages.js';

/** The bot's side of a call that was dialled beside its own. */
export interface HostedLeg {
  /** Its media, until the bot is done with it. */
  readonly reached: ReachedLeg;
  /** The bot wants it ended. */
  end(): void;
  /** Its bot is gone: another one is to have it. */
  leave(): void;
}

interface AwaitedLeg {
  /** What the bot waits for: the media, or the end. */
  readonly waiting: Deferred<ReachedLeg | LostLeg>;
  isSettled: boolean;
}

export interface ConsultedLegsOptions {
  readonly tell: (message: FromBot) => void;
  /** Whether the runner is gone: it was the one to dial. */
  readonly isOrphan: () => boolean;
}

/** The calls that a bot has had dialled beside its own: what it waits for, and what has come. Lives in the bot's process. */
export class ConsultedLegs {
  readonly #asked = new Map<number, Deferred<ConsultLeg>>();
  readonly #legs = new Map<string, AwaitedLeg>();
  /** Those whose media is here. */
  readonly #hosted = new Map<string, HostedLeg>();
  #requests = 0;
  #isOver = false;
  /** The bot is done with all of them, and another one is to have them, or not. */
  #left: 'leave' | 'end' | undefined;

  constructor(private readonly options: ConsultedLegsOptions) {}

  /** As `CallRunnerLink.consult`. */
  async consult(request: ConsultRequest): Promise<ConsultLeg> {
    if (this.#isOver) throw callIsOver();
    if (this.options.isOrphan()) throw runnerIsGone();
    this.#requests += 1;
    const requestId = this.#requests;
    const answer = deferred<ConsultLeg>();
    this.#asked.set(requestId, answer);
    this.options.tell({ type: 'consult', requestId, ...request });
    return await answer.promise;
  }

  /** What the runner tells about them. */
  hear(message: Extract<ToBot, { type: 'consult_answer' | 'leg_lost' }>): void {
    if (message.type === 'leg_lost') {
      this.#settle(message.legId, { reason: message.reason });
      return;
    }
    const { requestId, leg, problem } = message;
    const answer = this.#asked.get(requestId);
    this.#asked.delete(requestId);
    if (leg) this.#named(leg, answer);
    else answer?.reject(problem ? VoicebotError.revive(problem) : callIsOver());
  }

  /** The media of one is here. @returns undoes it */
  host(id: string, leg: HostedLeg): () => void {
    this.#hosted.set(id, leg);
    this.#settle(id, leg.reached);
    if (this.#left) leg[this.#left](); // it comes too late for this bot
    return () => {
      if (this.#hosted.get(id) !== leg) return;
      this.#hosted.delete(id);
      this.#legs.delete(id);
    };
  }

  /** The runner is gone: what it was to bring will not come any more. */
  runnerGone(): void {
    this.#refuse(runnerIsGone(), 'runner_stopped');
  }

  /** The bot's own call is over, or another bot has it. */
  over(): void {
    this.#isOver = true;
    this.#refuse(callIsOver(), 'bot_ended');
  }

  /** Whether the bot has left those that come now. */
  get isLeft(): boolean {
    return this.#left !== undefined;
  }

  /** The bot is done. @param goesOn another one is to have its call, and those beside it */
  left(goesOn: boolean): void {
    this.over();
    if (this.options.isOrphan()) return; // no other bot is there for them: the bot ends them at the carrier
    const how = goesOn ? 'leave' : 'end';
    this.#left ??= how;
    for (const leg of this.#hosted.values()) leg[how]();
  }

  /** In the same turn: that it is over may be the next message, before the code that waits for the name goes on. */
  #named(call: CallInfo, answer: Deferred<ConsultLeg> | undefined): void {
    if (!answer) return;
    try {
      answer.resolve(this.#legOf(call));
    } catch (error) {
      answer.reject(error);
    }
  }

  #legOf(call: CallInfo): ConsultLeg {
    const { id } = call;
    const known = this.#legs.get(id);
    if (known) {
      throw new VoicebotError('VB_REQUEST_INVALID', 'this number is being called, or on the line, beside the call', {
        hint: 'wait for the first request, or end what came of it',
      });
    }
    const leg: AwaitedLeg = { waiting: deferred(), isSettled: false };
    this.#legs.set(id, leg);
    const hosted = this.#hosted.get(id);
    if (hosted) this.#settle(id, hosted.reached);
    return { call, reached: leg.waiting.promise, end: () => this.#end(id) };
  }

  #end(id: string): void {
    const hosted = this.#hosted.get(id);
    if (hosted) hosted.end();
    else if (!this.#legs.get(id)?.isSettled) this.options.tell({ type: 'end_leg', legId: id });
  }

  #settle(id: string, outcome: ReachedLeg | LostLeg): void {
    const leg = this.#legs.get(id);
    if (!leg || leg.isSettled) return;
    leg.isSettled = true;
    leg.waiting.resolve(outcome);
    if ('reason' in outcome) this.#legs.delete(id);
  }

  #refuse(error: VoicebotError, reason: EndReason): void {
    for (const answer of this.#asked.values()) answer.reject(error);
    this.#asked.clear();
    for (const id of [...this.#legs.keys()]) this.#settle(id, { reason });
  }
}

const callIsOver = () => new VoicebotError('VB_STREAM_CLOSED', 'the call is over');
const runnerIsGone = () => new VoicebotError('VB_RUNNER_STOPPING', 'the runner that would dial is gone');
