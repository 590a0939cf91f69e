import { FRAME_MS } from '../../base/audio/frame.js';
import { MULAW_SILENCE, mulawLevelDb } from '../../base/audio/mulaw.js';
import { errorText } from '../../base/error-text.js';
import type { EndReason } from '../../call/call.js';
import type { PhoneCallEnd, PhoneNotice, PhoneProgress } from '../../call/phone-messages.js';
import { SPEAKING_AFTER_MS, SPEAKING_DB } from '../../call/view/heard-sounds.js';
import type { PhoneCall } from '../../sandbox/network/call.js';
import { FRAME_BYTES, SILENCE } from '../../sandbox/network/frame.js';
import type { Phone } from '../../sandbox/network/phone.js';
import type { ScriptedCaller } from '../scenario/scripted-caller.js';
import type { ToldEnd } from './load-ends.js';
import type { LoadCall, LoadOutcome } from './load-figures.js';

/** A longer stretch in which nothing comes is a pause, whatever was said before. */
const LONGEST_GAP_MS = 5_000;

/** 1 ms. */
const LAST_SAMPLES = 8;

/** What a telephone needs of its call. */
export type DialledCall = Pick<PhoneCall, 'id' | 'press' | 'hangUp'>;

export interface LoadPhoneOptions {
  readonly no: number;
  /** Milliseconds since the load began. */
  readonly now: () => number;
  /** It hangs up so many milliseconds after the answer. Default: as long as the bot wants. */
  readonly lengthMs: number | undefined;
  /** Whether its caller has a scenario: then the bot may end the call when the steps of that are done. */
  readonly hasSteps: boolean;
  /** Milliseconds after the answer: a call that goes on until then has failed. Default: none does. */
  readonly limitMs: number | undefined;
  /** Whether {@link LoadPhone.settle} will tell how the call ended. */
  readonly isTold: boolean;
  readonly callerOf: (phone: LoadPhone) => ScriptedCaller;
  readonly onRinging: (callId: string) => void;
  readonly onFirstWord: (ms: number) => void;
  /** The line is dead. */
  readonly onEnded: (phone: LoadPhone) => void;
  /** What became of it is known. */
  readonly onOver: (phone: LoadPhone) => void;
}

/** A telephone of a load: hears how soon, and how completely, the bot speaks. It keeps no sound, and has no clock but the network's. */
export class LoadPhone implements Phone {
  callId: string | undefined;
  readonly caller: ScriptedCaller;
  heardMs = 0;
  missingMs = 0;
  #longestGapMs = 0;
  readonly #dialledMs: number;
  #call: DialledCall | undefined;
  #isAnswered = false;
  #setUpMs: number | undefined;
  #firstWordMs: number | undefined;
  readonly #answersMs: number[] = [];
  /** When the caller has last stopped to speak, on the line's clock; undefined when it is answered, or they have not. */
  #saidAtMs: number | undefined;
  #isSaying = false;
  /** The last frame of the bot, and for how long none has come since. */
  #lastFrame: Uint8Array | undefined;
  #nothingMs = 0;
  #hasStream = false;
  #problem: string | undefined;
  /** When the caller has hung up, milliseconds since the Unix epoch. */
  #leftAt: number | undefined;
  /** The call was ended from outside, whatever the caller had still to do. */
  #isCut = false;
  #end: PhoneCallEnd | undefined;
  /** Why it ended, as its runner tells. */
  reason: EndReason | undefined;
  #outcome: LoadOutcome = 'live';

  constructor(private readonly options: LoadPhoneOptions) {
    this.#dialledMs = options.now();
    this.caller = options.callerOf(this);
  }

  /** @param dial begins the call of this phone */
  dial(dial: (phone: Phone) => DialledCall): void {
    this.#call = dial(this);
    this.callId ??= this.#call.id;
  }

  get isOver(): boolean {
    return this.#outcome !== 'live';
  }

  /** Whether the line is dead, although what became of the call may not be known yet. */
  get hasEnded(): boolean {
    return this.#end !== undefined;
  }

  /** Whether its set-up is complete, or it has ended without. */
  get isSettled(): boolean {
    return this.#hasStream || this.hasEnded;
  }

  /** Whether it waits for the first word of the bot. */
  get isWaiting(): boolean {
    return this.#firstWordMs === undefined && !this.hasEnded;
  }

  /** Since it was dialled, in milliseconds. */
  get ageMs(): number {
    return this.options.now() - this.#dialledMs;
  }

  /** Since the answer, in milliseconds. */
  get lengthMs(): number {
    return this.caller.ear.nowMs;
  }

  get went(): LoadCall {
    const { no } = this.options;
    return {
      no,
      dialledMs: this.#dialledMs,
      setUpMs: this.#setUpMs,
      firstWordMs: this.#firstWordMs,
      answersMs: this.#answersMs,
      heardMs: this.heardMs,
      missingMs: this.missingMs,
      longestGapMs: this.#longestGapMs,
      outcome: this.#outcome,
      why: this.#problem,
    };
  }

  countAfresh(): void {
    this.heardMs = this.missingMs = this.#longestGapMs = 0;
  }

  press(digit: Parameters<DialledCall['press']>[0]): void {
    this.#call?.press(digit);
  }

  hangUp(): void {
    this.#leftAt ??= Date.now();
    this.#call?.hangUp();
  }

  /** Ends the call whatever the caller has still to do. */
  cut(): void {
    this.#isCut = true;
    this.hangUp();
  }

  /** What became of the call, when everything that was noted in it has come. @param end undefined where no runner of ours tells it */
  settle(end: ToldEnd | undefined): void {
    if (this.isOver) return;
    this.reason = end?.reason;
    this.#outcome = this.#outcomeOf(end);
    this.options.onOver(this);
  }

  exchange(heard: Uint8Array, reply: (said: Uint8Array) => void): void {
    if (!this.#isAnswered) {
      reply(SILENCE); // ringback
      return;
    }
    this.#listen(heard);
    reply(this.#speak(heard));
    const { lengthMs, limitMs } = this.options;
    if (lengthMs !== undefined && this.lengthMs >= lengthMs) this.cut();
    if (limitMs !== undefined && this.lengthMs >= limitMs && this.#leftAt === undefined) this.#limitReached(limitMs);
  }

  notify(notice: PhoneNotice): void {
    if (notice.type === 'ringing') {
      this.callId = notice.callId;
      this.options.onRinging(notice.callId);
    } else if (notice.type === 'answered') this.#isAnswered = true;
    else if (notice.type === 'progress') this.#progress(notice.line);
    else if (notice.type === 'ended') this.#ended(notice.end);
  }

  #limitReached(limitMs: number): void {
    const { place } = this.caller;
    this.#problem ??= `limit: the call went on for ${limitMs / 1_000} s${place ? `: the caller stood at ${place}` : ''}`;
    this.hangUp();
  }

  /** Nothing has come while the bot spoke: what was heard last did not end by itself, and what comes then is sound. */
  #listen(heard: Uint8Array): void {
    if (heard === SILENCE) {
      this.#nothingMs += FRAME_MS;
      return;
    }
    const gapMs = this.#nothingMs;
    if (gapMs > 0 && gapMs <= LONGEST_GAP_MS && isCutOff(this.#lastFrame) && isSound(heard)) {
      this.missingMs += gapMs;
      this.#longestGapMs = Math.max(this.#longestGapMs, gapMs);
    }
    this.#nothingMs = 0;
    this.#lastFrame = heard;
    this.heardMs += FRAME_MS;
  }

  #speak(heard: Uint8Array): Uint8Array {
    const { ear } = this.caller;
    const wasSpeaking = ear.isSpeaking;
    let said: Uint8Array | undefined;
    try {
      said = this.caller.exchange(heard);
    } catch (error) {
      this.#problem ??= `the caller: ${errorText(error)}`;
      this.hangUp();
    }
    if (!wasSpeaking && ear.isSpeaking) this.#botBegins(ear.nowMs - SPEAKING_AFTER_MS);
    if (this.#isSaying && !said) this.#saidAtMs = ear.nowMs - FRAME_MS;
    this.#isSaying = said !== undefined;
    if (this.#isSaying) this.#saidAtMs = undefined;
    return said === undefined ? SILENCE : whole(said);
  }

  #botBegins(atMs: number): void {
    if (this.#firstWordMs === undefined) {
      this.#firstWordMs = atMs;
      this.options.onFirstWord(atMs);
    }
    if (this.#saidAtMs === undefined || atMs < this.#saidAtMs) return;
    this.#answersMs.push(atMs - this.#saidAtMs);
    this.#saidAtMs = undefined;
  }

  #progress({ hop, ok, text, ms }: PhoneProgress): void {
    if (hop === 'stream' && ok && ms !== undefined && !this.#hasStream) {
      this.#hasStream = true;
      this.caller.isHeard();
      this.#setUpMs = this.options.now() - this.#dialledMs;
    }
    if (!ok && (hop === 'stream' || hop === 'answer'))
      this.#problem ??= text.replace(/https?:\/\/\S+|wss?:\/\/\S+/g, '…');
  }

  #ended(end: PhoneCallEnd): void {
    this.#end = end;
    this.options.onEnded(this);
    if (!this.options.isTold || this.callId === undefined) this.settle(undefined);
  }

  #outcomeOf(end: ToldEnd | undefined): LoadOutcome {
    this.#problem = this.#breakOf(end) ?? this.#problem ?? this.#failure(end);
    if (this.#problem !== undefined) return 'failed';
    const reason = end?.reason ?? this.#end?.cause;
    if (!this.#hasStream && this.#leftAt === undefined) {
      this.#problem = reason === 'turned_away' ? 'turned away: no bot was ready' : `turned away (${reason})`;
      return 'turned_away';
    }
    if (this.#leftAt !== undefined || this.options.hasSteps) return 'done';
    this.#problem = `the bot ended the call early (${reason})`;
    return 'ended_early';
  }

  /** A bot that fails breaks its stream: what has happened to the bot says more. */
  #breakOf(end: ToldEnd | undefined): string | undefined {
    const { broke } = end ?? {};
    const isInCall = broke && broke.at < (this.#leftAt ?? Number.POSITIVE_INFINITY);
    return isInCall ? `the bot broke: ${broke.why}` : undefined;
  }

  /** What was wrong beside a call that was turned away, or ended early. */
  #failure(end: ToldEnd | undefined): string | undefined {
    const { unanswered, trouble } = end ?? {};
    if (unanswered !== undefined) return `model: ${unanswered}`;
    const [failure] = this.caller.failures;
    if (failure) return `${failure.field} ${failure.expected}: ${failure.happened}`;
    if (this.#leftAt !== undefined || !this.#hasStream) return undefined;
    const undone = this.#undone(end);
    return undone ?? (trouble && `the call ended badly: ${trouble}`);
  }

  /** The step at which the caller stood when the bot ended the call. */
  #undone(end: ToldEnd | undefined): string | undefined {
    if (!this.options.hasSteps || this.#isCut) return undefined;
    const reason = end?.reason ? ` (${end.reason})` : '';
    const undone = this.caller.unfinished(`the call had ended${reason}`, this.lengthMs);
    return undone && `${undone.field}: ${undone.expected} was not done: ${undone.happened}`;
  }
}

const isSound = (frame: Uint8Array | undefined): boolean => frame !== undefined && mulawLevelDb(frame) > SPEAKING_DB;

/** Whether sound goes on to its very end: the last frame of what is said is filled up with silence. */
const isCutOff = (frame: Uint8Array | undefined): boolean => isSound(frame) && isSound(frame?.subarray(-LAST_SAMPLES));

function whole(said: Uint8Array): Uint8Array {
  if (said.length === FRAME_BYTES) return said;
  const frame = new Uint8Array(FRAME_BYTES).fill(MULAW_SILENCE);
  frame.set(said);
  return frame;
}
