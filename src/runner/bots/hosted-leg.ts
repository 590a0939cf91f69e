import { type Deferred, deferred } from '../../base/async/deferred.js';
import { reportException } from '../../base/exception/report-exception.js';
import type { RunnerArguments } from '../../call/runner-arguments.js';
import type { ConsultedLegs } from './consulted-legs.js';
import type { Hosting } from './hosted-call.js';
import { HostedRoom } from './hosted-room.js';
import { HostedStream } from './hosted-stream.js';
import type { BotOutcome, ServedCall, ServeMessage, ServeRoomMessage } from './messages.js';

/** Longest wait for a bot to be out of a room that it was asked to leave, in milliseconds. */
const LEAVE_LIMIT_MS = 5_000;

/** A call on a media stream that was dialled beside another one: the bot of that one has it. */
export class HostedLegStream extends HostedStream {
  /** @param legs of the other call */
  constructor(message: ServeMessage, hosting: Hosting, legs: ConsultedLegs) {
    super(message, { ...hosting, bot: (args) => this.#serve(args, legs) });
  }

  /** Stands in the place of the bot function: settles when the bot is done with the call, or the call is over. */
  async #serve(args: RunnerArguments, legs: ConsultedLegs): Promise<void> {
    const done = deferred();
    args.signal.addEventListener('abort', () => done.resolve(), { once: true });
    await hosted(this.call, args, legs, {
      done,
      end: () => done.resolve(),
      leave: () => {
        this.threw();
        done.resolve();
      },
    });
  }
}

/**
 * The same in a room, which the other call's bot joins once more, to dial out of it: what it is given as reached is the way to do so. It is
 * asked to end, and says that it is done when it is out of the room.
 */
export class HostedLegRoom extends HostedRoom {
  /** Its bot has failed: the runner has the next one take it on. */
  #isLeft = false;

  /** @param legs of the other call */
  constructor(message: ServeRoomMessage, hosting: Hosting, legs: ConsultedLegs) {
    super(message, { ...hosting, bot: (args) => this.#serve(args, legs) });
  }

  override async run(limitMs: number): Promise<BotOutcome> {
    const outcome = await super.run(limitMs);
    return this.#isLeft ? 'threw' : outcome;
  }

  async #serve(args: RunnerArguments, legs: ConsultedLegs): Promise<void> {
    const done = deferred();
    const late = () => setTimeout(() => done.resolve(), LEAVE_LIMIT_MS).unref();
    args.signal.addEventListener('abort', late, { once: true });
    const leave = () => {
      this.#isLeft = true;
      this.threw();
    };
    await hosted(this.call, args, legs, { done, end: () => this.end(), leave });
    this.end(); // its limits in the room are over
  }
}

interface ServedLeg {
  /** Resolved when the bot says that it is done. */
  readonly done: Deferred<void>;
  readonly end: () => void;
  readonly leave: () => void;
}

/** The bot has it until it is done. */
async function hosted(call: ServedCall, args: RunnerArguments, legs: ConsultedLegs, serving: ServedLeg): Promise<void> {
  const { id, attempt } = call;
  const { done, end, leave } = serving;
  const report = (error: unknown) =>
    reportException(`bot failed in call ${id} (attempt ${attempt})`, error, { callId: id, isFatal: false });
  const reached = {
    args,
    done: (error?: unknown) => {
      if (error !== undefined) report(error);
      done.resolve();
    },
  };
  const unhost = legs.host(id, { reached, end, leave });
  if (legs.isLeft) done.resolve(); // there is no bot to say so
  await done.promise;
  unhost();
}
