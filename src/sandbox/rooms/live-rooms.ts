import { setMaxListeners } from 'node:events';
import { settlesWithin } from '../../base/async/deadline.js';
import type { Logger } from '../../base/logger.js';
import type { CallControlMethod, WireParticipant } from '../../providers/rooms/client-messages.js';
import type { IncomingLine, PhoneNetwork } from '../network/network.js';
import { RoomCallControl } from './call-control.js';
import type { LiveRooms, Presence, RoomAccount, RoomRecord, SandboxDialin } from './contract.js';
import type { DialinWebhooks } from './dialin-webhook.js';
import { CallerOnHold } from './held-caller.js';
import { notFound } from './refusals.js';
import type { RoomLines, TransferOrder } from './room-lines.js';
import { type Client, SandboxRoom } from './room-session.js';
import { TickStatistics, type TickSummary } from './tick-statistics.js';

/** Longest wait of `close` for work under way, in milliseconds. */
const CLOSE_TIMEOUT_MS = 1_000;

export interface SandboxLiveRoomsOptions {
  readonly account: RoomAccount;
  readonly network: Pick<PhoneNetwork, 'dialForeign' | 'speech' | 'clock'>;
  readonly webhooks: Pick<DialinWebhooks, 'send'>;
  readonly transferOrder: TransferOrder;
  /** Counts a dial-out that is being started. @throws RoomRefusal 429 when there have been too many */
  readonly takeDialout: () => void;
  /** Milliseconds since the epoch, for rooms and tokens that expire. */
  readonly now: () => number;
  readonly logger: Logger;
}

/** The sessions in the sandbox's rooms, and the callers who are held for one. One tick moves the audio of all sessions. */
export class SandboxLiveRooms implements LiveRooms {
  readonly #sessions = new Map<string, SandboxRoom>();
  readonly #held = new Map<string, CallerOnHold>();
  readonly #control: RoomCallControl;
  readonly #statistics = new TickStatistics();
  readonly #background = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  #stopTicks: (() => void) | undefined;

  constructor(private readonly options: SandboxLiveRoomsOptions) {
    setMaxListeners(0, this.#closing.signal); // one per webhook on its way
    const { account, network, takeDialout, transferOrder } = options;
    const lines: RoomLines = {
      account,
      network,
      transferOrder,
      takeDialout,
      sessionAt: (sipUri) => this.#sessionAt(sipUri),
      follow: (work) => this.#follow(work),
    };
    this.#control = new RoomCallControl(lines);
  }

  /** How long the ticks took that mix all rooms. */
  get mixing(): TickSummary {
    return this.#statistics.summary;
  }

  session(roomName: string): SandboxRoom | undefined {
    return this.#sessions.get(roomName);
  }

  /** Lets a client into a room, where a session begins if there is none. */
  enter(room: RoomRecord, client: Client, welcome: (others: readonly WireParticipant[]) => void): SandboxRoom {
    const session = this.#sessions.get(room.name) ?? this.#begin(room);
    session.enter(client, welcome);
    return session;
  }

  /** Handles calls to a number; undefined for a number that is not the account's. */
  lineOf(number: string): IncomingLine | undefined {
    const config = this.options.account.dialinOf(number);
    return config && ((call) => this.#holdCaller(new CallerOnHold(call, this.#heldCallerOptions(config))));
  }

  presence(roomName: string): readonly Presence[] | undefined {
    return this.#sessions
      .get(roomName)
      ?.participants.map(({ sessionId, userName, userId, joinedAt }) => ({ sessionId, userName, userId, joinedAt }));
  }

  async control(
    roomName: string,
    method: CallControlMethod,
    params: Readonly<Record<string, unknown>>,
  ): Promise<object> {
    const session = this.#sessions.get(roomName);
    if (!session) throw notFound('room is not hosting a call');
    return this.#control.perform(session, method, params);
  }

  async forward({ callId, callDomain, sipUri }: { callId: string; callDomain: string; sipUri: string }): Promise<void> {
    const held = this.#held.get(callId);
    const target = this.#sessionAt(sipUri);
    if (!held?.isHeld || callDomain !== this.options.account.domainId || !target) {
      throw notFound('call forwarding failed');
    }
    held.release();
    const { room } = target.session;
    held.call.progress({ hop: 'forward', ok: true, text: `forwarded to room ${room.name}` });
    target.session.admitCaller(held.call, target.endpoint);
  }

  end(roomName: string): void {
    this.#sessions.get(roomName)?.end('roomDeleted');
  }

  /** Ends all sessions; the network ends held callers. Resolves when all work is complete. */
  async close(): Promise<void> {
    for (const session of [...this.#sessions.values()]) session.end('roomOver');
    this.#closing.abort();
    await settlesWithin(Promise.all(this.#background), CLOSE_TIMEOUT_MS);
  }

  #heldCallerOptions(config: SandboxDialin): ConstructorParameters<typeof CallerOnHold>[1] {
    const { account, network, webhooks } = this.options;
    return {
      config,
      callDomain: account.domainId,
      speech: network.speech,
      tell: (body) => webhooks.send(config, body, this.#closing.signal),
    };
  }

  async #holdCaller(held: CallerOnHold): Promise<void> {
    this.#held.set(held.call.id, held);
    await held.run();
    this.#held.delete(held.call.id);
  }

  #sessionAt(sipUri: string): { session: SandboxRoom; endpoint: string } | undefined {
    const [endpoint = ''] = sipUri.replace(/^sip:/i, '').split(/[?;]/, 1);
    const room = this.options.account.roomAt(sipUri);
    const session = room && this.#sessions.get(room.name);
    return session?.isReady(endpoint) && session.hasFreeLine ? { session, endpoint } : undefined;
  }

  #begin(room: RoomRecord): SandboxRoom {
    const session = new SandboxRoom(room, () => {
      this.#sessions.delete(room.name);
      this.options.logger.info('room session ended');
      if (this.#sessions.size > 0) return;
      this.#stopTicks?.();
      this.#stopTicks = undefined;
    });
    this.#sessions.set(room.name, session);
    this.#stopTicks ??= this.options.network.clock.onTick(() => this.#tick());
    return session;
  }

  #tick(): void {
    const startedAt = performance.now();
    const now = this.options.now();
    for (const session of [...this.#sessions.values()]) session.tick(now);
    this.#statistics.add(performance.now() - startedAt);
  }

  #follow(work: Promise<void>): void {
    const followed = work
      .catch((error: unknown) => this.options.logger.error('call of a room failed', { error }))
      .finally(() => this.#background.delete(followed));
    this.#background.add(followed);
  }
}
