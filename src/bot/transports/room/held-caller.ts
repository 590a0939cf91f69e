import type { EndReason } from '../../../call/call.js';
import { asProviderCallId } from '../../../call/call-id.js';
import type { RoomsDialinSettings } from '../../../call/rooms-dialin-request.js';
import type { RoomsRestClient } from '../../../providers/rooms/room-provider.js';

/** Longest wait for the room to be ready for a caller, counted from when we are in it, in milliseconds. */
const READY_LIMIT_MS = 15_000;
/** When the provider has not told that the room is ready, it is tried from then on, in milliseconds after we have come into it. */
const UNTOLD_MS = 4_000;
/** How long a caller who cannot be forwarded may just not be known yet, in milliseconds (rooms reference 4.5). */
const NOT_YET_MS = 5_000;
const TRY_AGAIN_MS = 400;
/** The same for a room that may not be ready, in milliseconds. */
const TRY_UNTOLD_AGAIN_MS = 1_000;
/** Longest wait for a caller who was forwarded, in milliseconds (rooms reference 14.6). */
const ARRIVAL_LIMIT_MS = 10_000;

export type ForwardingClient = Pick<RoomsRestClient, 'forwardCaller' | 'sipEndpoints' | 'close'>;

/** Why a held caller does not come. */
export interface CallerLoss {
  readonly errorMsg: string;
  readonly reason: Extract<EndReason, 'caller_hung_up' | 'telephony_error'>;
}

export interface HeldCallerActions {
  createClient(): Promise<ForwardingClient>;
  /** The name of the room. */
  readonly roomName: string;
  /** The caller is on the way. */
  forwarded(): void;
  /** The caller will not come. */
  lost(loss: CallerLoss): void;
}

const NOT_READY: CallerLoss = { errorMsg: 'the room was not ready for the caller', reason: 'telephony_error' };

/** `held -> forwarding -> forwarded -> over`; from anywhere it may be over. */
type State = 'held' | 'forwarding' | 'forwarded' | 'over';

/** The caller whom the provider holds for us, from our coming into the room to theirs. */
export class HeldCaller {
  #state: State;
  #timer: NodeJS.Timeout | undefined;
  #client: Promise<ForwardingClient> | undefined;
  readonly #abort = new AbortController();
  /** Whether the provider has told that the room is ready. */
  #isTold = false;
  /** When forwarding is tried for the last time, in monotonic milliseconds. */
  #lastTryAt = 0;

  /** @param isForwarded whether an earlier bot has fetched the caller */
  constructor(
    private readonly settings: RoomsDialinSettings,
    isForwarded: boolean,
    private readonly actions: HeldCallerActions,
  ) {
    this.#state = isForwarded ? 'forwarded' : 'held';
  }

  /** Whether the caller may still come. */
  get isAwaited(): boolean {
    return this.#state !== 'over';
  }

  /** Loads what forwarding takes, to have it when the room is ready. */
  prepare(): void {
    if (this.#state !== 'held' || this.#client) return;
    this.#client = this.actions.createClient();
    this.#client.catch(() => {}); // told when it is needed
  }

  /** We are in the room. */
  awaitFromNow(): void {
    if (this.#state === 'forwarded') this.#awaitArrival();
    else if (this.#state === 'held') {
      this.#lastTryAt = performance.now() + READY_LIMIT_MS;
      this.#timer = setTimeout(() => void this.#tryUntold(), UNTOLD_MS);
    }
  }

  /** A SIP endpoint of the room can take the caller; the first one does. */
  ready(sipEndpoint: string): void {
    if (!this.#isTold) this.#lastTryAt = performance.now() + NOT_YET_MS;
    this.#isTold = true;
    this.#fetch(sipEndpoint);
  }

  /** The caller's leg is there. */
  arrived(): void {
    if (this.#state === 'held' || this.#state === 'forwarding') this.actions.forwarded();
    this.close();
  }

  /** Waits for the caller no more. */
  close(): void {
    if (this.#state === 'over') return;
    this.#state = 'over';
    clearTimeout(this.#timer);
    this.#abort.abort();
    this.#client?.then((client) => client.close()).catch(() => {});
  }

  /** The event that tells that the room is ready may be lost: where calls reach it, the provider's REST API says as well. */
  async #tryUntold(): Promise<void> {
    this.#lostAfter(READY_LIMIT_MS - UNTOLD_MS, NOT_READY);
    this.#client ??= this.actions.createClient();
    try {
      const [sipEndpoint] = await (await this.#client).sipEndpoints(this.actions.roomName, this.#abort.signal);
      if (sipEndpoint) this.#fetch(sipEndpoint);
    } catch {
      // the room may still tell that it is ready
    }
  }

  #fetch(sipEndpoint: string): void {
    if (this.#state !== 'held') return;
    this.#client ??= this.actions.createClient();
    this.#state = 'forwarding';
    clearTimeout(this.#timer);
    void this.#forward(sipEndpoint, this.#client);
  }

  async #forward(sipUri: string, client: Promise<ForwardingClient>): Promise<void> {
    try {
      const outcome = await this.#tryToForward(sipUri, await client);
      if (this.#state !== 'forwarding') return;
      if (outcome === 'no_such_call') {
        this.#lose(this.#isTold ? { errorMsg: 'the caller has gone', reason: 'caller_hung_up' } : NOT_READY);
        return;
      }
      this.#state = 'forwarded';
      this.actions.forwarded();
      this.#awaitArrival();
    } catch (error) {
      this.#lose({ errorMsg: (error as Error).message, reason: 'telephony_error' });
    }
  }

  /** Right after the endpoint has become ready, an unknown call may be one that is not known yet. */
  async #tryToForward(sipUri: string, client: ForwardingClient): Promise<'forwarded' | 'no_such_call'> {
    const { callId, callDomain } = this.settings;
    for (;;) {
      const outcome = await client.forwardCaller(
        { providerCallId: asProviderCallId(callId), callDomain, sipUri },
        this.#abort.signal,
      );
      const waitMs = this.#isTold ? TRY_AGAIN_MS : TRY_UNTOLD_AGAIN_MS;
      const isLast = performance.now() + waitMs > this.#lastTryAt;
      if (outcome === 'forwarded' || isLast || this.#state !== 'forwarding') return outcome;
      await new Promise<void>((resolve) => {
        this.#timer = setTimeout(resolve, waitMs);
      });
    }
  }

  #awaitArrival(): void {
    this.#lostAfter(ARRIVAL_LIMIT_MS, { errorMsg: 'the forwarded caller did not come', reason: 'caller_hung_up' });
  }

  #lostAfter(limitMs: number, loss: CallerLoss): void {
    this.#timer = setTimeout(() => this.#lose(loss), limitMs);
  }

  #lose(loss: CallerLoss): void {
    if (this.#state === 'over') return;
    this.close();
    this.actions.lost(loss);
  }
}
