import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { FrameClock } from '../../base/async/frame-clock.js';
import type { DtmfDigit } from '../../base/audio/dtmf.js';
import { encodeMulaw } from '../../base/audio/mulaw.js';
import { ToneSource } from '../../base/audio/tones.js';
import type { Logger } from '../../base/logger.js';
import type { CallDirection } from '../../call/call.js';
import type { PhoneProgress } from '../../call/phone-messages.js';
import { FRAME_BYTES } from './frame.js';
import { HANGUP_CAUSES, type HangupCause, type HangupSource } from './hangup-causes.js';
import type { CallHandle, Phone } from './phone.js';
import { PlaybackQueue } from './playback-queue.js';
import { Uplink } from './uplink.js';
import type { WebhookTarget } from './webhook-target.js';

export interface CallSetup {
  readonly direction: CallDirection;
  /** As the phone or the API gave it. */
  readonly from: string;
  readonly to: string;
  readonly answer?: WebhookTarget;
  /** Asked for the first document when {@link answer} gives none. */
  readonly fallback?: WebhookTarget;
  readonly hangup?: WebhookTarget;
  readonly ring?: WebhookTarget;
  /** Told when the dialled phone has answered. */
  readonly answered?: WebhookTarget;
  readonly ringTimeoutMs: number;
  /** Longest duration after the answer. */
  readonly timeLimitMs: number;
  readonly machineDetection?: MachineCheck;
}

/** What to do about a machine that answers a dialled call. */
export interface MachineCheck {
  /** How long it listens after the answer. */
  readonly afterMs: number;
  readonly hangsUp: boolean;
  /** Gets a webhook about who answered: a person or a machine. */
  readonly report?: WebhookTarget;
}

/** A media stream of a call. */
export interface CallStream {
  /** 20 ms of what the phone says, mu-law; once per tick. */
  sendAudio(frame: Uint8Array): void;
  sendDigit(digit: DtmfDigit): void;
  /** Settles when it is closed, by either side. */
  readonly closed: Promise<unknown>;
}

/** A room that a call is in. */
export interface CallRoom {
  /** 20 ms of what the phone says, mu-law; once per tick. */
  said(frame: Uint8Array): void;
  pressed(digit: DtmfDigit): void;
  /** The words of what the phone has just said. */
  spoke(text: string): void;
}

export interface CallEnding {
  readonly cause: HangupCause;
  readonly source: HangupSource;
  readonly at: Date;
}

/** One call between a phone and the application: `ringing -> in-progress -> ended`, or straight to ended. */
export class PhoneCall implements CallHandle {
  readonly startedAt = new Date();
  /** The audio that the phone hears once answered. */
  readonly playback = new PlaybackQueue();
  /** Whether the call waits for its turn to be dialled. */
  isQueued = false;
  /** The media stream that gets the phone's audio. */
  stream: CallStream | undefined;
  /** The room that gets the phone's audio. */
  room: CallRoom | undefined;
  /** The other leg of the call, which hears the phone's audio. */
  otherLeg: PhoneCall | undefined;
  /** Settles when all webhooks about other legs so far are answered: the hangup webhook comes after them. */
  legNews: Promise<void> = Promise.resolve();
  readonly #abort = new AbortController();
  #interruption = new AbortController();
  #transfer: WebhookTarget | undefined;
  readonly #uplink = new Uplink((frame) => {
    this.stream?.sendAudio(frame);
    this.room?.said(frame);
    this.otherLeg?.playback.push(frame);
  });
  readonly #ringback = ToneSource.ringback();
  readonly #stopTicks: () => void;
  #answeredAt: Date | undefined;
  #end: CallEnding | undefined;

  constructor(
    readonly setup: CallSetup,
    readonly phone: Phone,
    /** Counts the calls of its provider from 1. */
    readonly serial: number,
    private readonly clock: FrameClock,
    private readonly logger: Logger,
    /** As its provider calls it. */
    readonly id: string = randomUUID(),
  ) {
    setMaxListeners(0, this.signal, this.interruption); // one per wait in progress
    this.#stopTicks = clock.onTick(() => this.#tick());
  }

  /** Aborted when the call is over. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Aborted when the current action of the call has to stop: the call has ended, or another document replaces the running one. */
  get interruption(): AbortSignal {
    return this.#interruption.signal;
  }

  get answeredAt(): Date | undefined {
    return this.#answeredAt;
  }

  /** Set once the call is over. */
  get end(): CallEnding | undefined {
    return this.#end;
  }

  get isOver(): boolean {
    return this.#end !== undefined;
  }

  /** From answer to end, or to now; 0 when never answered. */
  get durationMs(): number {
    return this.#answeredAt ? (this.#end?.at.getTime() ?? Date.now()) - this.#answeredAt.getTime() : 0;
  }

  answer(): void {
    if (this.isOver || this.#answeredAt) return;
    this.#answeredAt = new Date();
    this.phone.notify({ type: 'answered' });
    void this.wait(this.setup.timeLimitMs).then(() => this.finish(HANGUP_CAUSES.timeLimit, 'Network'));
  }

  /** Ends the call and everything in it; the first reason counts. */
  finish(cause: HangupCause, source: HangupSource): void {
    if (this.#end) return;
    this.#end = { cause, source, at: new Date() };
    this.#stopTicks();
    this.#interruption.abort();
    this.#abort.abort();
    this.playback.clear();
    this.logger.info('call ended', { callId: this.id, code: cause.code, source });
    const { code, name } = cause;
    this.phone.notify({
      type: 'ended',
      end: { callId: this.id, cause: name, code, source, durationMs: this.durationMs },
    });
  }

  /** The person at the phone hangs up, or declines the call while the phone rings. */
  hangUp(): void {
    const isCaller = this.setup.direction === 'inbound';
    const cause = isCaller || this.#answeredAt ? HANGUP_CAUSES.normal : HANGUP_CAUSES.declined;
    this.finish(cause, isCaller ? 'Caller' : 'Callee');
  }

  /** The person at the phone presses a key. */
  press(digit: DtmfDigit): void {
    this.stream?.sendDigit(digit);
    this.room?.pressed(digit);
  }

  spoke(text: string): void {
    this.room?.spoke(text);
  }

  wait(ms: number, signal: AbortSignal = this.signal): Promise<void> {
    return this.clock.wait(ms, signal);
  }

  /** Plays mu-law audio to the phone; resolves when it has been heard, or is cut off because `signal` aborts. */
  async play(audio: Uint8Array, signal: AbortSignal = this.interruption): Promise<void> {
    if (signal.aborted) return;
    const cutOff = (): void => this.playback.fadeOut();
    signal.addEventListener('abort', cutOff, { once: true });
    this.playback.push(audio);
    await this.playback.drained();
    signal.removeEventListener('abort', cutOff);
  }

  /** Replaces the running document; a stream that keeps the call alive continues first. */
  transfer(document: WebhookTarget): void {
    this.#transfer = document;
    this.#interruption.abort();
  }

  /** The document the call has been transferred to since the last time, if it has been. */
  takeTransfer(): WebhookTarget | undefined {
    const document = this.#transfer;
    if (!document || this.isOver) return undefined;
    this.#transfer = undefined;
    this.#interruption = new AbortController();
    setMaxListeners(0, this.interruption);
    return document;
  }

  progress(line: PhoneProgress): void {
    if (this.isOver) return;
    this.logger.debug('call progress', {
      callId: this.id,
      hop: line.hop,
      ok: line.ok,
      status: line.status,
      ms: line.ms,
    });
    this.phone.notify({ type: 'progress', line });
  }

  #tick(): void {
    if (this.#answeredAt) {
      this.#uplink.tick();
      this.phone.exchange(this.playback.next(), (said) => this.#uplink.said(said));
    } else if (this.setup.direction === 'inbound') {
      this.phone.exchange(encodeMulaw(this.#ringback.read(FRAME_BYTES)), () => {});
    }
  }
}
