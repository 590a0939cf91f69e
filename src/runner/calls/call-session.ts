import type { Deferred } from '../../async/deferred.js';
import type { EndReason } from '../../call/call.js';
import type { CallId, ProviderCallId } from '../../call/call-id.js';
import type { FailedTransfer, TransferFailure } from '../../call/transfer-outcome.js';
import type { BotCall } from '../bots/bot-call.js';
import type { StreamOutcome } from '../bots/messages.js';
import type { StreamEntry } from './stream-entry.js';
import { StreamPass } from './stream-pass.js';

/** A transfer that a call's bot has asked for. */
export interface SessionTransfer {
  /** E.164. */
  readonly to: string;
  /** That bot, until it is gone. */
  bot: BotCall | undefined;
  phase: 'requested' | 'accepted' | 'answered' | 'over';
  /** Runs out when the carrier has gone silent about it. */
  timer: NodeJS.Timeout | undefined;
}

/** What the runner knows of a live call beyond its record. */
export interface Session {
  readonly id: CallId;
  /** Whether we dialled it. */
  readonly isDialled: boolean;
  readonly body: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, string>>;
  /** The carrier's identifier, once it is known. */
  providerCallId: ProviderCallId | undefined;
  pass: StreamPass;
  /** Counts the streams that the carrier was told to open, one after another. */
  streamNo: number;
  /** Settles with the end of the current stream; absent until there is one. */
  over: Deferred<StreamOutcome> | undefined;
  /** How the latest stream that a bot has read came to its end; undefined while one is read. */
  outcome: StreamOutcome | undefined;
  /** Connected, and read by no bot yet. */
  entry: StreamEntry | undefined;
  /** Monotonic time since which the caller has waited for a bot, in milliseconds. */
  waitingSince: number | undefined;
  /** Reads the stream. */
  bot: BotCall | undefined;
  lastWordTimer: NodeJS.Timeout | undefined;
  limitTimer: NodeJS.Timeout | undefined;
  transfer: SessionTransfer | undefined;
  /** Transfers this call has asked for so far. */
  transfers: number;
  /** The transfer that failed, as its bot was told, since the latest document; the carrier may have taken it all the same. */
  refusedTransfer: number | undefined;
  /** The bot that waits for its caller to come back, and what it will be told. */
  comeback: { readonly bot: BotCall; readonly status: TransferFailure; readonly detail: string } | undefined;
  /** What the next bot has to know, when the one that asked for the transfer is gone. */
  failedTransfer: FailedTransfer | undefined;
  /** While the call has no stream behind a tunnel: has the carrier come for another one. */
  recovery: AbortController | undefined;
  /** The caller waits because the carrier cannot reach us. */
  isLinkLost: boolean;
  /** Streams that were lost without anybody's fault, after which the caller came back. */
  reconnects: number;
  fruitlessResumes: number;
  /** Monotonic time of the last of them, in milliseconds. */
  fruitlessAt: number;
  /** Its bot has ended it in order: nobody owes the caller a word. */
  hasBotEnded: boolean;
  /** Decided, and waiting for the carrier to confirm that the call is over. */
  verdict: EndReason | undefined;
}

export type NewSession = Pick<Session, 'id' | 'isDialled' | 'body' | 'query' | 'providerCallId'>;

/** The live calls, by our identifier and by the carrier's. */
export class Sessions {
  readonly #byId = new Map<CallId, Session>();
  readonly #byProviderId = new Map<ProviderCallId, Session>();

  open(call: NewSession): Session {
    const session: Session = {
      ...call,
      pass: new StreamPass(),
      streamNo: 1,
      over: undefined,
      outcome: undefined,
      entry: undefined,
      waitingSince: undefined,
      bot: undefined,
      lastWordTimer: undefined,
      limitTimer: undefined,
      transfer: undefined,
      transfers: 0,
      refusedTransfer: undefined,
      comeback: undefined,
      failedTransfer: undefined,
      recovery: undefined,
      isLinkLost: false,
      reconnects: 0,
      fruitlessResumes: 0,
      fruitlessAt: Number.NEGATIVE_INFINITY,
      hasBotEnded: false,
      verdict: undefined,
    };
    this.#byId.set(session.id, session);
    if (session.providerCallId !== undefined) this.#byProviderId.set(session.providerCallId, session);
    return session;
  }

  get(id: CallId): Session | undefined {
    return this.#byId.get(id);
  }

  ofProvider(providerCallId: ProviderCallId): Session | undefined {
    return this.#byProviderId.get(providerCallId);
  }

  bind(session: Session, providerCallId: ProviderCallId): void {
    if (session.providerCallId !== undefined) this.#byProviderId.delete(session.providerCallId);
    session.providerCallId = providerCallId;
    this.#byProviderId.set(providerCallId, session);
  }

  isLive(session: Session): boolean {
    return this.#byId.get(session.id) === session;
  }

  /** Forgets a call and stops all its timers. */
  close(session: Session): void {
    session.recovery?.abort();
    session.entry?.close();
    for (const timer of [session.lastWordTimer, session.limitTimer, session.transfer?.timer]) {
      clearTimeout(timer);
    }
    this.#byId.delete(session.id);
    if (session.providerCallId !== undefined) this.#byProviderId.delete(session.providerCallId);
  }

  all(): Session[] {
    return [...this.#byId.values()];
  }
}
