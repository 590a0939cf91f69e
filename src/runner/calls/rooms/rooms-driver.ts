import { z } from 'zod';
import { VoicebotError } from '../../../base/errors.js';
import { asCallId, type CallId } from '../../../call/call-id.js';
import type { CallRecord } from '../../../call/call-record.js';
import { normalisePhoneNumber } from '../../../call/phone-number.js';
import type { Browser } from '../../../providers/daily/client/browser.js';
import type { Room, RoomRequest, RoomsCredentials, RoomsRestClient } from '../../../providers/room-provider.js';
import { BOT_LEASE_MS, type ServeRoomMessage } from '../../bots/messages.js';
import { admitCall } from '../../dialing/admit.js';
import type { StartedCall, StartRequest } from '../../dialing/start-request.js';
import type { DialinCall } from '../../http/dialin-route.js';
import type { CallDriver, CallParts, DriverEffect, EffectOf } from '../life/call-driver.js';
import { type CallRegistry, newCallId } from '../life/call-registry.js';
import { forCall } from '../life/current-call.js';
import { type CallLife, newCall } from '../life/phase.js';
import { maybe, readPortable } from '../life/portable-life.js';
import { CallSupervisor, type CallSupervisorOptions } from '../life/supervisor.js';
import type { AdapterContext } from '../provider-adapter.js';
import { ROOM_IDLE_S, type RoomKeeper } from './room-keeper.js';

/** How much longer than its call a room may be open, in seconds: until the bot is there, and to say goodbye. */
const ROOM_SLACK_S = 120;
/**
 * How much earlier than the runner a bot takes it that the callee does not answer, in milliseconds: the bot is in the room, and knows
 * whether that is so.
 */
const RING_LEAD_MS = 1_000;
/** How long a call that was taken is remembered, in milliseconds: a webhook is no good for longer. */
const REMEMBERED_MS = 15 * 60_000;

/** The browser that a runner keeps: it is started and closed with it. */
export type RoomsBrowser = Pick<Browser, 'start' | 'open' | 'close' | 'pageCount' | 'maxPages'>;

export interface RoomsDriverOptions extends AdapterContext {
  credentials: RoomsCredentials;
  client: Pick<RoomsRestClient, 'createToken'>;
  keeper: RoomKeeper;
  /** Rooms are joined through it, a page for each bot. */
  browser?: RoomsBrowser | undefined;
  /** See {@link CallSupervisorOptions}. */
  onChanged?: CallSupervisorOptions['onChanged'];
  inDoubt?: CallSupervisorOptions['inDoubt'];
}

/** What a live call has in its room. */
interface RoomOfCall {
  readonly id: CallId;
  readonly isDialled: boolean;
  readonly body: Readonly<Record<string, unknown>>;
  /** Whom the bot is to call. */
  readonly phoneNumber: string | undefined;
  /** Seconds the call may last. */
  readonly limitS: number;
  room: (Room & { readonly token: string }) | undefined;
}

/** What another runner needs of a call beside its life; the room's token is made anew. */
const PARTS = z.object({
  isDialled: z.boolean(),
  body: z.record(z.string(), z.unknown()),
  phoneNumber: maybe(z.string()),
  limitS: z.number().min(0),
  room: maybe(z.object({ name: z.string(), url: z.url(), allowsDialout: z.boolean() })),
});

const withoutToken = ({ token: _, ...room }: Room & { readonly token: string }): Room => room;

/** The key is the runner's own, and written down nowhere. */
function withoutKey({ daily_api_key: _, ...body }: RoomOfCall['body']): RoomOfCall['body'] {
  return body;
}

/** Calls in rooms: webhooks become events, and effects become rooms. */
export class RoomsDriver implements CallDriver {
  readonly supervisor: CallSupervisor;
  readonly #rooms = new Map<CallId, RoomOfCall>();
  /** Calls that came in lately, by the provider's identifier; settles when the room is there. */
  readonly #taken = new Map<string, { readonly ready: Promise<void>; readonly at: number }>();

  constructor(private readonly options: RoomsDriverOptions) {
    this.supervisor = new CallSupervisor(this, options);
  }

  /**
   * A caller is held for us. Asking again gives the same.
   * @returns rejects when there will be no room, and with VB_BROWSER_FAILED when the browser has no page left for it; undefined when
   *   calls are turned away
   */
  take(call: DialinCall): Promise<void> | undefined {
    this.#forgetOld();
    const known = this.#taken.get(call.providerCallId);
    if (known) return known.ready;
    if (this.supervisor.isDraining) return undefined;
    const full = this.#fullBrowser();
    if (full) {
      this.options.turnedAway.warn(`call turned away: ${full}`, {});
      return Promise.reject(noPageLeft(full));
    }
    const ready = this.#receive(call);
    ready.catch(() => {}); // the webhook that brought the call is told
    this.#taken.set(call.providerCallId, { ready, at: performance.now() });
    return ready;
  }

  /**
   * Starts a bot that calls a number.
   * @throws VoicebotError VB_RUNNER_STOPPING, VB_BOT_LOAD_FAILED, VB_BROWSER_FAILED when the browser has no page left for it, VB_REQUEST_INVALID, VB_TARGET_REFUSED, VB_DIAL_LIMIT, VB_CLUSTER_UNREACHABLE, and what the
   *   provider's client throws
   */
  async dial({ phoneNumber: callee, body, parameters, traceparent, callId }: StartRequest): Promise<StartedCall> {
    const { checkTarget, registry, limits, phoneNumber: from = '', dialMaxSeconds, maxCallSeconds } = this.options;
    if (Object.keys(parameters).length > 0) {
      throw new VoicebotError('VB_REQUEST_INVALID', 'query parameters are for calls of a carrier', {
        hint: 'put custom data into body',
      });
    }
    const to = await checkTarget(callee, 'phone_number');
    const id = callId ?? newCallId();
    const place = await admitCall(limits, to, id, () => this.#checkTakesDialled());
    const limitS = Math.min(dialMaxSeconds, maxCallSeconds);
    const record = { id, direction: 'outbound', from, to, state: 'dialling' } as const;
    const call = this.#begin({ id, isDialled: true, body, phoneNumber: to, limitS }, record);
    if (traceparent !== undefined) registry.timelines.note(id, { type: 'trace', traceparent });
    registry.onceEnded(id, () => place.release(registry.talkedMs(id)));
    try {
      await this.options.sharing?.begun(id);
      await forCall(call.id, () => this.#openRoom(call, { allowsDialout: true }));
    } catch (error) {
      place.undo();
      this.supervisor.happen(id, { type: 'room_failed', reason: 'telephony_error' });
      throw error;
    }
    this.supervisor.happen(id, { type: 'room_opened' });
    return { callId: id, providerCallId: undefined };
  }

  carryOut({ terms }: CallLife, effect: DriverEffect): void {
    const { keeper } = this.options;
    const { id } = terms;
    const name = this.#rooms.get(id)?.room?.name;
    if (effect.do === 'end') this.#rooms.delete(id);
    else if (effect.do === 'check_target') void this.#checkTarget(id, effect);
    // A room that is not there yet is closed when it is.
    else if (effect.do === 'close_room' && name !== undefined) keeper.close(name);
    else if (effect.do === 'leave_room' && name !== undefined) keeper.leave(name);
  }

  serveMessage({ terms, room: done }: CallLife, record: CallRecord, effect: EffectOf<'serve_bot'>): ServeRoomMessage {
    const call = this.#rooms.get(terms.id);
    if (!call?.room) throw new Error(`call ${terms.id} has no room`);
    const { room, body, phoneNumber } = call;
    const { direction, from, to } = record;
    const { isForwarded, dialout, transfer } = done;
    return {
      type: 'serve_room',
      call: { id: terms.id, direction, from, isWithheld: from === undefined, to, attempt: effect.attempt },
      room_url: room.url,
      token: room.token,
      body,
      ...(phoneNumber !== undefined && { phone_number: phoneNumber }),
      past: { isForwarded, dialout, transfer },
      leaseMs: this.options.sharing && BOT_LEASE_MS,
      silenceMs: this.options.silenceSeconds * 1_000,
      ringMs: terms.ringMs - RING_LEAD_MS,
      limitMs: terms.lengthMs,
    };
  }

  partsOf(id: CallId): z.input<typeof PARTS> | undefined {
    const call = this.#rooms.get(id);
    if (!call) return undefined;
    const { isDialled, body, phoneNumber, limitS, room } = call;
    return { isDialled, body: withoutKey(body), phoneNumber, limitS, room: room && withoutToken(room) };
  }

  /** A call whose room is not there yet gets one now. */
  async restore(id: CallId, parts: CallParts): Promise<void> {
    const { isDialled, body, phoneNumber, limitS, room } = readPortable(PARTS, parts);
    const call: RoomOfCall = { id, isDialled, body: this.#withKey(body), phoneNumber, limitS, room: undefined };
    this.#rooms.set(id, call);
    this.#taken.set(id, { ready: Promise.resolve(), at: performance.now() });
    if (!room) return;
    const { keeper, client } = this.options;
    keeper.adopt(room.name);
    const expiresAt = Math.ceil(Date.now() / 1_000) + limitS + ROOM_SLACK_S;
    call.room = { ...room, token: await client.createToken({ roomName: room.name, isOwner: true, expiresAt }) };
  }

  /** The room of a call that another runner had was not there yet. */
  async reopen(id: CallId): Promise<void> {
    const call = this.#rooms.get(id);
    if (!call || call.room) return;
    try {
      await forCall(id, () => this.#openRoom(call, { dialin: { displayName: 'caller' }, allowsDialout: true }));
    } catch (error) {
      this.options.logger.error('no room for a call of another runner', { callId: id, error });
      this.supervisor.happen(id, { type: 'room_failed', reason: 'telephony_error' });
      return;
    }
    this.supervisor.happen(id, { type: 'room_opened' });
  }

  forget(id: CallId): void {
    const name = this.#rooms.get(id)?.room?.name;
    if (name !== undefined) this.options.keeper.leave(name);
    this.#rooms.delete(id);
    this.#taken.delete(id);
  }

  #withKey(body: RoomOfCall['body']): RoomOfCall['body'] {
    const { apiKey, apiUrl } = this.options.credentials;
    return 'dialin_settings' in body ? { ...body, daily_api_key: apiKey, daily_api_url: apiUrl } : body;
  }

  giveStream(): void {
    throw new Error('a bot in a room has no stream');
  }

  #checkTakesDialled(): void {
    if (this.supervisor.isDraining) throw new VoicebotError('VB_RUNNER_STOPPING', 'it takes no new calls');
    if (this.options.pool.problem) throw this.options.pool.problem;
    const full = this.#fullBrowser();
    if (full) throw noPageLeft(full);
  }

  async #receive({ providerCallId, callDomain, from, to, sipHeaders }: DialinCall): Promise<void> {
    const id = asCallId(providerCallId);
    const { credentials, maxCallSeconds, pool, logger } = this.options;
    const numbers = { from: from === undefined ? undefined : normalisePhoneNumber(from), to: normalisePhoneNumber(to) };
    const body = {
      dialin_settings: {
        call_id: providerCallId,
        call_domain: callDomain,
        From: from ?? '',
        To: to,
        ...(sipHeaders && { sip_headers: sipHeaders }),
      },
      daily_api_key: credentials.apiKey,
      daily_api_url: credentials.apiUrl,
    };
    const record = { id, providerCallId, direction: 'inbound', ...numbers, state: 'ringing' } as const;
    const call = this.#begin({ id, isDialled: false, body, phoneNumber: undefined, limitS: maxCallSeconds }, record);
    this.supervisor.happen(id, { type: 'caller_held' });
    const { problem } = pool;
    if (problem) {
      logger.error('no bot can be loaded for a call, which is left to the provider', { callId: id, error: problem });
      this.supervisor.happen(id, { type: 'room_failed', reason: 'no_bot' });
      throw problem;
    }
    try {
      await forCall(call.id, () =>
        this.#openRoom(call, { dialin: { displayName: numbers.from || 'caller' }, allowsDialout: true }),
      );
    } catch (error) {
      logger.error('no room for a caller, who is left to the provider', { callId: id, error });
      this.supervisor.happen(id, { type: 'room_failed', reason: 'telephony_error' });
      throw error;
    }
    this.supervisor.happen(id, { type: 'room_opened' });
  }

  #begin(call: Omit<RoomOfCall, 'room'>, record: Parameters<CallRegistry['open']>[0]): RoomOfCall {
    const { ringSeconds, operatorNumber } = this.options;
    const { id, isDialled, phoneNumber, limitS } = call;
    const begun: RoomOfCall = { ...call, room: undefined };
    this.#rooms.set(id, begun);
    const terms = {
      id,
      media: 'room',
      isDialled,
      isTunnelled: false,
      lengthMs: limitS * 1_000,
      ringMs: ringSeconds * 1_000,
      endsOnMachine: false,
      operatorNumber,
      phoneNumber,
    } as const;
    this.supervisor.open(newCall(terms, { is: 'opening_room' }), record);
    return begun;
  }

  async #openRoom(call: RoomOfCall, request: Pick<RoomRequest, 'dialin' | 'allowsDialout'>): Promise<void> {
    const { keeper, client, ringSeconds } = this.options;
    const lastsS = call.limitS + ROOM_SLACK_S + (call.isDialled ? ringSeconds : 0);
    const expiresAt = Math.ceil(Date.now() / 1_000) + lastsS;
    const room = await keeper.open({ ...request, expiresAt, idleSeconds: ROOM_IDLE_S });
    try {
      const token = await client.createToken({ roomName: room.name, isOwner: true, expiresAt });
      call.room = { ...room, token };
    } catch (error) {
      keeper.close(room.name);
      throw error;
    }
    if (this.#rooms.get(call.id) !== call) keeper.close(room.name); // the runner has stopped meanwhile
  }

  async #checkTarget(id: CallId, { bot, request, to }: EffectOf<'check_target'>): Promise<void> {
    const answer = { type: 'target_checked', bot, request } as const;
    try {
      const target = await this.options.checkTarget(to, 'the number');
      this.supervisor.happen(id, { ...answer, to: target });
    } catch (error) {
      const problem = VoicebotError.fieldsOf(error, 'VB_TARGET_REFUSED');
      this.supervisor.happen(id, { ...answer, problem });
    }
  }

  /** What keeps another call from having a page; undefined when nothing does. A page is opened some time after its call has begun. */
  #fullBrowser(): string | undefined {
    const { browser } = this.options;
    if (!browser || Math.max(this.supervisor.count, browser.pageCount) < browser.maxPages) return undefined;
    return `the browser is full (VOICEBOT_BROWSER_PAGES is ${browser.maxPages})`;
  }

  #forgetOld(): void {
    const now = performance.now();
    for (const [id, { at }] of this.#taken) {
      if (now - at < REMEMBERED_MS) return;
      if (!this.#rooms.has(id)) this.#taken.delete(id);
    }
  }
}

const noPageLeft = (detail: string) =>
  new VoicebotError('VB_BROWSER_FAILED', detail, {
    hint: 'raise VOICEBOT_BROWSER_PAGES, or try again when a call is over',
  });
