import { FRAME_MS } from '../../base/audio/frame.js';
import { firstSound, type HeardEvidence, lastSound, type WordTimes } from '../../call/disclosure.js';
import { epochOf } from '../../call/timeline.js';
import { ControlFrame } from '../pipeline/frames/index.js';

/** A mark that returns later than it was due by less than this, in milliseconds, was in time: the far end plays whole frames. */
const MIN_LATE_MS = 10;

/** A moment in what the bot says, if the far end plays without delay; monotonic milliseconds. */
interface DueMoment {
  readonly at: number;
  /** Of the bot's speech without a pause: how late the far end is may change in a pause. */
  readonly stretch: number;
}

interface DueMark extends DueMoment {
  readonly name: string;
}

/** A mark that has come back, and how much later than it was due. */
interface SeenMark extends DueMoment {
  readonly lateMs: number;
}

/** When words began and ended to be heard, milliseconds since the Unix epoch, and how that is known. */
export interface ProvenTimes extends WordTimes {
  readonly evidence: HeardEvidence;
}

/**
 * Watches one stretch of the bot's speech: whether all of it was heard, by what the far end has acknowledged, and when its words were by the
 * clock. Where the call is recorded, the recording tells that better: it goes by the caller's audio, which a busy machine cannot delay behind
 * the marks.
 */
export class HeardProof {
  #marks: DueMark[] = [];
  readonly #seen: SeenMark[] = [];
  #stretch = 0;
  /** The first and the last sound. */
  #first: DueMoment | undefined;
  #last: DueMoment | undefined;
  /** How long audio takes to be heard where the far end tells nothing. */
  #delayMs = 0;
  #isSent = false;
  #isCut = false;
  #acknowledges = false;

  /** @param onBegin called when the bot begins to say it */
  constructor(private readonly onBegin: () => void = () => {}) {}

  /** The bot begins to speak: once, or again after a pause. @param acknowledges the far end tells what it has played @param delayMs how long audio takes to be heard where it does not */
  begin(acknowledges: boolean, delayMs: number): void {
    if (this.#stretch === 0) this.onBegin();
    this.#stretch += 1;
    this.#acknowledges = acknowledges;
    this.#delayMs = acknowledges ? 0 : delayMs;
  }

  /** A frame has gone out. @param endsAt when it is played to its end, if nothing is late; monotonic milliseconds */
  sent(pcm: Int16Array, endsAt: number): void {
    const first = firstSound(pcm);
    if (first < 0) return;
    const moment = (sample: number): DueMoment => ({
      at: endsAt - FRAME_MS + (sample * FRAME_MS) / pcm.length,
      stretch: this.#stretch,
    });
    this.#first ??= moment(first);
    this.#last = moment(lastSound(pcm) + 1);
  }

  /** @param at when everything before it is played, if nothing is late; monotonic milliseconds */
  marked(name: string, at: number): void {
    this.#marks.push({ name, at, stretch: this.#stretch });
  }

  /** The far end has played everything before a mark. */
  played(name: string): void {
    const index = this.#marks.findIndex((mark) => mark.name === name);
    const mark = this.#marks[index];
    if (!mark) return;
    this.#marks.splice(0, index + 1);
    this.#seen.push({ ...mark, lateMs: performance.now() - mark.at });
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
    const evidence = this.#acknowledges ? 'acknowledged' : 'sent';
    return { from: epochOf(this.#heardAt(this.#first)), to: epochOf(this.#heardAt(this.#last)), evidence };
  }

  /** Marks come back late, too, where this process is busy: without a pause what is heard later is no less late, so the least of all counts. */
  #heardAt({ at, stretch }: DueMoment): number {
    const behind = this.#seen.filter((mark) => mark.stretch === stretch && mark.at >= at);
    const lateMs = behind.length === 0 ? this.#delayMs : Math.min(...behind.map((mark) => mark.lateMs));
    return lateMs < MIN_LATE_MS ? at : at + lateMs;
  }
}

/** What follows it in the pipeline, up to the end of the bot's speech, is watched. */
export class ProofFrame extends ControlFrame {
  constructor(readonly proof: HeardProof) {
    super();
  }
}
