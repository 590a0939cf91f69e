import type { Buffer } from 'node:buffer';
import { isLoopbackName } from '../../../base/http/loopback-host.js';
import { ProviderError } from '../../../base/provider-error.js';
import { vendorOf } from '../model-vendor.js';
import type { Vendor } from '../vendor.js';
import { VendorLink } from '../vendor-link.js';
import { connectionFailure, connectProvider, type VendorSocketOptions } from '../vendor-socket.js';
import type { LiveClientEvent, LiveErrorEvent, LiveModel, LiveServerEvent } from './realtime-model.js';

/** Longest wait for the vendor to accept a connection, in milliseconds. */
const CONNECT_LIMIT_MS = 2_500;
/** The first connection after a break has at least this long to say that its session is there, in milliseconds. */
const PROOF_MS = 2_500;
/** A connection that lasted this long was not part of a series of failures, in milliseconds. */
const STEADY_MS = 10_000;
/** Longest time without a session that works, in milliseconds. */
const GIVE_UP_MS = 5_000;
/** The same where a cascade stands beside the session: at the beginning of a call, and after a break, in milliseconds. */
const REPLACED_FIRST_MS = 1_200;
const REPLACED_AFTER_MS = 450;
const INTENT = { intent: 'conversation' } as const;

export interface LiveLinkListener {
  /** A connection is there; nothing was said on it. */
  opened(): void;
  event(event: LiveServerEvent): void;
  /** The connection broke, and another is opened. */
  lost?(): void;
  /** Once for each break: there is a session again. */
  mended(error: ProviderError): void;
  /** Once, at the end: there will be no session any more. */
  gaveUp(error: ProviderError): void;
}

/**
 * A realtime model on WebSockets for the length of a call, in the words of the `ai` package's contract: one connection after the other,
 * each with a parser of its own.
 */
export class LiveLink {
  readonly vendor: Vendor;
  readonly #link: VendorLink<LiveServerEvent>;
  #parse: (raw: unknown) => LiveServerEvent | LiveServerEvent[] = () => [];
  /** What is written later than it was sent, so that everything behind it waits. */
  #writing: Promise<void> | undefined;
  #apiKey = NO_KEY;
  #hasWorked = false;
  #names = 0;
  /** What the latest message is called, where messages have names. */
  lastName: string | undefined;

  /**
   * @param isReplaceable a cascade goes on when there is no session: it gives up soon
   * @param namesMessages each message has a name, and errors tell it
   */
  constructor(
    private readonly model: LiveModel,
    listener: LiveLinkListener,
    isReplaceable = false,
    private readonly namesMessages = false,
  ) {
    this.vendor = vendorOf(model);
    const link = this;
    const account = {
      provider: this.vendor,
      baseUrl: '',
      get apiKey() {
        return link.#apiKey;
      },
    };
    this.#link = new VendorLink<LiveServerEvent>(
      {
        account,
        path: '',
        headers: {},
        connect: async (options) => connectProvider({ ...options, ...(await this.#locate()) }),
        farewell: () => [],
        parse: (data) => this.#read(data),
        connectLimitMs: CONNECT_LIMIT_MS,
        get giveUpAfterMs() {
          if (!isReplaceable) return GIVE_UP_MS;
          return link.#hasWorked ? REPLACED_AFTER_MS : REPLACED_FIRST_MS;
        },
        givesUpFor: ({ isOverload }) => isReplaceable && isOverload,
        proofMs: isReplaceable ? REPLACED_AFTER_MS : PROOF_MS,
        steadyMs: STEADY_MS,
      },
      {
        opened: () => {
          const parse = model.createServerEventParser?.() ?? ((raw: unknown) => model.parseServerEvent(raw));
          this.#parse = (raw) => parse(raw);
          this.#writing = undefined;
          listener.opened();
        },
        received: (event) => listener.event(event),
        lost: () => listener.lost?.(),
        mended: (error) => listener.mended(error),
        gaveUp: (error) => listener.gaveUp(error),
      },
    );
  }

  get isOpen(): boolean {
    return this.#link.isOpen;
  }

  open(): void {
    this.#link.open();
  }

  /** Sends an event, when there is a connection; one that the vendor has no message for is left out. Never waits. */
  send(event: LiveClientEvent): void {
    const message = this.model.serializeClientEvent(event, INTENT);
    if (isPromise(message) || this.#writing) this.#sendLater(message);
    else this.sendRaw(message);
  }

  /** Sends a message of the vendor's own. */
  sendRaw(message: unknown): void {
    if (typeof message !== 'object' || message === null) return;
    if (this.#writing) this.#sendLater(message);
    else this.#link.send(JSON.stringify(this.#named(message)));
  }

  #named(message: object): object {
    if (!this.namesMessages) return message;
    this.#names += 1;
    this.lastName = `${(message as { type?: string }).type}#${this.#names}`;
    return { ...message, event_id: this.lastName };
  }

  /** The session is there. */
  markAlive(): void {
    this.#hasWorked = true;
    this.#link.markAlive();
  }

  /** The session has answered: a break of it begins no series of failures. */
  markWorking(): void {
    this.#link.markWorking();
  }

  /** The session is of no use: opens another. @param since when it stopped working, monotonic milliseconds */
  renew(error: ProviderError, since?: number): void {
    this.#link.renew(error, since);
  }

  /** A failure in the vendor's words. */
  failure(words: string): ProviderError {
    return connectionFailure({ provider: this.vendor, apiKey: this.#apiKey, baseUrl: '' }, words);
  }

  /** An error that the vendor has told of. */
  failureOf({ message, code }: Pick<LiveErrorEvent, 'message' | 'code'>): ProviderError {
    return this.failure(code && !message.includes(code) ? `${code}, ${message}` : message);
  }

  /** Ends it in good order; nothing more is told. Safe at any time. */
  close(): void {
    this.#link.close();
  }

  /** In order, also of what is written later; what a connection before was to be sent is dropped. */
  #sendLater(message: unknown): void {
    const connection = this.#parse;
    const sent = (written: unknown) => {
      if (connection !== this.#parse) return;
      if (this.#writing === writing) this.#writing = undefined;
      if (written !== undefined && written !== null) this.#link.send(JSON.stringify(written));
    };
    const writing: Promise<void> = Promise.all([message, this.#writing]).then(
      ([written]) => sent(written),
      () => sent(undefined),
    );
    this.#writing = writing;
  }

  #read(data: Buffer): LiveServerEvent[] {
    const raw: unknown = JSON.parse(String(data));
    const answer = this.model.getHealthCheckResponse?.(raw);
    if (answer !== undefined && answer !== null) this.sendRaw(answer);
    return [this.#parse(raw)].flat();
  }

  async #locate(): Promise<Pick<VendorSocketOptions, 'account' | 'path' | 'headers' | 'protocols'>> {
    const { model } = this;
    const found = await this.#connection().catch((error: Error) => {
      const [, status] = /failed: (\d{3})\b/.exec(error.message) ?? [];
      if (status) throw ProviderError.ofStatus(this.vendor, Number(status), '');
      throw this.failure(error.message);
    });
    const { authorization = found.headers.Authorization, ...rest } = found.headers;
    this.#apiKey = authorization?.split(' ').at(-1) ?? rest['x-goog-api-key'] ?? NO_KEY;
    const { origin, pathname, search, hostname } = new URL(found.url);
    // a package that makes a token of the vendor's gives an address with TLS, also for a far end on this machine
    const baseUrl = isLoopbackName(hostname) && !model.getServerWebSocketConfig ? origin.replace(/^wss/, 'ws') : origin;
    const account = { provider: this.vendor, apiKey: this.#apiKey, baseUrl };
    return { account, path: pathname + search, headers: found.headers, protocols: found.protocols ?? [] };
  }

  async #connection(): Promise<{ url: string; headers: Record<string, string>; protocols?: string[] }> {
    const { model } = this;
    const ours = await model.getServerWebSocketConfig?.(INTENT);
    if (ours) return ours;
    const secret = await model.doCreateClientSecret?.({});
    const config = secret && model.getWebSocketConfig?.(secret);
    if (config) return { ...config, headers: {} };
    throw new Error(`${model.modelId} tells no address that a server can connect to`);
  }
}

/** What stands for a key that is not known: no text has it. */
const NO_KEY = '\u0000';

const isPromise = (value: unknown): value is Promise<unknown> =>
  typeof (value as Partial<Promise<unknown>> | undefined | null)?.then === 'function';
