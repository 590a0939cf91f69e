import { VoicebotError } from '../../../base/errors.js';
import type { OutboundCall } from '../../../call/call-port.js';
import type { RoomPast } from '../../../call/runner-link.js';
import type { DialoutAnsweredData } from '../../../call/transfer-outcome.js';
import type { DialoutData, RoomConnection } from '../../../providers/rooms/room-connection.js';
import { RequestLostError } from '../../../providers/rooms/room-refusal.js';
import type { RoomCall } from './room-call.js';

type Dialled = { readonly sessionId: string };

export interface DialoutActions {
  /** Waits until the bot is in the room. @throws when it will not be */
  entered(): Promise<RoomConnection>;
  /** @returns the number as it is to be dialled. @throws when it may not be called */
  checkTarget(to: string): Promise<string>;
  /** The provider refuses to call who the bot serves. */
  refused(): void;
  /** The call of an earlier bot, which this one goes on with, was answered before this one came. */
  wasAnswered(data: DialoutAnsweredData): void;
}

/** The calls that a bot makes out of its room. A provider need not say who has answered. */
export class Dialouts {
  readonly #byLeg = new Map<string, string>();
  #latest = '';
  /** Whom the provider may be calling: its answer to the request was lost. */
  readonly #uncertain = new Map<string, RequestLostError>();
  /** Whether the callee whom an earlier bot has dialled was there when we came. */
  #wasAnsweredBefore = false;
  /** What the next request is given in place of a call of its own. */
  #unclaimed: RoomPast['dialout'];

  /** @param past what an earlier bot has dialled */
  constructor(
    private readonly call: RoomCall,
    private readonly past: RoomPast['dialout'],
    private readonly actions: DialoutActions,
  ) {
    this.#unclaimed = past;
  }

  /** The bot is in the room: goes on with what an earlier one has dialled. */
  resume({ participants }: RoomConnection): void {
    if (!this.past) return;
    const { sessionId, isAnswered } = this.past;
    this.#wasAnsweredBefore = isAnswered || participants.has(sessionId);
    this.call.resume(sessionId, this.#wasAnsweredBefore);
  }

  /**
   * Calls no callee a second time whose first call may have gone out.
   * @param maybeServed whether this may be who the bot serves
   * @throws VoicebotError VB_ROOM_JOIN_FAILED, VB_STREAM_CLOSED, and what the runner or the provider refuses it with
   */
  async dial(target: OutboundCall, maybeServed: boolean): Promise<Dialled> {
    const to = target.phoneNumber ?? target.sipUri;
    const past = this.#unclaimed;
    this.#unclaimed = undefined;
    if (past) return this.#noted(to, () => this.#claim(past.sessionId));
    const dial = () => this.#noted(to, () => this.#place(target));
    if (!maybeServed || !this.call.isFree) {
      const dialled = await dial();
      this.call.alsoDialled(dialled.sessionId);
      return dialled;
    }
    return this.call.dial(dial).catch((error: unknown) => {
      if (error instanceof VoicebotError && error.code === 'VB_ROOMS_REQUEST_FAILED') this.actions.refused();
      throw error;
    });
  }

  /** @param data of the provider, which may come before it has named the leg */
  answered({ sessionId, destination }: DialoutData): DialoutAnsweredData {
    return { toEndPoint: destination ?? this.#byLeg.get(sessionId) ?? this.#latest, sessionId };
  }

  /** Only the call's bot that is in the room may call anybody. */
  async #place(target: OutboundCall): Promise<Dialled> {
    const connection = await this.actions.entered();
    const phoneNumber = target.phoneNumber && (await this.actions.checkTarget(target.phoneNumber));
    return connection.startDialout(phoneNumber ? { ...target, phoneNumber } : target);
  }

  async #claim(sessionId: string): Promise<Dialled> {
    await this.actions.entered();
    if (this.#wasAnsweredBefore) setImmediate(() => this.actions.wasAnswered(this.answered({ sessionId })));
    return { sessionId };
  }

  async #noted(to: string, dial: () => Promise<Dialled>): Promise<Dialled> {
    const earlier = this.#uncertain.get(to);
    if (earlier) throw earlier;
    this.#latest = to;
    try {
      const dialled = await dial();
      this.#byLeg.set(dialled.sessionId, to);
      return dialled;
    } catch (error) {
      if (error instanceof RequestLostError) this.#uncertain.set(to, error);
      throw error;
    }
  }
}
