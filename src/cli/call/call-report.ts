import type { EndReason } from '../../call/call.js';
import { endedLengthMs, passedSeconds } from '../../call/call-length.js';
import { phoneEndText } from '../../call/phone-end-text.js';
import type { PhoneCallEnd, PhoneProgress } from '../../call/phone-messages.js';
import type { TimelineEvent } from '../../call/timeline.js';
import type { PhoneClient } from '../../sandbox/network/phone-client.js';
import { saidText } from '../../terminal/live-words.js';
import type { Output } from '../../terminal/output.js';
import { BotWords, CLOCK_WIDTH } from './bot-words.js';
import type { CallAudio } from './call-audio.js';
import type { EndedCall } from './call-verdict.js';

/** Tells a person and a program what happens on one call, as it happens. Times count from the answer. */
export class CallReport {
  /** From the ringing on. */
  #callId: string | undefined;
  readonly #words: BotWords;

  constructor(
    private readonly output: Output,
    private readonly audio: CallAudio,
  ) {
    this.#words = new BotWords(output, {
      said: (said) => {
        const { paint } = output;
        const { text, unheard, wasInterrupted } = said;
        this.#tell('bot_said', `${paint.bold('the bot:')} ${saidText(said, paint)}`, { text, unheard, wasInterrupted });
      },
      understood: (text) => this.#tell('caller_understood', `${output.paint.bold('understood:')} ${text}`, { text }),
      speaksWithoutWords: () => this.#line('the bot speaks'),
      isSilentWithoutWords: () => this.#line('the bot is silent'),
    });
    audio.on('key', (digit) => this.#tell('key_pressed', `pressed ${digit}`, { digit }));
    audio.on('speaking', (said) => this.#tell('caller_speaking', `you say: ${said}`, { said }));
    audio.on('bot_speaking', () => {
      this.#note('bot_speaking');
      this.#words.speaks();
    });
    audio.on('bot_silent', () => {
      this.#note('bot_silent');
      this.#words.isSilent();
    });
    audio.on('done', (why) =>
      this.#tell(
        'hanging_up',
        `${why === 'limit' ? 'time is up' : 'everything is done and nobody says anything more'}: hanging up`,
        { why },
      ),
    );
  }

  follow(phone: PhoneClient): void {
    phone.on('ringing', (callId) => {
      this.#callId = callId;
      this.#tell('ringing', 'ringing');
    });
    phone.on('answered', () => this.#tell('answered', this.output.paint.green('answered')));
    phone.on('progress', (hop) => this.#progress(hop));
  }

  dialling(from: string, to: string, server: string): void {
    this.#tell('dialling', `calling ${this.output.paint.bold(to)} at ${server}`, { from, to, server });
  }

  /** What the bot's runner tells of the call. */
  see(event: TimelineEvent): void {
    this.#words.see(event);
  }

  /** The bot's runner tells nothing more of the call. */
  wordsLost(): void {
    this.#words.lost();
  }

  /** Resolves when the words of the bot are all told, or the runner has had its time for that. */
  wordsTold(): Promise<void> {
    return this.#words.told();
  }

  /** A sentence did not reach the bot. */
  notTyped(error: Error): void {
    this.output.warn(`The bot was not told what you said: ${error.message}`);
  }

  /** @param call what the runner knows of it: its length is told, as everywhere */
  ended(
    end: PhoneCallEnd,
    outcome: { succeeded: boolean; endReason?: EndReason | undefined; recording?: string | undefined },
    call: EndedCall = {},
  ): void {
    const why = phoneEndText(end, outcome);
    const text = `ended after ${passedSeconds(endedLengthMs(call, end.durationMs))} s: ${why}`;
    this.#tell('ended', text, { ...end, isAnswered: this.audio.elapsedMs !== undefined, ...outcome });
    if (outcome.recording) this.output.line(`Recorded to ${outcome.recording}`);
  }

  #tell(event: string, text: string, fields: object = {}): void {
    this.#note(event, fields);
    this.#line(text);
  }

  #note(event: string, fields: object = {}): void {
    const atMs = this.audio.elapsedMs;
    this.output.event(event, { callId: this.#callId, ...(atMs !== undefined && { atMs }), ...fields });
  }

  #line(text: string): void {
    const atMs = this.audio.elapsedMs;
    const clock = atMs === undefined ? '' : `${(atMs / 1_000).toFixed(2)} s`;
    const lines = this.output.wrapped(text, CLOCK_WIDTH + 2);
    this.output.line(`${this.output.paint.dim(clock.padStart(CLOCK_WIDTH))}  ${lines}`);
  }

  #progress(hop: PhoneProgress): void {
    const { paint } = this.output;
    if (hop.hop === 'hold' || hop.hop === 'forward') this.audio.hold(hop.hop === 'hold' && hop.ok);
    this.#tell('progress', hop.ok ? paint.dim(hop.text) : paint.red(hop.text), hop);
  }
}
