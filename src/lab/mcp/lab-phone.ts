import type { DtmfDigit } from '../../base/audio/dtmf-digit.js';
import type { KeyPress } from '../../base/audio/dtmf-script.js';
import { VoicebotError } from '../../base/errors.js';
import { endWords } from '../../call/end-text.js';
import type { TimelineEvent } from '../../call/timeline.js';
import { BotTalk } from '../scenario/bot-talk.js';
import { callTime } from '../scenario/call-lines.js';
import { LineEar } from '../scenario/line-ear.js';
import type { WordPattern } from '../scenario/words.js';
import { type AttendedPhone, LabCall, type LabCallEnd } from '../stage/lab-call.js';
import type { Stage } from '../stage/stage.js';
import type { LabLine } from './lab-line.js';

const FRAME_BYTES = 160;
/** Longest call, in milliseconds: an agent may never come back to a call that it has left. */
const LIMIT_MS = 600_000;

/** What a request of the agent waits for, looked at every 20 ms of the call. */
interface LineWait {
  readonly isMet: () => boolean;
  readonly untilMs: number;
  readonly settle: (isMet: boolean) => void;
}

export interface LabPhoneOptions {
  readonly from: string;
  /** Undefined: the telephone calls the bot. */
  readonly dialled: AttendedPhone | undefined;
  readonly onCallId: (callId: string) => void;
}

/** A telephone in the hands of an agent: it says, presses and listens when it is told to. Its clock is the line. */
export class LabPhone implements LabLine {
  readonly events: TimelineEvent[] = [];
  /** Resolves once the call is over. Never rejects. */
  readonly over: Promise<void>;
  readonly #talk = new BotTalk();
  readonly #ear = new LineEar();
  readonly #call: LabCall;
  readonly #waits = new Set<LineWait>();
  readonly #known: Promise<string | undefined>;
  /** One thing is done after the other. */
  #doing: Promise<unknown> = Promise.resolve();
  #speech: { readonly audio: Uint8Array; at: number } | undefined;
  #spokeAtMs = 0;
  #isAnswered = false;
  #ended: LabCallEnd | Error | undefined;

  constructor(stage: Stage, { from, dialled, onCallId }: LabPhoneOptions) {
    let know: (callId: string | undefined) => void = () => {};
    this.#known = new Promise((resolve) => {
      know = resolve;
    });
    this.#call = new LabCall(stage, {
      from,
      dialled,
      onCallId: (callId) => {
        onCallId(callId);
        know(callId);
      },
      onEvent: (event) => {
        this.events.push(event);
        this.#talk.note(event);
      },
      exchange: (heard) => this.#exchange(heard),
      limitMs: LIMIT_MS,
      keepsAudio: false,
    });
    this.over = this.#call
      .run()
      .catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))))
      .then((ended) => {
        this.#ended = ended;
        know(undefined);
        for (const wait of this.#waits) wait.settle(wait.isMet());
      });
  }

  get nowMs(): number {
    return this.#ear.nowMs;
  }

  get end(): string | undefined {
    if (this.#ended === undefined) return undefined;
    if (this.#ended instanceof Error) return `The call failed: ${this.#ended.message}`;
    const { record, lengthMs } = this.#ended;
    const why = record?.endReason ? endWords(record.endReason, record.direction) : 'the runner has not told why';
    return `The call ended after ${callTime(lengthMs)}: ${why}`;
  }

  get isAnswered(): boolean {
    return this.#isAnswered;
  }

  /** Resolves with the runner's identifier as soon as it is known. @throws what the call failed with */
  async callId(): Promise<string> {
    const callId = await this.#known;
    if (callId !== undefined) return callId;
    throw this.#ended instanceof Error
      ? this.#ended
      : new VoicebotError('VB_CALL_FAILED', 'it ended before the runner knew it');
  }

  /** Resolves with whether it is answered. */
  answered(withinMs: number, signal: AbortSignal): Promise<boolean> {
    return this.#until(() => this.#isAnswered, Number.POSITIVE_INFINITY, signal, withinMs);
  }

  /**
   * Says something; resolves when it has been said.
   * @param words what the audio says
   * @param waitMs how long the bot may go on speaking before it is talked over
   * @returns when it was begun, and whether all of it was said before the call ended
   */
  say(
    audio: Uint8Array,
    words: string,
    waitMs: number,
    signal: AbortSignal,
  ): Promise<{ atMs: number; isSaid: boolean }> {
    return this.#inTurn(async () => {
      if (waitMs > 0) await this.turn(waitMs, signal);
      signal.throwIfAborted();
      const atMs = this.nowMs;
      const speech = { audio, at: 0 };
      this.#speech = speech;
      const isSaid = await this.#until(() => speech.at >= audio.length, Number.POSITIVE_INFINITY);
      this.#spokeAtMs = this.nowMs;
      if (isSaid) this.#call.spoke(words);
      return { atMs, isSaid };
    });
  }

  /** @returns whether all were pressed before the call ended */
  press(keys: readonly KeyPress[], signal: AbortSignal): Promise<boolean> {
    return this.#inTurn(async () => {
      const began = this.nowMs;
      for (const { digit, atMs } of keys) {
        await this.#until(() => this.nowMs - began >= atMs, Number.POSITIVE_INFINITY, signal);
        if (this.#ended !== undefined) return false;
        this.#call.press(digit as DtmfDigit);
      }
      this.#spokeAtMs = this.nowMs;
      return true;
    });
  }

  hangUp(): void {
    this.#call.hangUp();
  }

  /** Resolves with whether the bot has finished what it had to say; so it has after five seconds in which it says nothing. */
  turn(withinMs: number, signal: AbortSignal): Promise<boolean> {
    const sinceMs = this.#spokeAtMs;
    return this.#until(() => this.#ear.isMyTurn(sinceMs), withinMs, signal);
  }

  words(words: WordPattern, withinMs: number, signal: AbortSignal): Promise<boolean> {
    return this.#until(() => this.#talk.hasSaid(words), withinMs, signal);
  }

  /** By the clock of this machine: the line is silent when a call is over, and the runner tells of it a while later. */
  ended(withinMs: number, signal: AbortSignal): Promise<boolean> {
    return this.#until(() => this.#ended !== undefined, Number.POSITIVE_INFINITY, signal, withinMs);
  }

  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const done = this.#doing.then(act);
    this.#doing = done.catch(() => {});
    return done;
  }

  /** @param wallMs a limit for what has no line, and so no clock */
  #until(isMet: () => boolean, withinMs: number, signal?: AbortSignal, wallMs?: number): Promise<boolean> {
    signal?.throwIfAborted();
    const met = isMet(); // once: words are not found a second time
    if (met || this.#ended !== undefined) return Promise.resolve(met);
    return new Promise((resolve, reject) => {
      const over = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        this.#waits.delete(wait);
      };
      const abort = () => {
        over();
        reject(signal?.reason);
      };
      const wait: LineWait = {
        isMet,
        untilMs: this.nowMs + withinMs,
        settle: (met) => {
          over();
          resolve(met);
        },
      };
      const timer = wallMs === undefined ? undefined : setTimeout(() => wait.settle(isMet()), wallMs);
      signal?.addEventListener('abort', abort, { once: true });
      this.#waits.add(wait);
    });
  }

  #exchange(heard: Uint8Array): Uint8Array | undefined {
    this.#isAnswered = true;
    this.#ear.hear(heard);
    const said = this.#nextSpeech();
    this.#ear.tick();
    for (const wait of this.#waits) {
      if (wait.isMet()) wait.settle(true);
      else if (this.nowMs >= wait.untilMs) wait.settle(false);
    }
    return said;
  }

  #nextSpeech(): Uint8Array | undefined {
    const speech = this.#speech;
    if (!speech) return undefined;
    const piece = speech.audio.subarray(speech.at, speech.at + FRAME_BYTES);
    speech.at += FRAME_BYTES;
    if (speech.at >= speech.audio.length) this.#speech = undefined;
    return piece;
  }
}
