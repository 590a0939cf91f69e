import { FRAME_MS } from '../../base/audio/frame.js';
import type { HeardEvidence } from '../../call/disclosure.js';
import { epochOf } from '../../call/timeline.js';
import { ControlFrame } from '../pipeline/frames/index.js';

/** Samples of words are louder than this; what is quieter is the silence before and after them, and the noise of a codec. */
const LOUD = 200;
/** A mark that returns later than it was due by less than this, in milliseconds, was in time: the far end plays whole frames. */
const MIN_LATE_MS = 10;

interface DueMark {
  readonly name: string;
  /** When everything before it is played, if the far end plays without delay; monotonic milliseconds. */
  readonly dueAt: number;
}

/** When words began and ended to be heard, milliseconds since the Unix epoch, and how that is known. */
export interface ProvenTimes {
  readonly from: number;
  readonly to: number;
  readonly evidence: HeardEvidence;
}

/**
 * Watches one stretch of the bot's speech: whether all of it was heard, by what the far end has acknowledged, and when its words were. The
 * recorder of a call finds by the same marks where the words stand in the recording.
 */
export class HeardProof {
  #marks: DueMark[] = [];
  /** Of the first and the last sound, if nothing is late; monotonic milliseconds. */
  #first: number | undefined;
  #last: number | undefined;
  /** When they were heard, as far as the far end has acknowledged them. */
  #from: number | undefined;
  #to: number | undefined;
  /** By how much the far end plays later than it was sent to. */
  #lateMs = 0;
  #isSent = false;
  #isCut = false;
  #acknowledges = false;

  /** The bot begins to speak: once, or again after a pause. @param acknowledges the far end tells what it has played @param delayMs how long audio takes to be heard where it does not */
  begin(acknowledges: boolean, delayMs: number): void {
    this.#acknowledges = acknowledges;
    this.#lateMs = acknowledges ? 0 : delayMs;
  }

  /** A frame has gone out. @param endsAt when it is played to its end, if nothing is late; monotonic milliseconds */
  sent(pcm: Int16Array, endsAt: number): void {
    const isLoud = (sample: number) => Math.abs(sample) > LOUD;
    const first = pcm.findIndex(isLoud);
    if (first < 0) return;
    const at = (sample: number) => endsAt - FRAME_MS + (sample * FRAME_MS) / pcm.length;
    this.#first ??= at(first);
    this.#last = at(pcm.findLastIndex(isLoud) + 1);
  }

  marked(name: string, dueAt: number): void {
    this.#marks.push({ name, dueAt });
  }

  /** The far end has played everything before a mark. */
  played(name: string): void {
    const index = this.#marks.findIndex((mark) => mark.name === name);
    const mark = this.#marks[index];
    if (!mark) return;
    this.#marks.splice(0, index + 1);
    const moreLateMs = performance.now() - mark.dueAt - this.#lateMs;
    if (moreLateMs >= MIN_LATE_MS) this.#lateMs += moreLateMs;
    if (this.#first !== undefined && this.#first <= mark.dueAt) this.#from ??= this.#first + this.#lateMs;
    if (this.#last !== undefined && this.#last <= mark.dueAt) this.#to = this.#last + this.#lateMs;
  }

  /** Some of it was dropped, or is not known to have been said at all. */
  cut(): void {
    this.#isCut = true;
  }

  /** All of it has been said, and the far end has had its time. */
  end(): void {
    this.#isSent = true;
  }

  /** Undefined where it is not known that all was heard. */
  get times(): ProvenTimes | undefined {
    if (!this.#isSent || this.#isCut || this.#first === undefined || this.#last === undefined) return undefined;
    if (this.#acknowledges && this.#marks.length > 0) return undefined;
    const from = this.#from ?? this.#first + this.#lateMs;
    const evidence = this.#acknowledges ? 'acknowledged' : 'sent';
    return { from: epochOf(from), to: epochOf(this.#to ?? this.#last + this.#lateMs), evidence };
  }
}

/** What follows it in the pipeline, up to the end of the bot's speech, is watched. */
export class ProofFrame extends ControlFrame {
  constructor(readonly proof: HeardProof) {
    super();
  }
}
