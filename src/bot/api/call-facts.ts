import { EventEmitter } from 'node:events';
import type { CallDirection } from '../../call/call.js';
import type { RunnerArguments } from '../../call/runner-arguments.js';
import type { CallEvents } from './call-events.js';

/** What a bot is told about its call, which does not change. */
export abstract class CallFacts extends EventEmitter<CallEvents> {
  /** The runner's identifier of the call, as in `voicebot calls`. */
  readonly id: string;
  readonly direction: CallDirection;
  /** E.164 where the provider gave a telephone number, otherwise as received. */
  readonly from: string | undefined;
  /** The caller's number is withheld or not known: `from` is undefined. Never of a dialled call. */
  readonly isWithheld: boolean;
  readonly to: string;
  /** 1 for the first bot of this call; 2 and 3 when an earlier one crashed or hung. */
  readonly attempt: number;
  /** How often a lost tunnel has cut the caller off from a bot. */
  readonly reconnects: number;
  /** The call whose bot has dialled this one beside it, by `consult`; undefined in all others. */
  readonly linkedTo: string | undefined;
  /** Custom parameters of a call over a carrier, such as `campaign_id`; `{}` in a room. */
  readonly query: Readonly<Record<string, string>>;

  /** @internal */
  constructor(args: RunnerArguments) {
    super();
    const { call } = args;
    this.id = call.id;
    this.direction = call.direction;
    this.from = call.from;
    this.isWithheld = call.isWithheld;
    this.to = call.to;
    this.attempt = call.attempt;
    this.reconnects = call.reconnects ?? 0;
    this.linkedTo = call.linkedTo;
    this.query = args.transport === 'carrier' ? args.query : {};
  }

  /** Of the other party; empty where it is withheld. @internal */
  get number(): string {
    return this.direction === 'outbound' ? this.to : (this.from ?? '');
  }
}
