import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { withDeadline } from '../async/deadline.js';
import { type Deferred, deferred } from '../async/deferred.js';
import type { EndReason } from '../call/call.js';
import type { AnswerStep, CarrierWebhook } from '../carriers/contract.js';
import type { Logger } from '../logger.js';
import type { StreamOutcome } from './bot-messages.js';
import type { BotPool } from './bot-pool.js';
import type { BotProcess } from './bot-process.js';
import type { CallRegistry } from './call-registry.js';
import { PASS_VALID_MS, StreamPass } from './stream-pass.js';
import type { WebhookAddresses } from './webhook-addresses.js';

/** Bots a call may use up before the caller hears the recorded line. */
const MAX_ATTEMPTS = 3;
/** Longest a bot may take to begin reading its stream, in milliseconds; then another one takes over. */
const READING_LIMIT_MS = 8_000;
/** How long the carrier may be ahead of our own news of a stream's end, in milliseconds. */
const OUTCOME_LIMIT_MS = 2_000;
/** How long a call without a stream waits for the carrier's next word before it counts as ended, in milliseconds. */
const LAST_WORD_LIMIT_MS = PASS_VALID_MS;
/** Fetches of the continuation that may find the stream never connected. */
const MAX_FRUITLESS_RESUMES = 3;
/** Fetches that follow one of those this closely are copies of it, in milliseconds. */
const COPY_LIMIT_MS = 1_000;

/** What the runner knows of a live call beyond its record. */
interface Session {
  pass: StreamPass;
  /** Settles with the end of the current stream; absent until there is one. */
  over: Deferred<StreamOutcome> | undefined;
  /** Connected, and not yet in a bot's process. */
  pending: Socket | undefined;
  process: BotProcess | undefined;
  readingTimer: NodeJS.Timeout | undefined;
  lastWordTimer: NodeJS.Timeout | undefined;
  fruitlessResumes: number;
  /** Monotonic time of the last of them, in milliseconds. */
  fruitlessAt: number;
  /** Decided, and waiting for the carrier to confirm that the call is over. */
  verdict: EndReason | undefined;
}

/** Decides what happens to calls: which document the carrier gets, which bot serves, who replaces it, how it ends. */
export class CallControl {
  readonly #sessions = new Map<string, Session>();
  #isDraining = false;

  constructor(
    private readonly registry: CallRegistry,
    private readonly pool: BotPool,
    private readonly addresses: WebhookAddresses,
    private readonly logger: Logger,
  ) {
    pool.on('taken', (callId, process) => this.#onTaken(callId, process));
    pool.on('reading', (callId) => this.#onReading(callId));
    pool.on('stream_over', (callId, outcome, process) => this.#onStreamOver(callId, outcome, process));
  }

  /** From now on new calls are turned away. */
  drain(): void {
    this.#isDraining = true;
  }

  /** The document of a new call. Asking again gives the same one. */
  answer(webhook: CarrierWebhook & { callId: string }): AnswerStep[] {
    const record = this.registry.get(webhook.callId);
    if (record?.state === 'ended') return [{ do: 'hangup' }];
    if (record) return this.#streamSteps(webhook.callId, this.#session(webhook.callId));
    if (this.#isDraining) return [{ do: 'hangup', reason: 'busy' }];
    return this.#streamSteps(webhook.callId, this.#open(webhook));
  }

  /** The document after a stream has ended: hang up after a bot that was done, another bot after one that was not. */
  async resume(webhook: CarrierWebhook & { callId: string }): Promise<AnswerStep[]> {
    const { callId } = webhook;
    if (this.registry.get(callId)?.state === 'ended') return [{ do: 'hangup' }];
    const session = this.#sessions.get(callId) ?? this.#open(webhook, 2); // unknown: the runner was restarted under it
    clearTimeout(session.lastWordTimer);
    const { over } = session;
    const outcome =
      over && (await withDeadline(over.promise, OUTCOME_LIMIT_MS, () => new Error()).catch(() => 'far_end' as const));
    if (session.verdict) return this.#finalSteps(callId, session);
    if (!over || !outcome) return this.#resumeUnconnected(callId, session);
    if (session.over !== over) return this.#streamSteps(callId, session); // a twin of this request was faster
    if (outcome === 'bot_ended') return this.#conclude(callId, session, 'bot_ended');
    const attempt = this.registry.get(callId)?.attempt ?? MAX_ATTEMPTS;
    if (attempt >= MAX_ATTEMPTS) return this.#conclude(callId, session, endReason(outcome, 'bot_crashed'));
    this.logger.warn('caller is back, starting another bot', { callId, outcome, attempt: attempt + 1 });
    session.over = undefined;
    session.pass = new StreamPass();
    this.registry.update(callId, { attempt: attempt + 1, state: 'starting' });
    return this.#streamSteps(callId, session);
  }

  /** The carrier says the call is over. */
  hangup(webhook: CarrierWebhook & { callId: string }): void {
    const { callId } = webhook;
    // A caller may give up before the answer is asked for, and webhooks overtake each other: the answer then comes too late.
    const session = this.#sessions.get(callId) ?? (this.registry.get(callId) ? undefined : this.#open(webhook));
    if (session) this.#end(callId, session.verdict ?? webhook.hangup?.reason ?? 'provider_error');
  }

  /** Whether a stream that presents this token may be connected to this call. */
  admits(callId: string, token: string): boolean {
    const session = this.#sessions.get(callId);
    return session !== undefined && !session.verdict && session.pass.admits(token);
  }

  /**
   * Hands an admitted stream to a bot. Call only right after {@link admits}. Until a bot's process has the socket the
   * carrier may come again, and then the newer connection counts.
   * @throws VoicebotError VB_DEADLINE_EXCEEDED when no bot became ready
   */
  async connect(callId: string, request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    const session = this.#session(callId);
    const over = deferred<StreamOutcome>();
    clearTimeout(session.lastWordTimer);
    clearTimeout(session.readingTimer);
    session.over?.resolve('far_end');
    session.over = over;
    session.pending?.destroy();
    session.pending = socket;
    session.process?.abandon(callId); // its stream is lost, though nobody has told it
    session.process = undefined;
    this.registry.update(callId, { state: 'starting' });
    const giveUp = () => {
      if (session.pending === socket) session.pending = undefined;
    };
    socket.once('close', giveUp).once('end', giveUp).resume(); // nothing is said before the upgrade is answered
    try {
      await this.pool.assign(callId, (process) => {
        if (session.pending === socket && !session.verdict && this.#sessions.get(callId) === session) {
          this.#serve(callId, session, process, request, socket, head);
        } else {
          socket.destroy();
          this.#lostBeforeServed(callId, session, over);
        }
      });
    } catch (error) {
      giveUp();
      over.resolve('bot_timeout');
      this.#awaitLastWord(callId, session, 'bot_timeout');
      throw error;
    }
  }

  #lostBeforeServed(callId: string, session: Session, over: Deferred<StreamOutcome>): void {
    over.resolve('far_end');
    if (session.over === over) this.#awaitLastWord(callId, session, 'caller_hung_up');
  }

  #onTaken(callId: string, process: BotProcess): void {
    const session = this.#sessions.get(callId);
    if (!session || session.process !== process) return; // a newer connection came meanwhile
    session.pass.use();
    session.pending = undefined;
  }

  #serve(
    callId: string,
    session: Session,
    process: BotProcess,
    { method = 'GET', url = '/', headers }: IncomingMessage,
    socket: Socket,
    head: Buffer,
  ): void {
    const record = this.registry.get(callId);
    if (!record) throw new Error(`no record of live call ${callId}`);
    session.process = process;
    session.readingTimer = setTimeout(() => {
      // When it was the runner that stood still, the news is still waiting to be read.
      setImmediate(() => this.#onNotReading(callId, session, process));
    }, READING_LIMIT_MS);
    const { id, direction, from, to, attempt } = record;
    process.serve(
      {
        type: 'serve',
        call: { id, direction, from, to, attempt },
        body: {},
        request: { method, url, headers },
        head: head.toString('base64'),
      },
      socket,
    );
  }

  #onNotReading(callId: string, session: Session, process: BotProcess): void {
    if (session.process !== process || session.readingTimer === undefined) return;
    this.logger.warn('bot did not begin to read its stream', { callId, limitMs: READING_LIMIT_MS });
    process.abandon(callId);
  }

  /** Ends what is left when the runner leaves. */
  endAll(reason: EndReason): void {
    for (const callId of [...this.#sessions.keys()]) this.#end(callId, reason);
  }

  /** Bots that end their calls from here on do so because the runner stops. */
  stopCalls(): void {
    for (const session of this.#sessions.values()) session.verdict ??= 'runner_stopped';
    this.pool.stopCalls();
  }

  #open(webhook: CarrierWebhook & { callId: string }, attempt = 1): Session {
    const { callId, direction, from, to } = webhook;
    const session: Session = {
      pass: new StreamPass(),
      over: undefined,
      pending: undefined,
      process: undefined,
      readingTimer: undefined,
      lastWordTimer: undefined,
      fruitlessResumes: 0,
      fruitlessAt: Number.NEGATIVE_INFINITY,
      verdict: undefined,
    };
    this.#sessions.set(callId, session);
    this.registry.open({ id: callId, direction, from, to }, attempt);
    return session;
  }

  #session(callId: string): Session {
    const session = this.#sessions.get(callId);
    if (!session) throw new Error(`no session for live call ${callId}`);
    return session;
  }

  #streamSteps(callId: string, session: Session): AnswerStep[] {
    if (!session.process) this.#awaitLastWord(callId, session, 'provider_error');
    const { resumeUrl, statusUrl } = this.addresses;
    const url = this.addresses.streamUrl(callId, session.pass.token);
    return [{ do: 'stream', stream: { url, continueUrl: resumeUrl, statusUrl } }];
  }

  /** Hangs up; a caller whom no bot could serve hears the recorded line first. */
  #finalSteps(callId: string, session: Session): AnswerStep[] {
    this.#awaitLastWord(callId, session, session.verdict ?? 'bot_ended');
    const isServed = session.verdict === 'bot_ended' || session.verdict === 'runner_stopped';
    return isServed ? [{ do: 'hangup' }] : [{ do: 'play', url: this.addresses.apologyUrl }, { do: 'hangup' }];
  }

  #conclude(callId: string, session: Session, verdict: EndReason): AnswerStep[] {
    session.verdict = verdict;
    return this.#finalSteps(callId, session);
  }

  /** The carrier goes on although no stream was ever connected: it gets the same one again, but not forever. */
  #resumeUnconnected(callId: string, session: Session): AnswerStep[] {
    const now = performance.now();
    if (now - session.fruitlessAt < COPY_LIMIT_MS) return this.#streamSteps(callId, session);
    session.fruitlessAt = now;
    session.fruitlessResumes += 1;
    this.logger.warn('the carrier did not connect its media stream', { callId, times: session.fruitlessResumes });
    if (session.fruitlessResumes > MAX_FRUITLESS_RESUMES) return this.#conclude(callId, session, 'provider_error');
    return this.#streamSteps(callId, session);
  }

  #onReading(callId: string): void {
    const session = this.#sessions.get(callId);
    if (!session) return;
    clearTimeout(session.readingTimer);
    session.readingTimer = undefined;
    session.fruitlessResumes = 0;
    this.registry.update(callId, { state: 'connected' });
  }

  #onStreamOver(callId: string, outcome: StreamOutcome, process: BotProcess): void {
    const session = this.#sessions.get(callId);
    if (!session || session.process !== process) return;
    clearTimeout(session.readingTimer);
    session.process = undefined;
    session.over?.resolve(outcome);
    if (outcome === 'bot_ended') session.verdict ??= 'bot_ended';
    this.#awaitLastWord(callId, session, endReason(outcome, 'caller_hung_up'));
  }

  /** A webhook may get lost: without a word from the carrier the call ends by what we know. */
  #awaitLastWord(callId: string, session: Session, reason: EndReason): void {
    clearTimeout(session.lastWordTimer);
    session.lastWordTimer = setTimeout(() => this.#end(callId, session.verdict ?? reason), LAST_WORD_LIMIT_MS);
  }

  #end(callId: string, reason: EndReason): void {
    const session = this.#sessions.get(callId);
    if (!session) return;
    clearTimeout(session.readingTimer);
    clearTimeout(session.lastWordTimer);
    session.pending?.destroy();
    session.process?.callOver(callId);
    this.#sessions.delete(callId);
    this.registry.end(callId, reason);
  }
}

function endReason<Far extends EndReason>(outcome: StreamOutcome, farEnd: Far): EndReason {
  return outcome === 'far_end' ? farEnd : outcome;
}
