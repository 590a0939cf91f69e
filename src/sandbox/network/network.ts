import { settlesWithin } from '../../base/async/deadline.js';
import { FrameClock } from '../../base/async/frame-clock.js';
import type { Logger } from '../../base/logger.js';
import { normalisePhoneNumber } from '../../call/phone-number.js';
import { type CallSetup, PhoneCall } from './call.js';
import { HANGUP_CAUSES } from './hangup-causes.js';
import type { Callee, Phone } from './phone.js';
import { ScriptedPhone } from './scripted-phones.js';
import { SandboxSpeech, type TextSpeaker } from './speech.js';

export interface PhoneNetworkOptions {
  /** Real time per 20 ms of call time, in milliseconds. */
  readonly tickMs: number;
  /** Called with the audio that scripted phones hear, 20 ms of mu-law each. */
  readonly overhear: ((number: string, heard: Uint8Array) => void) | undefined;
  /** Default: a voice of this machine. */
  readonly speech?: TextSpeaker | undefined;
  readonly logger: Logger;
}

/** Handles an incoming call at a provider; settles when the handling is complete. */
export type IncomingLine = (call: PhoneCall) => Promise<void>;

/** What is needed to dial a number. */
export type LegSetup = Pick<CallSetup, 'from' | 'to' | 'ringTimeoutMs' | 'timeLimitMs'>;

/** A call to the phone behind a number, which does not ring yet. */
export interface DialledLeg {
  readonly leg: PhoneCall;
  readonly callee: Callee;
}

const RING_TIMEOUT_MS = 120_000;
/** Longest duration of a call after the answer, in milliseconds. */
export const TIME_LIMIT_MS = 14_400_000;
/** Longest wait for the last work of ended calls, in milliseconds. */
const END_TIMEOUT_MS = 1_000;

/** Phones, and the calls between them and the providers. */
export class PhoneNetwork {
  /** How often each number has been dialled, by an API or by a document. */
  readonly placedCalls = new Map<string, number>();
  /** Finds out whether the room provider takes calls to a number (E.164). Asked first. */
  lineOf: (number: string) => IncomingLine | undefined = () => undefined;
  /** Begins a call to any other number: the carrier's. */
  dialCarrier: (phone: Phone, from: string, to: string) => PhoneCall = (phone, from, to) => {
    const call = this.begin(phone, incoming(from, to));
    call.finish(HANGUP_CAUSES.unallocated, 'Carrier');
    return call;
  };
  /** Passes the time of all calls. */
  readonly clock: FrameClock;
  readonly speech: TextSpeaker;
  readonly #calls = new Set<PhoneCall>();
  /** Phones that wait to be called, each with its number (E.164), in the order in which they came. */
  readonly #attending = new Map<Callee, string>();
  readonly #background = new Set<Promise<void>>();
  readonly #logger: Logger;
  readonly #overhear: PhoneNetworkOptions['overhear'];

  constructor({ tickMs, overhear, speech = new SandboxSpeech(), logger }: PhoneNetworkOptions) {
    this.clock = new FrameClock(tickMs);
    this.speech = speech;
    this.#logger = logger;
    this.#overhear = overhear;
  }

  get liveCalls(): number {
    return this.#calls.size;
  }

  /** A phone dials. */
  dialIn(phone: Phone, from: string, to: string): PhoneCall {
    const line = this.lineOf(normalisePhoneNumber(to));
    if (!line) return this.dialCarrier(phone, from, to);
    const call = this.begin(phone, incoming(from, to));
    this.run(call, line(call));
    return call;
  }

  /** @param serial counts the calls of a provider from 1 @param id as the provider calls it */
  begin(phone: Phone, setup: CallSetup, serial = 1, id?: string): PhoneCall {
    const call = new PhoneCall(setup, phone, serial, this.clock, this.#logger, id);
    this.#keep(call);
    return call;
  }

  /** Begins a call of the room provider to the phone behind a number. */
  dialForeign(setup: LegSetup, { isTransferTarget }: { isTransferTarget: boolean }): DialledLeg {
    const dialled = this.dialLeg(setup, isTransferTarget);
    this.#keep(dialled.leg);
    return dialled;
  }

  /** A leg belongs to the call that dials it, which ends it. */
  dialLeg(setup: LegSetup, isTransferTarget: boolean, id?: string): DialledLeg {
    const callee = this.phoneOf(setup.to, { isTransferTarget });
    const leg = new PhoneCall({ ...setup, direction: 'outbound' }, callee, 1, this.clock, this.#logger, id);
    this.count(leg);
    return { leg, callee };
  }

  /** From now on the next call to `number` (E.164) rings this phone. */
  attend(phone: Callee, number: string): void {
    this.#attending.set(phone, number);
  }

  /** A phone no longer waits to be called. */
  leave(phone: Callee): void {
    this.#attending.delete(phone);
  }

  /** The phone behind a number: the first that attends it, for this one call; otherwise one that acts by the last digits. */
  phoneOf(number: string, { isTransferTarget = false } = {}): Callee {
    const e164 = normalisePhoneNumber(number);
    const [attending] = [...this.#attending].find(([, attended]) => attended === e164) ?? [];
    if (attending) {
      this.leave(attending);
      return attending;
    }
    const overhear = this.#overhear;
    return new ScriptedPhone(number, {
      isTransferTarget,
      overhear: overhear && ((heard) => overhear(e164, heard)),
      speech: this.speech,
      onError: (error) => this.#logger.error('scripted phone failed', { error }),
    });
  }

  /** A number is dialled now. */
  count({ setup }: PhoneCall): void {
    const number = normalisePhoneNumber(setup.to);
    this.placedCalls.set(number, (this.placedCalls.get(number) ?? 0) + 1);
  }

  /** Runs the handling of a call, and ends the call when it fails. */
  run(call: PhoneCall, flow: Promise<void>): void {
    void this.track(
      flow.catch((error: unknown) => {
        this.#logger.error('call failed', { callId: call.id, error });
        call.finish(HANGUP_CAUSES.platformError, 'Network');
      }),
    );
  }

  /** @param work never rejects */
  track(work: Promise<void>): Promise<void> {
    this.#background.add(work);
    return work.finally(() => this.#background.delete(work));
  }

  /** Ends all calls, and gives their last work a moment. */
  async endCalls(): Promise<void> {
    for (const call of this.#calls) call.finish(HANGUP_CAUSES.platformError, 'Network');
    await settlesWithin(this.settled(), END_TIMEOUT_MS);
  }

  /** Settles when all work is complete. */
  async settled(): Promise<void> {
    await Promise.all(this.#background);
  }

  #keep(call: PhoneCall): void {
    this.#calls.add(call);
    call.signal.addEventListener('abort', () => this.#calls.delete(call), { once: true });
  }
}

/** A call from a phone, before a provider has taken it. */
export const incoming = (from: string, to: string): CallSetup => ({
  direction: 'inbound',
  from,
  to,
  ringTimeoutMs: RING_TIMEOUT_MS,
  timeLimitMs: TIME_LIMIT_MS,
});
