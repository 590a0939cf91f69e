import { withDeadline } from '../../async/deadline.js';
import { deferred } from '../../async/deferred.js';
import type { BotEndReason, EndReason } from '../../call/call.js';
import { asCallId, asProviderCallId, type CallId, type ProviderCallId } from '../../call/call-id.js';
import { VoicebotError } from '../../errors.js';
import type { Logger } from '../../logger.js';
import type { AnswerStep, Carrier, CarrierWebhook } from '../../providers/carrier.js';
import type { BotCall } from '../bots/bot-call.js';
import type { BotPool } from '../bots/bot-pool.js';
import { type BotOutcome, GOODBYE_MS, type StreamOutcome } from '../bots/messages.js';
import type { CallTicket } from '../dialing/call-tickets.js';
import { DialLimitError } from '../dialing/dial-limits.js';
import type { Reach } from '../http/reach.js';
import type { NoBotReason } from './bot-entry.js';
import type { CallDocuments } from './call-documents.js';
import type { CallRegistry } from './call-registry.js';
import { type NewSession, type Session, Sessions } from './call-session.js';
import type { Hangups } from './hangups.js';
import { StreamEntry } from './stream-entry.js';
import { PASS_VALID_MS, StreamPass } from './stream-pass.js';
import { StreamRecovery } from './stream-recovery.js';
import { Transfers, type TransfersOptions } from './transfers.js';
import type { WaitingStream } from './waiting-stream.js';
import type { WebhookMemory } from './webhook-memory.js';

/** Bots a call may use up before the caller hears the recorded line. */
const MAX_ATTEMPTS = 3;
/** How long the carrier may be ahead of our own news of a stream's end, in milliseconds. */
const OUTCOME_LIMIT_MS = 2_000;
/** How long a call without a stream waits for the carrier's next word before it counts as ended, in milliseconds. */
const LAST_WORD_LIMIT_MS = PASS_VALID_MS;
/** The same after a bot behind a tunnel has ended the call: the address for the carrier's word may be dead. */
const TUNNELLED_LAST_WORD_LIMIT_MS = 3_000;
/** How long a carrier whose media stream has died may take to come for another document, in milliseconds. */
const LOST_STREAM_LIMIT_MS = 8_000;
/** Fetches of the continuation that may find the stream never connected. */
const MAX_FRUITLESS_RESUMES = 3;
/** Fetches that follow one of those this closely are copies of it, in milliseconds. */
const COPY_LIMIT_MS = 1_000;
/** How long a bot that has ended its call may take to hang up by itself, in milliseconds. */
const HANG_UP_GRACE_MS = 2_000;
/** The same behind a tunnel, where the document after the stream keeps the caller on the line. */
const TUNNELLED_HANG_UP_GRACE_MS = 500;
/** How long the news that a caller has hung up may come behind the end of the stream, in milliseconds. */
const HANG_UP_NEWS_MS = 300;
/** How long the carrier may take to connect a stream before it is asked to come again, in milliseconds. */
const CONNECT_LIMIT_MS = 5_000;
/** Lost streams of one call that count for nothing; those beyond use up bots. */
const MAX_RECONNECTS = 10;

/** A carrier's webhook about one call, with what the address it came to says. */
export interface CallNews extends CarrierWebhook {
  /** The carrier's identifier. */
  readonly callId: ProviderCallId;
  readonly ticket: CallTicket | undefined;
  /** Which of the call's streams the address belongs to, where it says so. */
  readonly streamNo: number | undefined;
  /** Custom parameters of the address. */
  readonly query: Readonly<Record<string, string>>;
}

/** What there was too little of for a caller: places in the tunnel, or bots that could be there in time. */
export type TurnedAway = 'tunnel_full' | 'no_bot_in_time';

export interface CallControlOptions {
  registry: CallRegistry;
  pool: BotPool;
  documents: CallDocuments;
  hangups: Hangups;
  /** The calls that earlier runners have ended. */
  memory: Pick<WebhookMemory, 'hasEnded'>;
  carrier: Pick<Carrier, 'name' | 'createCodec'>;
  client: TransfersOptions['client'];
  checkTarget: TransfersOptions['checkTarget'];
  operatorNumber?: string | undefined;
  /** Longest an inbound call may last, in milliseconds. */
  maxCallMs: number;
  /** Longest a dialled call may last, in milliseconds. */
  maxDialledCallMs: number;
  /** Longest both sides may be silent, in milliseconds; 0 means for ever. */
  silenceMs: number;
  /** A call that a machine answered is ended. */
  endsOnMachine: boolean;
  /** How the carrier reaches us. */
  reach: Reach;
  /** Its way to us is a tunnel, which may break: calls outlive that. Default false. */
  isTunnelled?: boolean | undefined;
  /** Most calls at once; undefined means any number. */
  maxCalls?: (() => number | undefined) | undefined;
  /** A caller is turned away because there are so many. */
  onTurnedAway?: ((why: TurnedAway) => void) | undefined;
  logger: Logger;
}

/** Decides what happens to calls: which document the carrier gets, which bot serves, who replaces it, how it ends. */
export class CallControl {
  readonly #sessions = new Sessions();
  readonly #transfers: Transfers;
  readonly #recovery: StreamRecovery;
  #isDraining = false;

  constructor(private readonly options: CallControlOptions) {
    const { client, documents, registry, checkTarget, operatorNumber, reach, logger } = options;
    this.#transfers = new Transfers({
      client,
      documents,
      registry,
      checkTarget,
      operatorNumber,
      logger,
      reach,
      onLost: (session, reason) => this.#giveUp(session, reason),
      onTalkOver: (session) => this.#onGone(session, 'transferred'),
    });
    const onGone = (session: Session, reason: EndReason) => this.#onGone(session, reason);
    this.#recovery = new StreamRecovery({ client, documents, reach, onGone, logger });
    if (options.isTunnelled) reach.on('back', (hasMoved) => this.#onReachedAgain(hasMoved));
  }

  /** From now on new calls are turned away. */
  drain(): void {
    this.#isDraining = true;
  }

  /** @throws VoicebotError VB_RUNNER_STOPPING, VB_TUNNEL_FAILED, VB_BOT_LOAD_FAILED, VB_DIAL_LIMIT when no call can be dialled now */
  checkTakesDialled(): void {
    if (this.#isDraining) throw new VoicebotError('VB_RUNNER_STOPPING', 'it takes no new calls');
    if (this.options.reach.isUp === false) {
      throw new VoicebotError('VB_TUNNEL_FAILED', 'the carrier could not come for what to do with the call', {
        hint: 'try again in some seconds: the tunnel is being opened again',
      });
    }
    const { problem } = this.options.pool;
    if (problem) throw problem;
    const max = this.options.maxCalls?.();
    if (max === undefined || this.busyCount < max) return;
    throw new DialLimitError(
      `the tunnel is full (at most ${max} at once)`,
      'use a tunnel that carries more, or --public-url',
    );
  }

  /** A call that we are about to dial. */
  openDialled(call: NewSession, from: string, to: string): Session {
    this.options.registry.open({ id: call.id, direction: 'outbound', from, to, state: 'dialling' });
    return this.#sessions.open(call);
  }

  /** The live call that the carrier knows by this identifier. */
  sessionOf(providerCallId: ProviderCallId): Session | undefined {
    return this.#sessions.ofProvider(providerCallId);
  }

  isLive(session: Session): boolean {
    return this.#sessions.isLive(session);
  }

  /** Whether this runner has, or had, the call that the carrier tells about. */
  knows({ ticket, callId }: CallNews): boolean {
    return (
      this.#find({ ticket, callId }) !== undefined ||
      this.options.registry.get(callIdOf({ ticket, callId })) !== undefined
    );
  }

  /** The carrier has named a call. False when it already had another name: then somebody dialled twice. */
  bind(session: Session, providerCallId: ProviderCallId, requestId?: ProviderCallId): boolean {
    const known = session.providerCallId;
    if (known === providerCallId) return true;
    // What the carrier called the request to dial is not always the name of the call (reference 1.2).
    if (known !== undefined && known !== requestId) return false;
    this.#sessions.bind(session, providerCallId);
    this.options.registry.update(session.id, { providerCallId });
    return true;
  }

  /** The document of a new call. Asking again gives the same one. */
  answer(news: CallNews): AnswerStep[] {
    const id = callIdOf(news);
    if (this.options.registry.get(id)?.endReason === 'turned_away') return [{ do: 'hangup', reason: 'busy' }];
    if (this.#isEnded(news)) return [{ do: 'hangup' }];
    const known = this.#sessions.get(id);
    if (!known && (this.#isDraining || this.#isTurnedAway(id, news))) return [{ do: 'hangup', reason: 'busy' }];
    const session = known ?? this.#open(news);
    if (!this.bind(session, news.callId, news.requestId)) {
      this.options.logger.error('the carrier dialled a call twice, ending the second', { callId: id });
      return [{ do: 'hangup' }];
    }
    this.#answered(session);
    if (!known && this.#hasNoBot(session)) return this.#conclude(session, 'no_bot');
    return this.#currentSteps(session);
  }

  /** The dialled phone rings. */
  ring(news: CallNews): void {
    const session = this.#find(news);
    if (this.#isEnded(news) || (session && !this.bind(session, news.callId, news.requestId))) {
      // Given up as never placed, or dialled twice: nobody waits for it.
      this.options.hangups.owe(news.callId);
      return;
    }
    if (!session) return; // the runner was restarted: the call is taken up with its answer
    if (this.options.registry.get(session.id)?.state !== 'dialling') return;
    this.options.registry.update(session.id, { state: 'ringing' });
  }

  /** The carrier has found out what answered. */
  machine(news: CallNews): void {
    const session = this.#find(news);
    if (!session || news.isMachine === undefined) return;
    if (!this.bind(session, news.callId, news.requestId)) {
      this.options.hangups.owe(news.callId);
      return;
    }
    this.options.registry.update(session.id, { answeredBy: news.isMachine ? 'machine' : 'person' });
    if (!news.isMachine || !this.options.endsOnMachine) return;
    session.verdict ??= 'voicemail';
    this.options.hangups.owe(news.callId, HANG_UP_GRACE_MS); // the carrier was asked to, and some cannot
  }

  /** The document after a stream has ended: hang up after a bot that was done, another bot after one that was not. */
  async resume(news: CallNews): Promise<AnswerStep[]> {
    const { registry, logger } = this.options;
    const id = callIdOf(news);
    if (this.#isEnded(news)) return [{ do: 'hangup' }];
    const session = this.#find(news) ?? this.#open(news, 2); // unknown: the runner was restarted under it
    if (news.streamNo !== undefined && news.streamNo < session.streamNo) return this.#currentSteps(session);
    clearTimeout(session.lastWordTimer);
    this.#recovery.stop(session);
    const { over } = session;
    const outcome = over && (await outcomeOf(over.promise));
    if (session.verdict) return this.#finalSteps(session);
    if (!over || !outcome) return this.#resumeUnconnected(session);
    if (session.over !== over) return this.#streamSteps(session); // a twin of this request was faster
    if (outcome === 'bot_ended') return this.#conclude(session, 'bot_ended');
    if (outcome === 'transferring') return this.#comeBack(session, 'the carrier did not follow the transfer');
    const attempt = registry.get(id)?.attempt ?? MAX_ATTEMPTS;
    if (isCarrierSide(outcome) && this.#isNobodysFault(session)) {
      logger.warn('a call has lost its media stream, starting another bot', { callId: id, attempt });
      return this.#nextStream(session, attempt);
    }
    if (attempt >= MAX_ATTEMPTS) return this.#conclude(session, endReason(outcome, 'bot_crashed'));
    logger.warn('the bot of a call has failed, starting another one', { callId: id, outcome, attempt: attempt + 1 });
    return this.#nextStream(session, attempt + 1);
  }

  /** The carrier asks for the document of a transfer that it agreed to. */
  transfer(news: CallNews): AnswerStep[] | Promise<AnswerStep[]> {
    const { transferTo: to, transferNo = 1 } = news.ticket ?? {};
    if (!to || this.#isEnded(news)) return [{ do: 'hangup' }];
    const session = this.#find(news) ?? this.#adopt(news, to, transferNo);
    if (session.verdict) return this.#finalSteps(session);
    // Its bot was told that it failed, and the carrier took it all the same: the stream ends, and the carrier comes here.
    if (!session.transfer && transferNo === session.refusedTransfer) return this.resume(news);
    if (!isAbout(session, news)) return this.#currentSteps(session);
    clearTimeout(session.lastWordTimer);
    this.#recovery.stop(session);
    return this.#transfers.document(session, to);
  }

  /** News of the destination while the carrier dials it. */
  transferStatus(news: CallNews): void {
    const session = this.#find(news);
    if (!session || news.dial?.phase !== 'answered' || !isAbout(session, news)) return;
    this.#transfers.answered(session, news.dial);
  }

  /** The carrier has finished dialling the destination, or the talk with it is over. */
  transferEnded(news: CallNews): AnswerStep[] {
    const { dial, ticket } = news;
    if (!ticket?.transferTo || this.#isEnded(news)) return [{ do: 'hangup' }];
    const session = this.#find(news) ?? this.#adopt(news, ticket.transferTo, ticket.transferNo ?? 1);
    if (!isAbout(session, news)) return this.#currentSteps(session);
    if (dial?.phase !== 'ended' || dial.outcome === 'caller_left') return this.#conclude(session, 'caller_hung_up');
    if (dial.outcome === 'completed' || session.transfer?.phase === 'answered') {
      this.#transfers.answered(session, { phase: 'answered', legId: dial.legId, to: ticket.transferTo });
      return this.#conclude(session, 'transferred');
    }
    if (session.verdict) return this.#finalSteps(session);
    return this.#comeBack(session, dial.cause, dial.outcome);
  }

  /** The carrier says the call is over. */
  hangup(news: CallNews): void {
    this.options.hangups.settled(news.callId);
    if (news.requestId !== undefined) this.options.hangups.settled(news.requestId);
    // A caller may give up before the answer is asked for, and webhooks overtake each other: the answer then comes too late.
    const isNew =
      news.direction === 'inbound' && !this.options.registry.get(asCallId(news.callId)) && !this.#isEnded(news);
    const session = this.#find(news) ?? (isNew ? this.#open(news) : undefined);
    if (!session || !this.bind(session, news.callId, news.requestId)) return; // the second of two is not the call we know
    this.#onGone(session, news.hangup?.reason ?? 'telephony_error');
  }

  /** The carrier says that it lost a stream. That it did is news only when it was not our bot that let go. */
  async streamProblem({ ticket, callId, streamProblem }: CallNews): Promise<void> {
    if (!streamProblem) return;
    const session = this.#sessions.get(callIdOf({ ticket, callId })) ?? this.#sessions.ofProvider(callId);
    const outcome = session?.outcome ?? (session?.over && (await outcomeOf(session.over.promise)));
    if (outcome !== undefined && !isCarrierSide(outcome)) return;
    this.options.logger.warn('the carrier lost the media stream', {
      callId: session?.id ?? callIdOf({ ticket, callId }),
      streamProblem,
    });
  }

  /** Whether a stream that presents this token may be connected to this call. */
  admits(id: CallId, token: string): boolean {
    const session = this.#sessions.get(id);
    return session !== undefined && !session.verdict && session.pass.admits(token);
  }

  /**
   * Finds a bot for an admitted stream. Call only right after {@link admits}. Until a bot's process has the stream the
   * carrier may come again, and then the newer one counts.
   */
  connect(id: CallId, stream: WaitingStream): void {
    const { pool, registry, carrier, logger } = this.options;
    const session = this.#session(id);
    clearTimeout(session.lastWordTimer);
    this.#recovery.stop(session);
    session.over?.resolve('far_end');
    const over = deferred<StreamOutcome>();
    session.over = over;
    session.entry?.abandon();
    session.entry?.stream.drop();
    session.bot?.abandon(); // its stream is lost, though nobody has told it
    session.bot = undefined;
    registry.update(id, { state: 'starting' });
    session.waitingSince ??= performance.now();
    const { comeback } = session;
    session.entry = new StreamEntry(
      {
        callId: id,
        stream,
        pool,
        attempt: registry.get(id)?.attempt ?? 1,
        maxAttempts: MAX_ATTEMPTS,
        waitedMs: performance.now() - session.waitingSince,
        codec: carrier.createCodec(''),
        serve: (bot, attempt) => this.#serve(session, bot, attempt),
        onFailed: (reason) => this.#onNoBot(session, reason),
        logger,
      },
      comeback?.bot.isOver ? undefined : comeback?.bot,
    );
    stream.once('closed', () => {
      session.entry?.abandon();
      session.entry = undefined;
      session.waitingSince = undefined;
      over.resolve('far_end');
      this.#onFarEnd(session);
    });
  }

  /** Ends a call that never came about. */
  abandon(session: Session, reason: EndReason): void {
    if (session.providerCallId !== undefined) this.options.hangups.owe(session.providerCallId);
    this.#end(session, reason);
  }

  /** Calls that this runner has something to do for: not those whose callers talk to somebody else. */
  get busyCount(): number {
    return this.#sessions.all().filter(({ verdict }) => verdict !== 'transferred').length;
  }

  /** Ends what is left when the runner leaves; callers who talk to somebody else go on. */
  endAll(reason: EndReason): void {
    for (const session of this.#sessions.all()) {
      if (session.verdict === 'transferred') this.#end(session, 'transferred');
      else this.abandon(session, reason);
    }
  }

  /** Bots that end their calls from here on do so because the runner stops. */
  stopCalls(): void {
    for (const session of this.#sessions.all()) session.verdict ??= 'runner_stopped';
    this.options.pool.stopCalls();
  }

  #find({ ticket, callId }: Pick<CallNews, 'ticket' | 'callId'>): Session | undefined {
    return ticket ? this.#sessions.get(ticket.callId) : this.#sessions.ofProvider(callId);
  }

  #isEnded({ ticket, callId }: CallNews): boolean {
    const id = callIdOf({ ticket, callId });
    const record = this.options.registry.get(id);
    return record ? record.state === 'ended' : this.options.memory.hasEnded(id);
  }

  /** A call that a runner which is gone had begun to transfer. */
  #adopt(news: CallNews, to: string, transferNo: number): Session {
    const session = this.#open(news, 2);
    this.#transfers.adopt(session, to, transferNo);
    return session;
  }

  #open({ ticket, callId, direction, from, to, query }: CallNews, attempt = 1): Session {
    const id = callIdOf({ ticket, callId });
    const isDialled = direction === 'outbound';
    this.options.registry.open({ id, providerCallId: callId, direction, from, to, state: 'ringing' }, attempt);
    const session = this.#sessions.open({ id, isDialled, body: ticket?.body ?? {}, query, providerCallId: callId });
    if (attempt > 1) this.#answered(session);
    return session;
  }

  #session(id: CallId): Session {
    const session = this.#sessions.get(id);
    if (!session) throw new Error(`no session for live call ${id}`);
    return session;
  }

  #answered(session: Session): void {
    if (session.limitTimer) return;
    const politeMs = Math.max(0, this.#limitOf(session) - GOODBYE_MS);
    session.limitTimer = setTimeout(() => this.#onLimit(session, 'length'), politeMs);
    this.options.registry.update(session.id, { answeredAt: Date.now() });
    this.options.pool.expect(session.id);
  }

  #limitOf({ isDialled }: Session): number {
    const { maxCallMs, maxDialledCallMs } = this.options;
    return isDialled ? Math.min(maxCallMs, maxDialledCallMs) : maxCallMs;
  }

  /** The bot is asked to end its call; when it does not, the call is ended at the carrier. */
  #onLimit(session: Session | undefined, limit: 'length' | 'silence'): void {
    if (!session || session.verdict === 'limit_reached') return;
    this.options.logger.warn('call has reached its limit', { callId: session.id, limit });
    session.verdict ??= 'limit_reached';
    clearTimeout(session.limitTimer);
    session.limitTimer = setTimeout(() => this.#giveUp(session, 'limit_reached'), GOODBYE_MS);
    (session.bot ?? session.entry)?.send({ type: 'end' });
  }

  /** Nobody ends the call by themselves any more: it is ended at the carrier, and counts as ended. */
  #giveUp(session: Session, reason: EndReason): void {
    if (this.#sessions.isLive(session)) this.abandon(session, session.verdict ?? reason);
  }

  /** The document of the call as it is, for a copy of a request that comes late. */
  #currentSteps(session: Session): AnswerStep[] {
    return session.verdict ? this.#finalSteps(session) : this.#streamSteps(session);
  }

  #streamSteps(session: Session): AnswerStep[] {
    if (!session.bot && !session.entry) this.#awaitLastWord(session, 'telephony_error');
    if (!session.bot && !session.entry && !session.recovery) this.#bringBack(session, CONNECT_LIMIT_MS);
    return this.options.documents.stream(session);
  }

  /** Another stream for the same call. */
  #nextStream(session: Session, attempt: number): AnswerStep[] {
    if (this.#hasNoBot(session)) return this.#conclude(session, 'no_bot');
    session.over = undefined;
    session.refusedTransfer = undefined;
    session.streamNo += 1;
    session.pass = new StreamPass();
    session.isLinkLost = false;
    const { reconnects } = session;
    this.options.registry.update(session.id, { attempt, state: 'starting', ...(reconnects > 0 && { reconnects }) });
    return this.#streamSteps(session);
  }

  /** Whether a stream would lead to nobody: then the caller hears so at once. */
  #hasNoBot({ id, comeback }: Session): boolean {
    const { problem: error } = this.options.pool;
    if (comeback || !error) return false;
    this.options.pool.forget(id);
    this.options.logger.error('no bot can be loaded for a call', { callId: id, error });
    return true;
  }

  /** A transfer came to nothing: the caller goes back to the bot that asked for it, or to another one. */
  #comeBack(session: Session, detail: string, status: Parameters<Transfers['failed']>[1] = 'failed'): AnswerStep[] {
    if (!session.transfer) return this.#streamSteps(session); // a copy of a request that is answered already
    this.#transfers.failed(session, status, detail);
    const attempt = this.options.registry.get(session.id)?.attempt ?? 1;
    if (session.comeback) return this.#nextStream(session, attempt);
    return attempt >= MAX_ATTEMPTS ? this.#conclude(session, 'bot_crashed') : this.#nextStream(session, attempt + 1);
  }

  /** Hangs up; a caller whom no bot could serve hears the recorded line first. */
  #finalSteps(session: Session): AnswerStep[] {
    const { verdict = 'bot_ended', hasBotEnded } = session;
    this.#awaitLastWord(session, verdict);
    const isFailure = ['no_bot', 'bot_crashed', 'bot_timeout', 'telephony_error'].includes(verdict);
    return isFailure && !hasBotEnded ? this.options.documents.apology() : [{ do: 'hangup' }];
  }

  #conclude(session: Session, verdict: EndReason): AnswerStep[] {
    session.verdict = verdict;
    if (session.transfer) session.transfer.phase = 'over';
    return this.#finalSteps(session);
  }

  /** The carrier goes on although no stream was ever connected: it gets the same one again, but not forever. */
  #resumeUnconnected(session: Session): AnswerStep[] {
    if (session.isLinkLost && this.#isNobodysFault(session)) {
      return this.#nextStream(session, this.options.registry.get(session.id)?.attempt ?? 1); // its pass may have expired
    }
    const now = performance.now();
    if (now - session.fruitlessAt < COPY_LIMIT_MS) return this.#streamSteps(session);
    session.fruitlessAt = now;
    session.fruitlessResumes += 1;
    this.options.logger.warn('the carrier did not connect its media stream', {
      callId: session.id,
      times: session.fruitlessResumes,
    });
    if (session.fruitlessResumes > MAX_FRUITLESS_RESUMES) return this.#conclude(session, 'telephony_error');
    return this.#streamSteps(session);
  }

  /** Hears what a bot says about the call. */
  #follow(id: CallId, bot: BotCall): void {
    bot.on('socket_received', () => this.#onTaken(id, bot));
    bot.on('reading', () => this.#onReading(id, bot));
    bot.on('stream_over', ({ outcome }) => this.#onStreamOver(id, outcome, bot));
    bot.on('ends_for', ({ reason }) => this.#onEndsFor(id, reason, bot));
    bot.on('transfer', ({ to }) => this.#onTransfer(id, to, bot));
    bot.on('silent', () => this.#onLimit(this.#sessions.get(id), 'silence'));
    bot.on('call_done', ({ outcome }) => this.#onBotDone(id, outcome, bot));
  }

  #serve(session: Session, bot: BotCall, attempt: number): void {
    const { id, body, query, comeback, failedTransfer, providerCallId = asProviderCallId('') } = session;
    const { registry } = this.options;
    if (registry.get(id)?.attempt !== attempt) registry.update(id, { attempt });
    const record = registry.get(id);
    if (!record) throw new Error(`no record of live call ${id}`);
    session.comeback = undefined;
    const { direction, from, to, reconnects } = record;
    const isBack = comeback?.bot === bot;
    if (!isBack) this.#follow(id, bot);
    bot.serve({
      type: 'serve',
      call: { id, direction, from, to, attempt, ...(reconnects !== undefined && { reconnects }) },
      providerCallId,
      carrier: this.options.carrier.name,
      body,
      query,
      silenceMs: this.options.silenceMs,
      limitMs: this.#limitOf(session),
      ...(isBack
        ? { comeback: { status: comeback.status, detail: comeback.detail } }
        : failedTransfer && { failedTransfer }),
    });
  }

  /** The first of the call's bots that listens gets the stream. */
  #onReading(id: CallId, bot: BotCall): void {
    const session = this.#sessions.get(id);
    const { entry } = session ?? {};
    const attempt = entry?.claim(bot);
    if (!session || !entry || attempt === undefined) return;
    clearTimeout(session.lastWordTimer);
    session.entry = undefined;
    session.outcome = undefined;
    session.waitingSince = undefined;
    session.fruitlessResumes = 0;
    session.failedTransfer = undefined;
    session.bot = bot;
    this.options.registry.update(id, { state: 'connected', attempt });
    bot.give(entry.stream.release());
  }

  #onTaken(id: CallId, bot: BotCall): void {
    const session = this.#sessions.get(id);
    if (session?.bot === bot) session.pass.use(); // otherwise a newer connection came meanwhile
  }

  /** A caller waits and no bot can be had: the document after the stream is the recorded line. */
  #onNoBot(session: Session, reason: NoBotReason): void {
    session.verdict ??= reason;
    this.options.pool.forget(session.id);
    session.entry?.stream.end();
    session.entry = undefined;
    session.over?.resolve('bot_timeout');
    this.#awaitLastWord(session, reason);
    this.#bringBack(session, 0);
  }

  #onStreamOver(id: CallId, outcome: StreamOutcome, bot: BotCall): void {
    const session = this.#sessions.get(id);
    if (!session) return;
    const { entry } = session;
    if (entry?.has(bot) && outcome !== 'bot_ended') {
      entry.lost(bot, outcome === 'bot_timeout' ? outcome : 'bot_crashed');
      return;
    }
    if (entry?.has(bot)) {
      entry.abandon(); // the bot has ended the call and heard nothing of it
      entry.stream.end();
      session.entry = undefined;
    } else if (session.bot !== bot) return;
    session.bot = undefined;
    session.outcome = outcome;
    if (outcome === 'bot_crashed' || outcome === 'bot_timeout') session.waitingSince = performance.now();
    session.over?.resolve(outcome);
    if (outcome === 'transferring') return; // the transfer has a time limit of its own
    if (outcome === 'far_end') {
      this.#onFarEnd(session);
      return;
    }
    if (outcome === 'stream_lost') {
      this.#onStreamLost(session);
      return;
    }
    const isEndedBehindTunnel = outcome === 'bot_ended' && this.options.isTunnelled === true;
    this.#awaitLastWord(session, outcome, isEndedBehindTunnel ? TUNNELLED_LAST_WORD_LIMIT_MS : LAST_WORD_LIMIT_MS);
    if (outcome === 'bot_ended') {
      session.verdict ??= 'bot_ended';
      this.#hangUpAfterBot(session);
    } else this.#bringBack(session, 0);
  }

  /** The caller has hung up, or the link to the carrier has broken: without a tunnel the carrier says which. */
  #onFarEnd(session: Session): void {
    this.#awaitLastWord(session, this.options.isTunnelled ? 'telephony_error' : 'caller_hung_up');
    this.#bringBack(session, HANG_UP_NEWS_MS);
  }

  /** The stream is dead and the carrier may not know: it is asked to come, and a call that does not is ended there. */
  #onStreamLost(session: Session): void {
    this.options.logger.warn('the media stream of a call has fallen silent', { callId: session.id });
    this.#awaitLastWord(
      session,
      'telephony_error',
      this.options.isTunnelled ? LAST_WORD_LIMIT_MS : LOST_STREAM_LIMIT_MS,
    );
    this.#recovery.start(session, 0);
  }

  /** Behind a tunnel the carrier may have come in vain, and is asked to come again; otherwise it comes by itself. */
  #bringBack(session: Session, graceMs: number): void {
    if (this.options.isTunnelled) this.#recovery.start(session, graceMs);
  }

  /** The carrier knows no such call any more. */
  #onGone(session: Session, told: EndReason): void {
    const reason = session.verdict ?? told;
    const isMachine = this.options.registry.get(session.id)?.answeredBy === 'machine';
    const isOver = reason === 'bot_ended' || reason === 'caller_hung_up';
    this.#end(session, isMachine && isOver ? 'voicemail' : reason);
  }

  /** What calls waited for, or cannot get any more. */
  #onReachedAgain(hasMoved: boolean): void {
    for (const session of this.#sessions.all()) {
      const { state } = this.options.registry.get(session.id) ?? {};
      if (hasMoved && (state === 'dialling' || state === 'ringing') && session.isDialled) {
        // Whoever picks up would be cut off: the carrier has the former address for the answer.
        this.options.logger.warn('the tunnel has moved, ending a call that nobody has answered', {
          callId: session.id,
        });
        this.abandon(session, 'tunnel_lost');
      } else void this.#transfers.recheck(session);
    }
  }

  /** A lost stream uses up no bot, unless it happens again and again. */
  #isNobodysFault(session: Session): boolean {
    if (!this.options.isTunnelled || session.reconnects >= MAX_RECONNECTS) return false;
    session.reconnects += 1;
    return true;
  }

  /** Whoever comes when there are too many hears that it is busy, and not silence. */
  #isTurnedAway(id: CallId, { callId, direction, from, to }: CallNews): boolean {
    const { maxCalls, pool, registry, onTurnedAway } = this.options;
    if (direction === 'outbound') return false;
    const max = maxCalls?.();
    const isTunnelFull = max !== undefined && this.busyCount >= max;
    if (!isTunnelFull && pool.expect(id) === 'in_time') return false;
    pool.forget(id);
    onTurnedAway?.(isTunnelFull ? 'tunnel_full' : 'no_bot_in_time');
    registry.open({ id, providerCallId: callId, direction, from, to, state: 'ringing' });
    registry.end(id, 'turned_away');
    return true;
  }

  #onEndsFor(id: CallId, reason: BotEndReason, bot: BotCall): void {
    const session = this.#sessions.get(id);
    if (!session) return;
    const isItsBot = (session.bot ?? session.transfer?.bot) === bot || session.entry?.has(bot);
    if (!isItsBot) return;
    session.hasBotEnded = true;
    session.verdict ??= reason;
  }

  /** Its bot has most likely hung up; when that did not reach the carrier, we do. */
  #hangUpAfterBot({ providerCallId }: Session): void {
    const graceMs = this.options.isTunnelled ? TUNNELLED_HANG_UP_GRACE_MS : HANG_UP_GRACE_MS;
    if (providerCallId !== undefined) this.options.hangups.owe(providerCallId, graceMs);
  }

  #onTransfer(id: CallId, to: string, bot: BotCall): void {
    const session = this.#sessions.get(id);
    if (session) void this.#transfers.request(session, to, bot);
  }

  /** A bot that returns while its caller is being transferred has hung up; one that failed is replaced if need be. */
  #onBotDone(id: CallId, outcome: BotOutcome, bot: BotCall): void {
    const session = this.#sessions.get(id);
    if (session?.comeback?.bot === bot) session.comeback = undefined;
    if (session?.transfer?.bot !== bot) return;
    session.transfer.bot = undefined;
    const { phase } = session.transfer;
    if (phase === 'answered' || phase === 'over' || outcome !== 'returned') return;
    session.verdict ??= 'bot_ended';
    this.#hangUpAfterBot(session);
  }

  /** A webhook may get lost: without a word from the carrier the call ends by what we know. */
  #awaitLastWord(session: Session, reason: EndReason, limitMs = LAST_WORD_LIMIT_MS): void {
    clearTimeout(session.lastWordTimer);
    const { phase } = session.transfer ?? {};
    if (phase === 'accepted' || phase === 'answered') return; // what the carrier does then has time limits of its own
    session.lastWordTimer = setTimeout(() => {
      this.#giveUp(session, session.isLinkLost ? 'tunnel_lost' : reason);
    }, limitMs);
  }

  #end(session: Session, reason: EndReason): void {
    const { id } = session;
    const bot = session.bot ?? session.entry ?? session.transfer?.bot ?? session.comeback?.bot;
    bot?.send({ type: 'call_over' });
    session.entry?.stream.drop();
    this.options.pool.forget(id);
    this.#sessions.close(session);
    this.options.registry.end(id, reason);
  }
}

/** How a stream has ended; when no news of that comes, it was lost on the way. */
function outcomeOf(over: Promise<StreamOutcome>): Promise<StreamOutcome> {
  return withDeadline(over, OUTCOME_LIMIT_MS, () => new Error()).catch(() => 'far_end');
}

/** Whether the carrier's end of the stream went away, rather than the bot's. */
function isCarrierSide(outcome: StreamOutcome): outcome is 'far_end' | 'stream_lost' {
  return outcome === 'far_end' || outcome === 'stream_lost';
}

function endReason<Far extends EndReason>(
  outcome: StreamOutcome,
  farEnd: Far,
): Exclude<StreamOutcome, 'far_end' | 'stream_lost' | 'transferring'> | Far {
  return isCarrierSide(outcome) || outcome === 'transferring' ? farEnd : outcome;
}

/** Whether news is about the transfer that is going on, and not a copy of an earlier one's. */
function isAbout({ transfer, transfers }: Session, { ticket }: CallNews): boolean {
  return transfer !== undefined && ticket?.transferNo === transfers;
}

/** An inbound call goes by its carrier's identifier. */
function callIdOf({ ticket, callId }: Pick<CallNews, 'ticket' | 'callId'>): CallId {
  return ticket?.callId ?? asCallId(callId);
}
