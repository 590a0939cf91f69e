import type { DtmfDigit } from '../../audio/dtmf-digit.js';
import { type KeyPress, parseDtmfScript } from '../../audio/dtmf-script.js';
import type { TimelineEvent } from '../../call/timeline.js';
import { VoicebotError } from '../../errors.js';
import { BotTalk } from '../../scenario/bot-talk.js';
import { LineEar } from '../../scenario/line-ear.js';
import type { WordPattern } from '../../scenario/words.js';
import { type AttendedPhone, LabCall, type LabCallEnd } from '../lab/lab-call.js';
import type { Stage } from '../lab/stage.js';

const FRAME_BYTES = 160;
/** Longest call, in milliseconds: nobody may come back to a call that an agent has left. */
const LIMIT_MS = 600_000;

/** What somebody waits for, looked at every 20 ms of the call. */
interface Waiter {
  readonly isMet: () => boolean;
  readonly untilMs: number;
  readonly settle: (isMet: boolean) => void;
}

/** A telephone in the hands of an agent: it says, presses and listens when it is told to. Its clock is the line. */
export class LabPhone {
  readonly talk = new BotTalk();
  readonly events: TimelineEvent[] = [];
  /** Resolves with what is known of the call once it is over. Never rejects. */
  readonly over: Promise<LabCallEnd | Error>;
  readonly #ear = new LineEar();
  readonly #call: LabCall;
  readonly #waiters = new Set<Waiter>();
  #speech: { readonly audio: Uint8Array; at: number } | undefined;
  #spokenUntilMs = 0;
  #end: LabCallEnd | Error | undefined;
  readonly #known: Promise<string | undefined>;

  constructor(stage: Stage, from: string, dialled: AttendedPhone | undefined, onCallId: (callId: string) => void) {
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
        this.talk.note(event);
      },
      exchange: (heard) => this.#exchange(heard),
      limitMs: LIMIT_MS,
      keepsAudio: false,
    });
    this.over = this.#call.run().catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
    void this.over.then((end) => {
      this.#end = end;
      know(undefined);
      for (const waiter of this.#waiters) waiter.settle(waiter.isMet());
    });
  }

  /** Milliseconds since the answer. */
  get nowMs(): number {
    return this.#ear.nowMs;
  }

  get end(): LabCallEnd | Error | undefined {
    return this.#end;
  }

  /** Resolves with the runner's identifier as soon as it is known. @throws what the call failed with */
  async callId(): Promise<string> {
    const callId = await this.#known;
    if (callId !== undefined) return callId;
    throw this.#end instanceof Error
      ? this.#end
      : new VoicebotError('VB_CALL_FAILED', 'it ended before anybody knew it');
  }

  /** Resolves when it is answered. @returns false when it was not */
  answered(withinMs: number): Promise<boolean> {
    return this.#until(() => this.#ear.nowMs > 0, Number.POSITIVE_INFINITY, withinMs);
  }

  /** Says something; resolves when it has been said. @returns false when the call ended before */
  async say(audio: Uint8Array, talksOver: boolean, waitMs: number): Promise<boolean> {
    if (!talksOver) await this.turn(waitMs);
    this.#speech = { audio, at: 0 };
    const isSaid = await this.#until(() => this.#speech === undefined, Number.POSITIVE_INFINITY);
    this.#spokenUntilMs = this.#ear.nowMs;
    return isSaid && this.#end === undefined;
  }

  /** Presses keys, such as `1 w2 #`. @throws Error for people when there is none */
  async press(script: string): Promise<void> {
    const keys: KeyPress[] = parseDtmfScript(script);
    const began = this.#ear.nowMs;
    for (const { digit, atMs } of keys) {
      await this.#until(() => this.#ear.nowMs - began >= atMs, Number.POSITIVE_INFINITY);
      if (this.#end === undefined) this.#call.press(digit as DtmfDigit);
    }
    this.#spokenUntilMs = this.#ear.nowMs;
  }

  hangUp(): void {
    this.#call.hangUp();
  }

  /** Resolves when the bot has finished what it had to say; after five seconds of silence where it says nothing. */
  turn(withinMs: number): Promise<boolean> {
    const sinceMs = this.#spokenUntilMs;
    return this.#until(() => this.#ear.isMyTurn(sinceMs), withinMs);
  }

  /** Resolves when the bot has said these words to their end, and they were not waited for before. */
  words(words: WordPattern, withinMs: number): Promise<boolean> {
    return this.#until(() => this.talk.hasSaid(words), withinMs);
  }

  /** @param wallMs for a call that is not answered, and has no clock of its own */
  #until(isMet: () => boolean, withinMs: number, wallMs?: number): Promise<boolean> {
    if (isMet() || this.#end !== undefined) return Promise.resolve(isMet());
    return new Promise((resolve) => {
      const timer = wallMs === undefined ? undefined : setTimeout(() => waiter.settle(false), wallMs);
      const waiter: Waiter = {
        isMet,
        untilMs: this.#ear.nowMs + withinMs,
        settle: (met) => {
          clearTimeout(timer);
          this.#waiters.delete(waiter);
          resolve(met);
        },
      };
      this.#waiters.add(waiter);
    });
  }

  #exchange(heard: Uint8Array): Uint8Array | undefined {
    this.#ear.hear(heard);
    const said = this.#nextSpeech();
    this.#ear.tick();
    for (const waiter of this.#waiters) {
      if (waiter.isMet()) waiter.settle(true);
      else if (this.#ear.nowMs >= waiter.untilMs) waiter.settle(false);
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
