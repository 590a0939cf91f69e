import { keptOf, type Secrecy } from '../../call/folder/event-file.js';
import {
  type BotEntry,
  type CallTimeline,
  epochOf,
  PASSING,
  type TimelineEvent,
  type TimelineStep,
} from '../../call/timeline.js';
import { UsageSum } from '../../call/usage.js';

/** How long events wait for others to travel with, in milliseconds: messages of the wire come every second, since no viewer waits for them. */
const BATCH_MS = 50;
const WIRE_BATCH_MS = 1_000;
/**
 * How long what services are used for is summed up before it is told, in milliseconds. With the 5 s after which ears and live sessions tell
 * of themselves, a bot that is killed has told all but 30 s.
 */
const USAGE_MS = 25_000;

/** Gets what is noted, in order. Never throws. */
export interface TimelineSink {
  note(event: TimelineEvent): void;
  /** See {@link CallTimeline.during}. */
  during?<Result>(step: TimelineStep, work: () => Result): Result;
}

/** What one bot notes of its call: the runner is told, some events at a time, and the sinks at once. Lives in the bot's process. */
export class BotTimeline implements CallTimeline {
  readonly sinks: TimelineSink[] = [];
  /** What is not kept. */
  secrecy: Secrecy = { hidesTalk: false, maskDigits: false };
  /** Told of everything. Whether an entry is to be hidden as {@link secrecy} would. Default: none is. */
  hides: (entry: BotEntry) => boolean = () => false;
  #waiting: TimelineEvent[] = [];
  #timer: NodeJS.Timeout | undefined;
  #isHurried = false;
  readonly #usage = new UsageSum();
  #usageTimer: NodeJS.Timeout | undefined;

  /**
   * @param bot which bot of the call notes
   * @param tellsTalk the runner is told what is said and done also where it is not kept, marked as such. Default false.
   */
  constructor(
    private readonly bot: number,
    private readonly tell: (events: readonly TimelineEvent[]) => void,
    private readonly tellsTalk = false,
  ) {}

  note(entry: BotEntry, at = epochOf(performance.now())): void {
    if (entry.type !== 'usage') this.#note(entry, at);
    else {
      for (const used of entry.used) this.#usage.add(used);
      this.#usageTimer ??= setTimeout(() => this.tellUsage(), USAGE_MS).unref();
    }
  }

  /** Tells what services have been used for so far: the call, or the bot's part in it, is about to be over. */
  tellUsage(): void {
    clearTimeout(this.#usageTimer);
    this.#usageTimer = undefined;
    if (!this.#usage.isEmpty) this.#note({ type: 'usage', used: this.#usage.take() }, epochOf(performance.now()));
  }

  #note(entry: BotEntry, at: number): void {
    const of = { at, source: 'bot', bot: this.bot } as const;
    const secrecy = this.hides(entry) ? { ...this.secrecy, hidesTalk: true } : this.secrecy;
    const allowed = keptOf(entry, secrecy);
    const kept = PASSING.includes(entry.type) ? undefined : allowed;
    if (kept) for (const sink of this.sinks) sink.note({ ...of, ...kept });
    const isTold = this.tellsTalk && secrecy.hidesTalk;
    const told = isTold ? keptOf(entry, { ...secrecy, hidesTalk: false }) : allowed;
    if (!told) return;
    this.#waiting.push({ ...of, ...told, ...(told !== kept && { unkept: true }) });
    const isUrgent = told.type !== 'wire';
    if (this.#timer && (this.#isHurried || !isUrgent)) return;
    clearTimeout(this.#timer);
    this.#isHurried = isUrgent;
    this.#timer = setTimeout(() => this.flush(), isUrgent ? BATCH_MS : WIRE_BATCH_MS);
  }

  during<Result>(step: TimelineStep, work: () => Result): Result {
    const inner = this.sinks.reduce<() => Result>(
      (next, sink) => () => (sink.during ? sink.during(step, next) : next()),
      work,
    );
    return inner();
  }

  /** Tells the runner what it has not been told. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiting.length > 0) this.tell(this.#waiting.splice(0));
  }
}
