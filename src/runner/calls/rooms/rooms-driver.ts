import type { z } from 'zod';
import { VoicebotError } from '../../../base/errors.js';
import { asCallId, type CallId } from '../../../call/call-id.js';
import type { CallRecord } from '../../../call/call-record.js';
import { normalisePhoneNumber } from '../../../call/phone-number.js';
import type { Browser } from '../../../providers/daily/client/browser.js';
import type { RoomRequest, RoomsCredentials, RoomsRestClient } from '../../../providers/rooms/room-provider.js';
import { BOT_LEASE_MS, type ServeRoomMessage } from '../../bots/messages.js';
import { admitCall } from '../../dialing/admit.js';
import { checkDialledOut } from '../../dialing/do-not-call/do-not-call-list.js';
import type { StartedCall, StartRequest } from '../../dialing/start-request.js';
import type { DialinCall } from '../../http/dialin-route.js';
import type { CallDriver, CallParts, DriverEffect, EffectOf } from '../life/call-driver.js';
import { type CallRegistry, newCallId } from '../life/call-registry.js';
import { type BesideRequest, Consults, checkGoesOn } from '../life/consults.js';
import { forCall } from '../life/current-call.js';
import { type CallLife, newCall } from '../life/phase.js';
import { readPortable } from '../life/portable-life.js';
import { servedCall } from '../life/served-call.js';
import { CallSupervisor, type CallSupervisorOptions } from '../life/supervisor.js';
import type { AdapterContext } from '../provider-adapter.js';
import { ROOM_SLACK_S, RoomEntries } from './room-entries.js';
import type { RoomKeeper } from './room-keeper.js';
import type { RoomLegs } from './room-legs.js';
import { PARTS, type RoomOfCall, userIdsOf, withoutKey, withoutToken } from './room-of-call.js';

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
  legs: Pick<RoomLegs, 'end'>;
  /** Rooms are joined through it, a page for each bot. */
  browser?: RoomsBrowser | undefined;
  /** See {@link CallSupervisorOptions}. */
  onChanged?: CallSupervisorOptions['onChanged'];
  inDoubt?: CallSupervisorOptions['inDoubt'];
}

/** Calls in rooms: webhooks become events, and effects become rooms. */
export class RoomsDriver implements CallDriver {
  readonly supervisor: CallSupervisor;
  readonly #rooms = new Map<CallId, RoomOfCall>();
  readonly #entries: RoomEntries;
  readonly #consults: Consults<RoomOfCall>;
  /** Calls that came in lately, by the provider's identifier; settles when the room is there. */
  readonly #taken = new Map<string, { readonly ready: Promise<void>; readonly at: number }>();

  constructor(private readonly options: RoomsDriverOptions) {
    this.supervisor = new CallSupervisor(this, options);
    this.#entries = new RoomEntries(options);
    this.#consults = new Consults({
      ...options,
      supervisor: this.supervisor,
      checkTarget: (to) => options.checkTarget(to, 'to'),
      callerIdOf: (_call, { direction, from, to }) => (direction === 'inbound' ? to : (from ?? '')),
      dial: (request) => this.#dialBeside(request),
    });
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
   * @throws VoicebotError VB_RUNNER_STOPPING, VB_BOT_LOAD_FAILED, VB_BROWSER_FAILED when the browser has no page left for it, VB_REQUEST_INVALID, VB_TARGET_REFUSED, VB_DIAL_LIMIT, VB_DO_NOT_CALL, VB_CLUSTER_UNREACHABLE, and what the provider's client throws
   */
  async dial({ phoneNumber: callee, body, parameters, traceparent, callId }: StartRequest): Promise<StartedCall> {
    const { checkTarget, registry, phoneNumber: from = '' } = this.options;
    if (Object.keys(parameters).length > 0) {
      throw new VoicebotError('VB_REQUEST_INVALID', 'query parameters are for calls of a carrier', {
        hint: 'put custom data into body',
      });
    }
    const to = await checkTarget(callee, 'phone_number');
    const id = callId ?? newCallId();
    const check = () => this.#checkTakesDialled();
    return this.#dial({ id, from, to, body }, check, (call) => {
      if (traceparent !== undefined) registry.timelines.note(id, { type: 'trace', traceparent });
      return this.#openRoom(call, { allowsDialout: true });
    });
  }

  /**
   * Starts a bot that calls a number out of the room of another call, beside that one's bot and in its process.
   * @throws VoicebotError VB_STREAM_CLOSED when the other call is over, VB_BROWSER_FAILED, VB_DIAL_LIMIT, VB_CLUSTER_UNREACHABLE, and what the
   *   provider's client throws
   */
  #dialBeside({ linkedTo, to, from, ringSeconds: ringS }: BesideRequest): Promise<StartedCall> {
    const check = () => {
      checkGoesOn(this.supervisor.lifeOf(linkedTo));
      this.#checkHasPage();
    };
    const enter = (call: RoomOfCall) => this.#entries.enter(this.#rooms.get(linkedTo), call);
    return this.#dial({ id: newCallId(), linkedTo, from, to, body: {}, ringS }, check, enter);
  }

  async #dial(
    { from, to, ...dialled }: Pick<RoomOfCall, 'id' | 'linkedTo' | 'body' | 'ringS'> & { from: string; to: string },
    check: () => void,
    enter: (call: RoomOfCall) => Promise<void>,
  ): Promise<StartedCall> {
    const { registry, limits, dialMaxSeconds, maxCallSeconds } = this.options;
    const { id, linkedTo } = dialled;
    const place = await admitCall(limits, to, id, check);
    const limitS = Math.min(dialMaxSeconds, maxCallSeconds);
    const record = { id, direction: 'outbound', from, to, ...(linkedTo && { linkedTo }), state: 'dialling' } as const;
    const call = this.#begin({ ...dialled, isDialled: true, phoneNumber: to, limitS }, record);
    registry.onceEnded(id, () => place.release(registry.talkedMs(id)));
    try {
      await this.options.sharing?.begun(id);
      await forCall(id, () => enter(call));
    } catch (error) {
      place.undo();
      this.supervisor.happen(id, { type: 'room_failed', reason: 'telephony_error' });
      throw error;
    }
    this.supervisor.happen(id, { type: 'room_opened' });
    return { callId: id, providerCallId: undefined };
  }

  carryOut({ terms, room }: CallLife, effect: DriverEffect): void {
    const { keeper } = this.options;
    const { id, linkedTo } = terms;
    const call = this.#rooms.get(id);
    const name = call?.room?.name;
    const closesRoom = effect.do === 'close_room' || effect.do === 'leave_room';
    if (effect.do === 'end') this.#rooms.delete(id);
    else if (effect.do === 'consult' && call) void this.#consults.ask(call, effect);
    else if (closesRoom && linkedTo !== undefined) {
      if (call) this.options.legs.end(call, room);
    } else if (effect.do === 'check_target') void this.#checkTarget(id, effect);
    // A room that is not there yet is closed when it is.
    else if (effect.do === 'close_room' && name !== undefined) keeper.close(name);
    else if (effect.do === 'leave_room' && name !== undefined) keeper.leave(name);
  }

  serveMessage(
    { terms, facts, room: done }: CallLife,
    record: CallRecord,
    effect: EffectOf<'serve_bot'>,
  ): ServeRoomMessage {
    const call = this.#rooms.get(terms.id);
    if (!call?.room) throw new Error(`call ${terms.id} has no room`);
    const { room, body, phoneNumber } = call;
    const { isForwarded, dialout, isDialling, transfer } = done;
    return {
      type: 'serve_room',
      call: servedCall(record, effect.attempt),
      room_url: room.url,
      token: room.token,
      body,
      ...(phoneNumber !== undefined && { phone_number: phoneNumber }),
      userIds: userIdsOf(call),
      past: { isForwarded, dialout, ...(isDialling && { isDialling }), transfer },
      leaseMs: this.options.sharing && BOT_LEASE_MS,
      silenceMs: this.options.silenceSeconds * 1_000,
      ringMs: terms.ringMs - RING_LEAD_MS,
      limitMs: terms.lengthMs,
      ...(facts.handover && { handover: facts.handover }),
    };
  }

  partsOf(id: CallId): z.input<typeof PARTS> | undefined {
    const call = this.#rooms.get(id);
    if (!call) return undefined;
    const { isDialled, linkedTo, body, phoneNumber, limitS, room } = call;
    return { isDialled, linkedTo, body: withoutKey(body), phoneNumber, limitS, room: room && withoutToken(room) };
  }

  /** A call whose room is not there yet gets one now. */
  async restore(id: CallId, parts: CallParts): Promise<void> {
    const { isDialled, linkedTo, body, phoneNumber, limitS, room } = readPortable(PARTS, parts);
    const given = { id, isDialled, linkedTo, body: this.#withKey(body), phoneNumber, limitS };
    const call: RoomOfCall = { ...given, room: undefined };
    this.#rooms.set(id, call);
    this.#taken.set(id, { ready: Promise.resolve(), at: performance.now() });
    if (!room) return;
    if (linkedTo === undefined) this.options.keeper.adopt(room.name);
    else call.room = { ...room, token: '' }; // its telephone is hung up even where there is no token
    call.room = { ...room, token: await this.#entries.tokenFor(call, room, limitS + ROOM_SLACK_S) };
  }

  /** The room of a call that another runner had was not there yet. */
  async reopen(id: CallId): Promise<void> {
    const call = this.#rooms.get(id);
    if (!call || call.room) return;
    if (call.linkedTo !== undefined) {
      this.supervisor.happen(id, { type: 'room_failed', reason: 'telephony_error' });
      return;
    }
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
    const { linkedTo, room } = this.#rooms.get(id) ?? {};
    if (room && linkedTo === undefined) this.options.keeper.leave(room.name);
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

  async #openRoom(call: RoomOfCall, request: Pick<RoomRequest, 'dialin' | 'allowsDialout'>): Promise<void> {
    await this.#entries.open(call, request);
    if (this.#rooms.get(call.id) !== call && call.room) this.options.keeper.close(call.room.name); // the runner has stopped meanwhile
  }

  #checkTakesDialled(): void {
    if (this.supervisor.isDraining) throw new VoicebotError('VB_RUNNER_STOPPING', 'it takes no new calls');
    if (this.options.pool.problem) throw this.options.pool.problem;
    this.#checkHasPage();
  }

  #checkHasPage(): void {
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
    const { id, isDialled, linkedTo, phoneNumber, limitS, ringS = ringSeconds } = call;
    const begun: RoomOfCall = { ...call, room: undefined };
    this.#rooms.set(id, begun);
    const terms = {
      id,
      media: 'room',
      isDialled,
      isTunnelled: false,
      lengthMs: limitS * 1_000,
      ringMs: ringS * 1_000,
      endsOnMachine: false,
      operatorNumber,
      phoneNumber,
      linkedTo,
    } as const;
    this.supervisor.open(newCall(terms, { is: 'opening_room' }), record);
    return begun;
  }

  async #checkTarget(id: CallId, { bot, request, to }: EffectOf<'check_target'>): Promise<void> {
    const answer = { type: 'target_checked', bot, request } as const;
    try {
      const target = await this.options.checkTarget(to, 'the number');
      await checkDialledOut(this.options.doNotCall, target, target === this.#rooms.get(id)?.phoneNumber);
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
