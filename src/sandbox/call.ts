import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { DtmfDigit } from '../audio/dtmf.js';
import { encodeMulaw } from '../audio/mulaw.js';
import { ToneSource } from '../audio/tones.js';
import type { CallDirection } from '../call/call.js';
import type { Logger } from '../logger.js';
import { FRAME_BYTES } from './frame.js';
import { HANGUP_CAUSES, type HangupCause, type HangupSource } from './hangup-causes.js';
import type { MediaStream } from './media-stream.js';
import type { NetworkClock } from './network-clock.js';
import type { CallHandle, Phone, PhoneProgress } from './phone.js';
import { PlaybackQueue } from './playback-queue.js';
import type { Quirks } from './quirks.js';
import { Uplink } from './uplink.js';
import type { WebhookTarget } from './webhooks.js';

export interface CallSetup {
  readonly direction: CallDirection;
  /** As the phone or the API gave it. */
  readonly from: string;
  readonly to: string;
  readonly answer?: WebhookTarget;
  readonly hangup?: WebhookTarget;
  readonly ring?: WebhookTarget;
  readonly ringTimeoutMs: number;
  /** Longest duration after the answer. */
  readonly timeLimitMs: number;
}

export interface CallEnd {
  readonly cause: HangupCause;
  readonly source: HangupSource;
  readonly at: Date;
}

/** One call between a phone and the application: `ringing -> in-progress -> ended`, or straight to ended. */
export class Call implements CallHandle {
  readonly id = randomUUID();
  readonly startedAt = new Date();
  /** What the phone hears once answered. */
  readonly playback = new PlaybackQueue();
  readonly #abort = new AbortController();
  readonly #uplink = new Uplink((frame) => this.stream?.sendAudio(frame));
  readonly #ringback = ToneSource.ringback();
  readonly #stopTicks: () => void;
  /** The media stream that gets what the phone says. */
  stream: MediaStream | undefined;
  #answeredAt: Date | undefined;
  #end: CallEnd | undefined;

  constructor(
    readonly setup: CallSetup,
    readonly phone: Phone,
    readonly quirks: Quirks,
    private readonly clock: NetworkClock,
    private readonly logger: Logger,
  ) {
    setMaxListeners(0, this.signal); // one per wait in progress
    this.#stopTicks = clock.onTick(() => this.#tick());
  }

  /** Aborted when the call is over. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get answeredAt(): Date | undefined {
    return this.#answeredAt;
  }

  /** Set once the call is over. */
  get end(): CallEnd | undefined {
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
    void this.wait(this.setup.timeLimitMs).then(() => this.finish(HANGUP_CAUSES.timeLimit, 'Plivo'));
  }

  /** Ends the call and everything in it; the first reason counts. */
  finish(cause: HangupCause, source: HangupSource): void {
    if (this.#end) return;
    this.#end = { cause, source, at: new Date() };
    this.#stopTicks();
    this.#abort.abort();
    this.playback.clear();
    this.logger.info('call ended', { code: cause.code, source });
    const { code, name } = cause;
    this.phone.notify({
      type: 'ended',
      end: { callId: this.id, cause: name, code, source, durationMs: this.durationMs },
    });
  }

  /** The person at the phone hangs up. */
  hangUp(): void {
    this.finish(HANGUP_CAUSES.normal, this.setup.direction === 'inbound' ? 'Caller' : 'Callee');
  }

  /** The person at the phone presses a key. */
  press(digit: DtmfDigit): void {
    this.stream?.sendDigit(digit);
  }

  wait(ms: number): Promise<void> {
    return this.clock.wait(ms, this.signal);
  }

  /** Plays mu-law audio to the phone; resolves when it has been heard or the call is over. */
  play(audio: Uint8Array): Promise<void> {
    if (this.isOver) return Promise.resolve();
    this.playback.push(audio);
    return this.playback.drained();
  }

  progress(line: PhoneProgress): void {
    if (this.isOver) return;
    this.logger.debug('call progress', { hop: line.hop, ok: line.ok, status: line.status, ms: line.ms });
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
