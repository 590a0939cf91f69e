import type { CallId, ProviderCallId } from '../../../call/call-id.js';
import type { WaitingStream } from '../../bots/waiting-stream.js';
import { type PassSigner, StreamPass } from './stream-pass.js';

export interface NewCarrierCall {
  /** Ours. */
  readonly id: CallId;
  /** Whether we dialled it. */
  readonly isDialled: boolean;
  /** The call that it was dialled beside. */
  readonly linkedTo?: CallId | undefined;
  readonly body: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, string>>;
  /** The carrier's identifier, once it is known. */
  readonly providerCallId: ProviderCallId | undefined;
}

/** How a live call is known at the carrier, and what the carrier has been given for it. */
export class CarrierCall implements NewCarrierCall {
  readonly id: CallId;
  readonly isDialled: boolean;
  readonly linkedTo: CallId | undefined;
  readonly body: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, string>>;
  providerCallId: ProviderCallId | undefined;
  /** Streams that no bot reads yet, by the number of the start that they belong to. */
  readonly streams = new Map<number, WaitingStream>();
  #pass: StreamPass | undefined;

  constructor(
    { id, isDialled, linkedTo, body, query, providerCallId }: NewCarrierCall,
    private readonly signer: PassSigner,
  ) {
    this.id = id;
    this.isDialled = isDialled;
    this.linkedTo = linkedTo;
    this.body = body;
    this.query = query;
    this.providerCallId = providerCallId;
  }

  /** Lets the latest stream in; undefined before its document was asked for. */
  get pass(): StreamPass | undefined {
    return this.#pass;
  }

  /** Gives away a stream that no bot reads yet. */
  takeStream(entry: number): WaitingStream | undefined {
    const stream = this.streams.get(entry);
    this.streams.delete(entry);
    return stream;
  }

  /** The pass of a stream: a new one the first time it is asked for. */
  passOf(streamNo: number): StreamPass {
    if (this.#pass?.streamNo !== streamNo) this.#pass = new StreamPass(this.signer, this.id, streamNo);
    return this.#pass;
  }
}

/** The calls that the carrier has, by our identifier and by its own. */
export class CarrierCalls {
  readonly #byId = new Map<CallId, CarrierCall>();
  readonly #byProviderId = new Map<ProviderCallId, CarrierCall>();

  constructor(private readonly signer: PassSigner) {}

  add(call: NewCarrierCall): CarrierCall {
    const added = new CarrierCall(call, this.signer);
    this.#byId.set(added.id, added);
    if (added.providerCallId !== undefined) this.#byProviderId.set(added.providerCallId, added);
    return added;
  }

  get(id: CallId): CarrierCall | undefined {
    return this.#byId.get(id);
  }

  ofProvider(providerCallId: ProviderCallId): CarrierCall | undefined {
    return this.#byProviderId.get(providerCallId);
  }

  isLive(call: CarrierCall): boolean {
    return this.#byId.get(call.id) === call;
  }

  /** The carrier has named a call, live or not. */
  bind(call: CarrierCall, providerCallId: ProviderCallId): void {
    if (call.providerCallId !== undefined) this.#byProviderId.delete(call.providerCallId);
    call.providerCallId = providerCallId;
    if (this.isLive(call)) this.#byProviderId.set(providerCallId, call);
  }

  remove(call: CarrierCall): void {
    this.#byId.delete(call.id);
    if (call.providerCallId !== undefined) this.#byProviderId.delete(call.providerCallId);
  }
}
