import { once } from 'node:events';
import { withDeadline } from '../../base/async/deadline.js';
import type { DtmfDigit } from '../../base/audio/dtmf-digit.js';
import { decodeMulaw, MULAW_SILENCE } from '../../base/audio/mulaw.js';
import { VoicebotError } from '../../base/errors.js';
import type { PhoneCallEnd, RingOutcome } from '../../call/phone-messages.js';
import type { TimelineEvent } from '../../call/timeline.js';
import type { PhoneClient } from '../../sandbox/network/phone-client.js';
import { LineConditions } from '../scenario/line-conditions.js';
import { LineLateness } from './line-lateness.js';
import type { Stage } from './stage.js';
import type { StageCall } from './stage-calls.js';

const FRAME_BYTES = 160;
/** Ringing, connecting and hanging up come on top of the call's own limit. */
const EXTRA_MS = 120_000;
/** Between the end at the phone and at the runner. */
const END_LIMIT_MS = 10_000;

/** A call that the bot makes to a telephone of ours. */
export interface AttendedPhone {
  /** E.164. */
  readonly to: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly outcome: RingOutcome;
  readonly ringMs: number;
  readonly isMachine: boolean;
}

export interface LabCallOptions {
  readonly from: string;
  /** Default: the telephone calls the bot. */
  readonly dialled?: AttendedPhone | undefined;
  readonly conditions?: LineConditions | undefined;
  /** The runner knows the call by this identifier. */
  readonly onCallId: (callId: string) => void;
  readonly onEvent: (event: TimelineEvent) => void;
  /**
   * Lives through 20 ms after the answer.
   * @param heard mu-law, 8000 Hz, 160 bytes
   * @returns what is said meanwhile, at most as long; undefined for nothing
   */
  readonly exchange: (heard: Uint8Array) => Uint8Array | undefined;
  /** Longest from the answer on, in milliseconds: afterwards the lab waits no longer. */
  readonly limitMs: number;
  /** Whether the audio is kept. Default true. */
  readonly keepsAudio?: boolean;
}

/** A call that is over. */
export interface LabCallEnd extends StageCall {
  readonly callId: string | undefined;
  /** Milliseconds since the Unix epoch. */
  readonly answeredAt: number | undefined;
  readonly lengthMs: number;
  /** How late audio came to the caller at worst, in milliseconds. */
  readonly lineLateMs: number;
  /** 8000 Hz, from the answer on; undefined when the call was not answered, or it is not kept. */
  readonly audio: { readonly caller: Int16Array; readonly bot: Int16Array } | undefined;
}

/** One call between a telephone of ours and the bot of a stage. */
export class LabCall {
  readonly #said: Uint8Array[] = [];
  readonly #heard: Uint8Array[] = [];
  readonly #lateness = new LineLateness();
  #phone: PhoneClient | undefined;
  #answeredAt: number | undefined;
  #callId: string | undefined;

  constructor(
    private readonly stage: Stage,
    private readonly options: LabCallOptions,
  ) {}

  /** The runner's identifier, once it is known. */
  get callId(): string | undefined {
    return this.#callId;
  }

  press(digit: DtmfDigit): void {
    this.#phone?.press(digit);
  }

  /** Tells the network the words of what was just said, for whatever plays ears there. */
  spoke(text: string): void {
    this.#phone?.spoke(text);
  }

  hangUp(): void {
    try {
      this.#phone?.hangUp();
    } catch {
      // its line is closed: the call is over
    }
  }

  /**
   * Makes the call and waits for its end. Aborted, it hangs up, and where the call was not begun it throws the signal's reason.
   * @throws VoicebotError VB_CALL_FAILED when the network does not end it; what the runner refuses a call with that is to go out
   */
  async run(signal?: AbortSignal): Promise<LabCallEnd> {
    const conditions = this.options.conditions ?? new LineConditions();
    const phone = await this.stage.connect({
      exchange: (heard) => conditions.said(this.#exchange(conditions.heard(heard))),
      holdMs: () => (this.#answeredAt === undefined ? 0 : conditions.holdMs()),
    });
    this.#phone = phone;
    const hangUp = () => this.hangUp();
    signal?.addEventListener('abort', hangUp, { once: true });
    try {
      return await this.#talk(phone, signal);
    } finally {
      signal?.removeEventListener('abort', hangUp);
      await phone.close();
    }
  }

  async #talk(phone: PhoneClient, signal: AbortSignal | undefined): Promise<LabCallEnd> {
    const { from, dialled, limitMs } = this.options;
    phone.on('answered', () => {
      this.#answeredAt = Date.now();
    });
    const ended = once(phone, 'ended').then(([end]) => end as PhoneCallEnd);
    const known = new Promise<string | undefined>((resolve) => {
      phone.once('ringing', (callId) => {
        if (!dialled) this.#know(callId);
        resolve(this.#callId);
      });
      phone.once('ended', () => resolve(this.#callId));
    });
    await this.stage.admit(async () => {
      signal?.throwIfAborted();
      if (dialled) await this.#dialOut(phone, dialled);
      else phone.dial({ from, to: this.stage.number });
      return dialled ? this.#callId : await known;
    });
    const { durationMs } = await withDeadline(ended, limitMs + EXTRA_MS, notEnded);
    const callId = this.#callId;
    const told = callId ? await this.stage.calls.over(callId, END_LIMIT_MS) : { record: undefined, events: [] };
    const audio = this.options.keepsAudio === false || this.#answeredAt === undefined ? undefined : this.#audio();
    return {
      ...told,
      callId,
      answeredAt: this.#answeredAt,
      lengthMs: durationMs,
      lineLateMs: this.#lateness.worstMs,
      audio,
    };
  }

  async #dialOut(phone: PhoneClient, { to, body, outcome, ringMs, isMachine }: AttendedPhone): Promise<void> {
    await phone.attend({ number: to, outcome, ringMs, isMachine });
    const { callId } = await this.stage.client.start({ to, body, query: {} });
    this.#know(callId);
  }

  #know(callId: string): void {
    this.#callId = callId;
    this.options.onCallId(callId);
    this.stage.calls.follow(callId, this.options.onEvent);
  }

  #exchange(heard: Uint8Array): Uint8Array {
    const frame = new Uint8Array(FRAME_BYTES).fill(MULAW_SILENCE);
    if (this.#answeredAt === undefined) return frame; // ringback
    this.#lateness.came(performance.now());
    const said = this.options.exchange(heard);
    if (said) frame.set(said);
    if (this.options.keepsAudio === false) return frame;
    this.#said.push(frame);
    this.#heard.push(heard.slice());
    return frame;
  }

  #audio(): LabCallEnd['audio'] {
    return { caller: decodeMulaw(Buffer.concat(this.#said)), bot: decodeMulaw(Buffer.concat(this.#heard)) };
  }
}

const notEnded = () => new VoicebotError('VB_CALL_FAILED', 'the sandbox did not end the call in time');
