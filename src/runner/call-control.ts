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
import { StreamPass } from './stream-pass.js';
import type { WebhookAddresses } from './webhook-addresses.js';

/** Bots a call may use up before the caller hears the recorded line. */
const MAX_ATTEMPTS = 3;
/** Longest a bot may take to begin reading its stream, in milliseconds; then another one takes over. */
const READING_LIMIT_MS = 8_000;
/** How long the carrier may be ahead of our own news of a stream's end, in milliseconds. */
const OUTCOME_LIMIT_MS = 2_000;
/** How long a call whose stream is over waits for the carrier's word before it counts as ended, in milliseconds. */
const LAST_WORD_LIMIT_MS = 30_000;
/** Fetches of the continuation that may find the stream never connected. */
const MAX_FRUITLESS_RESUMES = 3;

/** What the runner knows of a live call beyond its record. */
interface Session {
  pass: StreamPass;
  /** Settles with the end of the current stream; absent until there is one. */
  over: Deferred<StreamOutcome> | undefined;
  process: BotProcess | undefined;
  readingTimer: NodeJS.Timeout | undefined;
  lastWordTimer: NodeJS.Timeout | undefined;
  fruitlessResumes: number;
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
    if (!session.over) return this.#resumeUnconnected(callId, session);
    const { over } = session;
    const outcome = await withDeadline(over.promise, OUTCOME_LIMIT_MS, () => new Error()).catch(
      () => 'far_end' as const,
    );
    if (session.verdict) return this.#finalSteps(callId, session);
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
  hangup({ callId, hangup }: CarrierWebhook & { callId: string }): void {
    const session = this.#sessions.get(callId);
    if (!session) return;
    session.process?.callOver(callId);
    this.#end(callId, session.verdict ?? hangup?.reason ?? 'provider_error');
  }

  /** Whether a stream that presents this token may be connected to this call. */
  admits(callId: string, token: string): boolean {
    return this.#sessions.get(callId)?.pass.admits(token) === true;
  }

  /** Hands an admitted stream to a bot. Call only right after {@link admits}. */
  async connect(callId: string, request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    const session = this.#session(callId);
    session.pass.use();
    session.over = deferred();
    this.registry.update(callId, { state: 'starting' });
    const process = await this.pool.acquire();
    const record = this.registry.get(callId);
    if (!record || record.state === 'ended' || socket.destroyed) {
      socket.destroy();
      session.over.resolve('far_end');
      return;
    }
    session.process = process;
    session.readingTimer = setTimeout(() => {
      this.logger.warn('bot did not begin to read its stream', { callId, limitMs: READING_LIMIT_MS });
      process.abandon(callId);
    }, READING_LIMIT_MS);
    const { id, direction, from, to, attempt } = record;
    const { method = 'GET', url = '/', headers } = request;
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
      process: undefined,
      readingTimer: undefined,
      lastWordTimer: undefined,
      fruitlessResumes: 0,
      verdict: undefined,
    };
    this.#sessions.set(callId, session);
    this.registry.open({ id: callId, direction, from, to }, attempt);
    this.#awaitLastWord(callId, session, 'provider_error');
    return session;
  }

  #session(callId: string): Session {
    const session = this.#sessions.get(callId);
    if (!session) throw new Error(`no session for live call ${callId}`);
    return session;
  }

  #streamSteps(callId: string, { pass }: Session): AnswerStep[] {
    const { resumeUrl, statusUrl } = this.addresses;
    const url = this.addresses.streamUrl(callId, pass.token);
    return [{ do: 'stream', stream: { url, continueUrl: resumeUrl, statusUrl } }];
  }

  #finalSteps(callId: string, session: Session): AnswerStep[] {
    const isOurFault = session.verdict === 'bot_crashed' || session.verdict === 'bot_timeout';
    this.#awaitLastWord(callId, session, session.verdict ?? 'bot_ended');
    return isOurFault ? [{ do: 'play', url: this.addresses.apologyUrl }, { do: 'hangup' }] : [{ do: 'hangup' }];
  }

  #conclude(callId: string, session: Session, verdict: EndReason): AnswerStep[] {
    session.verdict = verdict;
    return this.#finalSteps(callId, session);
  }

  /** The carrier goes on although no stream was ever connected: it gets the same one again, but not forever. */
  #resumeUnconnected(callId: string, session: Session): AnswerStep[] {
    session.fruitlessResumes += 1;
    if (session.fruitlessResumes > MAX_FRUITLESS_RESUMES) return this.#conclude(callId, session, 'bot_timeout');
    return this.#streamSteps(callId, session);
  }

  #onReading(callId: string): void {
    const session = this.#sessions.get(callId);
    if (!session) return;
    clearTimeout(session.readingTimer);
    clearTimeout(session.lastWordTimer);
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
    this.#sessions.delete(callId);
    this.registry.end(callId, reason);
  }
}

function endReason<Far extends EndReason>(outcome: StreamOutcome, farEnd: Far): EndReason {
  return outcome === 'far_end' ? farEnd : outcome;
}
