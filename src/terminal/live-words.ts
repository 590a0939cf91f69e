import type { TimelineEvent } from '../call/timeline.js';
import { heardWords, type LiveLine, LiveTalk, nextWordAt } from '../call/view/live-lines.js';
import type { Output } from './output.js';

/**
 * Shows what is being said as the last line of a terminal, word by word, for one call at a time. Of the others, and where lines cannot
 * be written again, only whole lines are told, which the command does itself.
 */
export class LiveWords {
  readonly #calls = new Map<string, LiveTalk>();
  /** Calls that are over, the latest last: what is told of them late is past. */
  #over: readonly string[] = [];
  /** Whose words are shown. */
  #shown: string | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** @param headOf what stands before the words of a line @param now milliseconds since the Unix epoch. Default: the system's clock */
  constructor(
    private readonly output: Output,
    private readonly headOf: (callId: string, line: LiveLine) => string,
    private readonly now = Date.now,
  ) {}

  /** What has happened in a call: to be told before the whole line that comes of it is written. */
  see(callId: string, event: TimelineEvent): void {
    if (!this.output.canRewrite) return;
    if (event.type === 'record' && event.record.state === 'ended') {
      this.#calls.delete(callId);
      this.#over = [...this.#over.slice(-MOST_OVER), callId];
    } else if (this.#calls.has(callId) || (BEGINS.includes(event.type) && !this.#over.includes(callId))) {
      const talk = this.#calls.get(callId) ?? new LiveTalk();
      this.#calls.set(callId, talk);
      talk.see(event);
    }
    this.#show();
  }

  /** Nothing more will be told. */
  close(): void {
    this.#calls.clear();
    this.#show();
  }

  #show(): void {
    clearTimeout(this.#timer);
    const linesOf = (callId: string) => this.#calls.get(callId)?.lines() ?? [];
    const [next] = [...this.#calls.keys()].filter((callId) => linesOf(callId).length > 0);
    if (this.#shown === undefined || linesOf(this.#shown).length === 0) this.#shown = next;
    const callId = this.#shown;
    const lines = callId === undefined ? [] : linesOf(callId);
    const now = this.now();
    const line = lines.findLast(({ at }) => at <= now) ?? lines[0];
    if (callId === undefined || !line) {
      this.output.rewrite(undefined);
      return;
    }
    const heard = heardWords(line, now);
    const words = line.words.map(({ text }) => text);
    const { dim } = this.output.paint;
    this.output.rewrite({
      head: this.headOf(callId, line),
      heard: words.slice(0, heard).join(' '),
      upcoming: words.slice(heard).join(' '),
      paint: { head: dim, upcoming: dim },
    });
    const nextAt = nextWordAt(lines, now);
    if (nextAt !== undefined) this.#timer = setTimeout(() => this.#show(), Math.max(1, nextAt - now)).unref();
  }
}

/** How many calls that are over are remembered. */
const MOST_OVER = 100;
const BEGINS: readonly TimelineEvent['type'][] = ['saying', 'interim_transcript', 'speech_started'];
