import { FRAME_MS } from '../../base/audio/frame.js';
import { MULAW_SILENCE, mulawLevelDb } from '../../base/audio/mulaw.js';
import type { PhoneCallEnd, PhoneNotice, PhoneProgress } from '../../call/phone-messages.js';
import type { PhoneCall } from '../../sandbox/network/call.js';
import { FRAME_BYTES, SILENCE } from '../../sandbox/network/frame.js';
import type { Phone } from '../../sandbox/network/phone.js';
import { SPEAKING_AFTER_MS, SPEAKING_DB } from '../scenario/line-ear.js';
import type { ScriptedCaller } from '../scenario/scripted-caller.js';
import type { LoadCall, LoadOutcome } from './load-figures.js';

/** A longer stretch in which nothing comes is a pause, whatever was said before. */
const LONGEST_GAP_MS = 5_000;

/** 1 ms. */
const LAST_SAMPLES = 8;

export interface LoadPhoneOptions {
  readonly no: number;
  /** Milliseconds since the load began. */
  readonly now: () => number;
  /** Milliseconds after the answer; undefined for as long as the bot wants. */
  readonly lengthMs: number | undefined;
  /** Whether the bot may end it: in a scenario. */
  readonly mayEnd: boolean;
  readonly callerOf: (phone: LoadPhone) => ScriptedCaller;
  readonly onRinging: (callId: string) => void;
  readonly onFirstWord: (ms: number) => void;
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
  #call: PhoneCall | undefined;
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
  #isLeaving = false;
  #outcome: LoadOutcome = 'live';

  constructor(private readonly options: LoadPhoneOptions) {
    this.#dialledMs = options.now();
    this.caller = options.callerOf(this);
  }

  /** @param dial begins the call of this phone */
  dial(dial: (phone: Phone) => PhoneCall): void {
    this.#call = dial(this);
    this.callId ??= this.#call.id;
  }

  get isOver(): boolean {
    return this.#outcome !== 'live';
  }

  /** Whether its set-up is complete, or it has ended without. */
  get isSettled(): boolean {
    return this.#hasStream || this.isOver;
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

  press(digit: Parameters<PhoneCall['press']>[0]): void {
    this.#call?.press(digit);
  }

  hangUp(): void {
    this.#isLeaving = true;
    this.#call?.hangUp();
  }

  exchange(heard: Uint8Array, reply: (said: Uint8Array) => void): void {
    if (!this.#isAnswered) {
      reply(SILENCE); // ringback
      return;
    }
    this.#listen(heard);
    reply(this.#speak(heard));
    const { lengthMs } = this.options;
    if (lengthMs !== undefined && this.caller.ear.nowMs >= lengthMs) this.hangUp();
  }

  notify(notice: PhoneNotice): void {
    if (notice.type === 'ringing') {
      this.callId = notice.callId;
      this.options.onRinging(notice.callId);
    } else if (notice.type === 'answered') this.#isAnswered = true;
    else if (notice.type === 'progress') this.#progress(notice.line);
    else if (notice.type === 'ended') this.#ended(notice.end);
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
      this.#problem ??= `the caller: ${(error as Error).message}`;
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
      this.#setUpMs = this.options.now() - this.#dialledMs;
    }
    if (!ok && (hop === 'stream' || hop === 'answer'))
      this.#problem ??= text.replace(/https?:\/\/\S+|wss?:\/\/\S+/g, '…');
  }

  #ended({ cause }: PhoneCallEnd): void {
    const [failure] = this.caller.failures;
    this.#problem ??= failure && `${failure.field}: ${failure.happened}`;
    this.#outcome = this.#outcomeOf();
    if (this.#outcome === 'turned_away') this.#problem = `turned away (${cause})`;
    if (this.#outcome === 'ended_early') this.#problem = `the bot ended the call early (${cause})`;
    this.options.onOver(this);
  }

  #outcomeOf(): LoadOutcome {
    if (this.#problem !== undefined) return 'failed';
    if (!this.#hasStream) return this.#isLeaving ? 'done' : 'turned_away';
    return this.#isLeaving || this.options.mayEnd ? 'done' : 'ended_early';
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
