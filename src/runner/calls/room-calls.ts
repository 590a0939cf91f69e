import { randomBytes } from 'node:crypto';
import type { EndReason } from '../../call/call.js';
import { asCallId, type CallId } from '../../call/call-id.js';
import { whyNobodyAnswers } from '../../call/operator-number.js';
import { normalisePhoneNumber } from '../../call/phone-number.js';
import type { RoomNews, RoomTransferState } from '../../call/runner-link.js';
import { VoicebotError } from '../../errors.js';
import type { Room, RoomRequest, RoomsCredentials, RoomsRestClient } from '../../providers/room-provider.js';
import type { Browser } from '../../rooms/browser/browser.js';
import type { BotCall } from '../bots/bot-call.js';
import { type BotOutcome, GOODBYE_MS } from '../bots/messages.js';
import type { StartedCall, StartRequest } from '../dialing/start-route.js';
import type { DialinCall } from '../http/dialin-route.js';
import { BotEntry } from './bot-entry.js';
import type { LineContext } from './line.js';
import { ROOM_IDLE_S, type RoomKeeper } from './room-keeper.js';

/** Bots a call may use up. */
const MAX_ATTEMPTS = 3;
/**
 * How long a bot may take to join before another one is tried beside it, in milliseconds. Joining takes a busy machine some
 * seconds, during which the caller hears the provider's music.
 */
const BESIDE_MS = 6_000;
/**
 * Longest a call's bots may take until one of them is in the room, in milliseconds: the provider holds a caller for half a
 * minute, and fetching them takes its time too.
 */
const JOIN_LIMIT_MS = 20_000;
/**
 * How long a bot that is in its room may take until the caller is there, in milliseconds: the provider holds a caller for half
 * a minute, and a bot gives up earlier on one whom it fetches.
 */
const CONNECT_LIMIT_MS = 45_000;
/** How much longer than its call a room may be open, in seconds: until the bot is there, and to say goodbye. */
const ROOM_SLACK_S = 120;
/** How long a bot that is in its room may take until the phone rings, in milliseconds. */
const DIAL_SLACK_MS = 30_000;
/** Numbers one call's bot may ask to call, beside the one it was started for. */
const MAX_TARGETS = 5;
/** How long a call that was taken is remembered, in milliseconds: a webhook is no good for longer. */
const REMEMBERED_MS = 15 * 60_000;

/** The browser that a runner keeps: it is started and closed with it. */
export type RoomsBrowser = Pick<Browser, 'start' | 'open' | 'close' | 'pageCount' | 'maxPages'>;

export interface RoomCallsOptions extends LineContext {
  credentials: RoomsCredentials;
  client: Pick<RoomsRestClient, 'createToken'>;
  keeper: RoomKeeper;
  /** Rooms are joined through it, a page for each bot. */
  browser?: RoomsBrowser | undefined;
}

/** What the runner knows of a live call beyond its record. */
interface RoomSession {
  readonly id: CallId;
  readonly isDialled: boolean;
  readonly body: Readonly<Record<string, unknown>>;
  /** Who is to be called. */
  readonly phoneNumber: string | undefined;
  /** Seconds the call may last. */
  readonly limitS: number;
  room: (Room & { readonly token: string }) | undefined;
  /** Until one of the call's bots is in the room. */
  entry: BotEntry | undefined;
  /** Is in the room. */
  bot: BotCall | undefined;
  isForwarded: boolean;
  dialout: { sessionId: string; isAnswered: boolean } | undefined;
  /** The transfer that is going on. */
  transfer: RoomTransferState | undefined;
  targets: number;
  /** Runs out when nobody answers, or nobody is fetched. */
  timer: NodeJS.Timeout | undefined;
  limitTimer: NodeJS.Timeout | undefined;
  /** What the bot has seen of the call's end; a later call out of the same room makes it out of date. */
  seen: EndReason | undefined;
  /** Decided here. */
  verdict: EndReason | undefined;
}

/** Decides what happens to calls in rooms: which bot serves, who replaces it, how it ends. */
export class RoomCalls {
  readonly #live = new Map<string, RoomSession>();
  /** Calls that came in lately, by the provider's identifier; settles when the room is there. */
  readonly #taken = new Map<string, { readonly ready: Promise<void>; readonly at: number }>();
  #isDraining = false;

  constructor(private readonly options: RoomCallsOptions) {}

  get count(): number {
    return this.#live.size;
  }

  /** From now on new calls are turned away. */
  drain(): void {
    this.#isDraining = true;
  }

  /**
   * A caller is held for us. Asking again gives the same.
   * @returns rejects when there will be no room, and with VB_BROWSER_FAILED when the browser has no page left for it; undefined when
   *   calls are turned away
   */
  take(call: DialinCall): Promise<void> | undefined {
    this.#forgetOld();
    const known = this.#taken.get(call.callId);
    if (known) return known.ready;
    if (this.#isDraining) return undefined;
    const full = this.#fullBrowser();
    if (full) {
      this.options.turnedAway.warn(`call turned away: ${full}`, {});
      return Promise.reject(noPageLeft(full));
    }
    const ready = this.#receive(call);
    ready.catch(() => {}); // whoever asked has been told
    this.#taken.set(call.callId, { ready, at: performance.now() });
    return ready;
  }

  /**
   * Starts a bot that calls somebody.
   * @throws VoicebotError VB_RUNNER_STOPPING, VB_BOT_LOAD_FAILED, VB_BROWSER_FAILED when the browser has no page left for it, VB_REQUEST_INVALID, VB_TARGET_REFUSED, VB_DIAL_LIMIT, and what the provider's
   *   client throws
   */
  async dial({ phoneNumber, body, parameters }: StartRequest): Promise<StartedCall> {
    const { checkTarget, limits, registry, phoneNumber: from = '', dialMaxSeconds, maxCallSeconds } = this.options;
    if (Object.keys(parameters).length > 0) {
      throw new VoicebotError('VB_REQUEST_INVALID', 'query parameters are for calls of a carrier', {
        hint: 'put custom data into body',
      });
    }
    const to = await checkTarget(phoneNumber, 'phone_number');
    if (this.#isDraining) throw new VoicebotError('VB_RUNNER_STOPPING', 'it takes no new calls');
    if (this.options.pool.problem) throw this.options.pool.problem;
    const full = this.#fullBrowser();
    if (full) throw noPageLeft(full);
    const place = limits.admit(to);
    const id = asCallId(`out_${randomBytes(12).toString('base64url')}`);
    registry.open({ id, direction: 'outbound', from, to, state: 'dialling' });
    registry.onceEnded(id, () => place.release(registry.talkedMs(id)));
    const limitS = Math.min(dialMaxSeconds, maxCallSeconds);
    const session = this.#open({ id, isDialled: true, body, phoneNumber: to, limitS });
    try {
      await this.#openRoom(session, { allowsDialout: true });
    } catch (error) {
      place.undo();
      this.#end(session, 'telephony_error');
      throw error;
    }
    this.#launch(session, 1);
    return { callId: id, carrierCallId: undefined };
  }

  /** Bots that end their calls from here on do so because the runner stops. */
  stopCalls(): void {
    for (const session of this.#live.values()) session.verdict ??= session.seen ?? 'runner_stopped';
    this.options.pool.stopCalls();
  }

  endAll(reason: EndReason): void {
    for (const session of [...this.#live.values()]) this.#end(session, reasonOf(session) ?? reason);
  }

  async #receive({ callId: providerCallId, callDomain, from, to, sipHeaders }: DialinCall): Promise<void> {
    const id = asCallId(providerCallId);
    const { registry, credentials, maxCallSeconds } = this.options;
    const numbers = { from: normalisePhoneNumber(from), to: normalisePhoneNumber(to) };
    registry.open({ id, providerCallId, direction: 'inbound', ...numbers, state: 'ringing' });
    const body = {
      dialin_settings: {
        call_id: providerCallId,
        call_domain: callDomain,
        From: from,
        To: to,
        ...(sipHeaders && { sip_headers: sipHeaders }),
      },
      daily_api_key: credentials.apiKey,
      daily_api_url: credentials.apiUrl,
    };
    const session = this.#open({ id, isDialled: false, body, phoneNumber: undefined, limitS: maxCallSeconds });
    this.#watchLength(session); // the caller is held at our expense
    const { problem } = this.options.pool;
    if (problem) {
      this.options.logger.error('no bot can be loaded for a call, which is left to the provider', {
        callId: id,
        error: problem,
      });
      this.#end(session, 'no_bot');
      throw problem;
    }
    try {
      await this.#openRoom(session, { dialin: { displayName: numbers.from || 'caller' }, allowsDialout: true });
    } catch (error) {
      this.options.logger.error('no room for a caller, who is left to the provider', { callId: id, error });
      this.#end(session, 'telephony_error');
      throw error;
    }
    registry.update(id, { state: 'starting' });
    this.#launch(session, 1);
  }

  #open(call: Pick<RoomSession, 'id' | 'isDialled' | 'body' | 'phoneNumber' | 'limitS'>): RoomSession {
    const session: RoomSession = {
      ...call,
      room: undefined,
      entry: undefined,
      bot: undefined,
      isForwarded: false,
      dialout: undefined,
      transfer: undefined,
      targets: 0,
      timer: undefined,
      limitTimer: undefined,
      seen: undefined,
      verdict: undefined,
    };
    this.#live.set(session.id, session);
    return session;
  }

  async #openRoom(session: RoomSession, request: Pick<RoomRequest, 'dialin' | 'allowsDialout'>): Promise<void> {
    const { keeper, client, ringSeconds } = this.options;
    const lastsS = session.limitS + ROOM_SLACK_S + (session.isDialled ? ringSeconds : 0);
    const expiresAt = Math.ceil(Date.now() / 1_000) + lastsS;
    const room = await keeper.open({ ...request, expiresAt, idleSeconds: ROOM_IDLE_S });
    try {
      const token = await client.createToken({ roomName: room.name, isOwner: true, expiresAt });
      session.room = { ...room, token };
    } catch (error) {
      keeper.close(room.name);
      throw error;
    }
    if (!this.#isLive(session)) keeper.close(room.name); // the runner has stopped meanwhile
  }

  /** Gives the call a bot. @param attempt which one this is */
  #launch(session: RoomSession, attempt: number): void {
    const { pool, logger } = this.options;
    if (!this.#isLive(session)) return;
    session.entry = new BotEntry({
      callId: session.id,
      pool,
      attempt,
      maxAttempts: MAX_ATTEMPTS,
      besideMs: BESIDE_MS,
      limitMs: JOIN_LIMIT_MS,
      serve: (bot, nextAttempt) => this.#serve(session, bot, nextAttempt),
      onFailed: (reason) => this.#end(session, reasonOf(session) ?? reason),
      logger,
    });
  }

  #serve(session: RoomSession, bot: BotCall, attempt: number): void {
    const { registry, silenceSeconds } = this.options;
    const { id, room } = session;
    const record = registry.get(id);
    if (!record || !room || session.verdict) return;
    if (record.attempt !== attempt) registry.update(id, { attempt });
    bot.on('room_news', ({ news }) => this.#onNews(id, news, bot));
    bot.on('check_target', ({ requestId, to }) => void this.#onCheckTarget(id, requestId, to, bot));
    bot.on('call_done', ({ outcome }) => this.#onBotDone(id, outcome, bot));
    bot.serve({
      type: 'serve_room',
      call: { id, direction: record.direction, from: record.from, to: record.to, attempt },
      room_url: room.url,
      token: room.token,
      body: session.body,
      ...(session.phoneNumber !== undefined && { phone_number: session.phoneNumber }),
      past: { isForwarded: session.isForwarded, dialout: session.dialout, transfer: session.transfer },
      silenceMs: silenceSeconds * 1_000,
      limitMs: session.limitS * 1_000,
    });
  }

  #onNews(id: CallId, news: RoomNews, bot: BotCall): void {
    const session = news.type === 'joined' ? this.#claim(id, bot) : this.#of(id, bot);
    if (!session) return;
    const { registry } = this.options;
    if (news.type === 'joined') this.#onJoined(session);
    else if (news.type === 'forwarded') session.isForwarded = true;
    else if (news.type === 'dialled') this.#onDialled(session, news.sessionId);
    else if (news.type === 'ringing') this.#onRinging(session);
    else if (news.type === 'connected') this.#onConnected(session);
    else if (news.type === 'transferring') {
      session.transfer = news.transfer;
      registry.update(id, { state: 'transferring' });
    } else if (news.type === 'transfer_failed') {
      session.transfer = undefined;
      registry.update(id, { state: 'connected' });
    } else if (news.type === 'over') session.seen ??= news.reason;
    else this.#onLimit(session, 'silence');
  }

  /** The first of the call's bots that is in the room has the call. */
  #claim(id: CallId, bot: BotCall): RoomSession | undefined {
    const { registry } = this.options;
    const session = this.#live.get(id);
    const attempt = session?.entry?.claim(bot);
    if (!session || attempt === undefined) return undefined;
    session.entry = undefined;
    session.bot = bot;
    if (registry.get(id)?.attempt !== attempt) registry.update(id, { attempt });
    return session;
  }

  #onJoined(session: RoomSession): void {
    if (isUnanswered(session)) this.#expectAnswer(session, session.dialout ? 0 : DIAL_SLACK_MS);
    else session.timer = setTimeout(() => this.#onNotConnected(session), CONNECT_LIMIT_MS);
  }

  #expectAnswer(session: RoomSession, slackMs: number): void {
    clearTimeout(session.timer);
    const limitMs = this.options.ringSeconds * 1_000 + slackMs;
    const onLate = () => (session.dialout ? this.#askToEnd(session, 'no_answer') : this.#onNotConnected(session));
    session.timer = setTimeout(onLate, limitMs);
  }

  /** Another bot would do the same: the caller was never fetched, or nobody was called. */
  #onNotConnected(session: RoomSession): void {
    const missing = session.isDialled ? 'startDialout' : 'dialinSettings';
    this.options.logger.warn('the bot has joined its room and has not connected the other party', {
      callId: session.id,
      missing,
    });
    this.#askToEnd(session, 'not_connected');
  }

  #onDialled(session: RoomSession, sessionId: string): void {
    session.seen = undefined;
    session.dialout = { sessionId, isAnswered: false };
  }

  #onRinging(session: RoomSession): void {
    if (!isUnanswered(session)) return; // late news, or of another leg
    this.options.registry.update(session.id, { state: 'ringing' });
    this.#expectAnswer(session, 0);
  }

  #onConnected(session: RoomSession): void {
    clearTimeout(session.timer);
    if (session.dialout) session.dialout.isAnswered = true;
    const { registry } = this.options;
    const isFirst = registry.get(session.id)?.answeredAt === undefined;
    registry.update(session.id, { state: 'connected', ...(isFirst && { answeredAt: Date.now() }) });
    this.#watchLength(session);
  }

  #watchLength(session: RoomSession): void {
    if (session.limitTimer) return;
    const politeMs = Math.max(0, session.limitS * 1_000 - GOODBYE_MS);
    session.limitTimer = setTimeout(() => this.#onLimit(session, 'length'), politeMs);
  }

  #onLimit(session: RoomSession, limit: 'length' | 'silence'): void {
    this.options.logger.warn('call has reached its limit', { callId: session.id, limit });
    this.#askToEnd(session, 'limit_reached');
  }

  /** The bot is asked to end its call; when it does not, its room is closed. */
  #askToEnd(session: RoomSession, reason: EndReason): void {
    if (session.verdict) return;
    session.verdict = session.seen ?? reason;
    (session.bot ?? session.entry)?.send({ type: 'end' });
    clearTimeout(session.limitTimer);
    session.limitTimer = setTimeout(() => this.#end(session, reasonOf(session) ?? reason), GOODBYE_MS);
  }

  async #onCheckTarget(id: CallId, requestId: number, to: string, bot: BotCall): Promise<void> {
    const session = this.#of(id, bot);
    const answer = { type: 'target_answer', requestId } as const;
    try {
      if (!session) throw new VoicebotError('VB_TARGET_REFUSED', 'this bot does not have the call');
      const { checkTarget, operatorNumber, logger } = this.options;
      const nobody = whyNobodyAnswers(to, operatorNumber);
      if (nobody && to !== session.phoneNumber)
        logger.warn('transfer to an unassigned number', { callId: id, reason: nobody });
      const target = await checkTarget(to, 'the number');
      if (target !== session.phoneNumber) session.targets += 1;
      if (session.targets > MAX_TARGETS) {
        throw new VoicebotError('VB_DIAL_LIMIT', `a call's bot can call ${MAX_TARGETS} numbers`);
      }
      bot.send({ ...answer, to: target });
    } catch (error) {
      this.options.logger.warn('the bot may not call a number', { callId: id, error });
      bot.send({ ...answer, problem: VoicebotError.fieldsOf(error, 'VB_TARGET_REFUSED') });
    }
  }

  #onBotDone(id: CallId, outcome: BotOutcome, bot: BotCall): void {
    const session = this.#live.get(id);
    const isOnTheWay = session?.entry?.has(bot) ?? false;
    if (!session || !(isOnTheWay || session.bot === bot)) return;
    const reason = reasonOf(session) ?? (outcome === 'returned' ? 'bot_ended' : undefined);
    const failure = outcome === 'hung' ? 'bot_timeout' : 'bot_crashed';
    if (reason) this.#end(session, reason);
    else if (isOnTheWay) session.entry?.lost(bot, failure);
    else this.#replace(session, failure);
  }

  /** Another bot goes on in the same room; `reason` is why the one before could not. */
  #replace(session: RoomSession, reason: 'bot_crashed' | 'bot_timeout'): void {
    const { registry, logger } = this.options;
    clearTimeout(session.timer);
    session.bot = undefined;
    const attempt = (registry.get(session.id)?.attempt ?? MAX_ATTEMPTS) + 1;
    if (attempt > MAX_ATTEMPTS) {
      this.#end(session, reason);
      return;
    }
    logger.warn('the bot of a call has failed, starting another one in the same room', { callId: session.id, attempt });
    registry.update(session.id, { attempt, ...(!isUnanswered(session) && !session.transfer && { state: 'starting' }) });
    this.#launch(session, attempt);
  }

  #end(session: RoomSession, reason: EndReason): void {
    if (!this.#isLive(session)) return;
    const { id, room, bot, entry } = session;
    clearTimeout(session.timer);
    clearTimeout(session.limitTimer);
    this.#live.delete(id);
    (bot ?? entry)?.send({ type: 'call_over' });
    entry?.close();
    if (room && reason === 'transferred') this.options.keeper.leave(room.name);
    else if (room) this.options.keeper.close(room.name);
    this.options.registry.end(id, reason);
  }

  /** What keeps another call from having a page; undefined when nothing does. A page is opened some time after its call has begun. */
  #fullBrowser(): string | undefined {
    const { browser } = this.options;
    if (!browser || Math.max(this.#live.size, browser.pageCount) < browser.maxPages) return undefined;
    return `the browser is full (VOICEBOT_BROWSER_PAGES is ${browser.maxPages})`;
  }

  #isLive(session: RoomSession): boolean {
    return this.#live.get(session.id) === session;
  }

  /** The call, as long as this bot is the one that serves it. */
  #of(id: CallId, bot: BotCall): RoomSession | undefined {
    const session = this.#live.get(id);
    return session?.bot === bot ? session : undefined;
  }

  #forgetOld(): void {
    const now = performance.now();
    for (const [id, { at }] of this.#taken) {
      if (now - at < REMEMBERED_MS) return;
      if (!this.#live.has(id)) this.#taken.delete(id);
    }
  }
}

const noPageLeft = (detail: string) =>
  new VoicebotError('VB_BROWSER_FAILED', detail, {
    hint: 'raise VOICEBOT_BROWSER_PAGES, or try again when a call is over',
  });

/** Whether it goes out and nobody is there yet. */
function isUnanswered({ isDialled, dialout }: RoomSession): boolean {
  return isDialled && !dialout?.isAnswered;
}

/**
 * Why a call ends, as far as that is known: what was decided here, else what its bot has seen. One that was transferred
 * goes on without us, whatever was to become of it.
 */
function reasonOf({ seen, verdict }: RoomSession): EndReason | undefined {
  return seen === 'transferred' ? seen : (verdict ?? seen);
}
