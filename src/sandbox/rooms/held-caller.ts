import { encodeMulaw } from '../../base/audio/mulaw.js';
import { ToneSource } from '../../base/audio/tones.js';
import type { JsonFields } from '../../base/http/json-fields.js';
import type { PhoneCall } from '../network/call.js';
import { murmur } from '../network/prompt-audio.js';
import type { TextSpeaker } from '../network/speech.js';
import { withoutQuery } from '../network/webhook-target.js';
import type { SandboxDialin } from './contract.js';
import { ROOM_HANGUP_CAUSES } from './hangup-causes.js';

/** Longest time that a caller is held, from the answer on, in milliseconds. */
const MAX_HOLD_MS = 30_000;
const DEFAULT_TIMEOUT_MESSAGE = 'We are sorry, we cannot take your call right now. Goodbye.';

/** One round of the melody in samples of 8000 Hz. */
const MELODY_SAMPLES = 96_000;

export interface HeldCallerOptions {
  readonly config: SandboxDialin;
  readonly callDomain: string;
  readonly speech: TextSpeaker;
  /** Sends the webhook, with this body. */
  readonly tell: (told: JsonFields) => Promise<{ readonly status: number; readonly ms: number }>;
}

/**
 * A caller who has been answered and hears a melody until a client forwards the call. When no client does, the caller
 * hears a message, and the call ends.
 * @see rooms reference 4.4
 */
export class CallerOnHold {
  readonly #hold = new AbortController();

  constructor(
    readonly call: PhoneCall,
    private readonly options: HeldCallerOptions,
  ) {
    call.signal.addEventListener('abort', () => this.#hold.abort(), { once: true });
  }

  get isHeld(): boolean {
    return !this.#hold.signal.aborted;
  }

  /** Ends the hold and the melody; the call then belongs to the code that called this. */
  release(): void {
    this.#hold.abort();
  }

  /** Holds the caller; settles when the caller is released, or gone. */
  async run(): Promise<void> {
    const { call } = this;
    call.phone.notify({ type: 'ringing', callId: call.id });
    call.answer();
    call.progress({ hop: 'hold', ok: true, text: 'on hold, with music' });
    const told = this.#tellWebhook(); // on its way before the melody is rendered
    void this.#playMelody();
    const tooLong = call
      .wait(MAX_HOLD_MS, this.#hold.signal)
      .then(() => `no bot has forwarded the call within ${MAX_HOLD_MS / 1_000} s`);
    const problem = await Promise.race([told.then((failure) => failure ?? tooLong), tooLong]);
    if (!this.isHeld) return;
    call.progress({ hop: 'hold', ok: false, text: problem });
    this.release();
    await this.#sayGoodbye();
    call.finish(ROOM_HANGUP_CAUSES.notForwarded, 'Room');
  }

  async #playMelody(): Promise<void> {
    const round = encodeMulaw(ToneSource.hold().read(MELODY_SAMPLES));
    while (this.isHeld) await this.call.play(round, this.#hold.signal);
  }

  /** @returns why the webhook failed; undefined when it succeeded */
  async #tellWebhook(): Promise<string | undefined> {
    const { call } = this;
    const { config, callDomain } = this.options;
    const url = withoutQuery(config.webhookUrl);
    const body = { To: call.setup.to, From: call.setup.from, callId: call.id, callDomain };
    try {
      const { status, ms } = await this.options.tell(body);
      const ok = status >= 200 && status < 300;
      const text = `dial-in webhook ${url} answered ${status} in ${ms} ms`;
      call.progress({ hop: 'webhook', ok, text, url, status, ms });
      return ok ? undefined : text;
    } catch (error) {
      const text = `dial-in webhook ${url}: ${(error as Error).message}`;
      call.progress({ hop: 'webhook', ok: false, text, url });
      return text;
    }
  }

  async #sayGoodbye(): Promise<void> {
    const { call } = this;
    const text = this.options.config.timeoutMessage ?? DEFAULT_TIMEOUT_MESSAGE;
    call.progress({ hop: 'speak', ok: true, text: `speaking: ${text}` });
    await call.play((await this.options.speech.speak(text, 'en-US', call.signal)) ?? murmur(text));
  }
}
