import type { TimelineEvent } from '../call/timeline.js';
import type { TimelineEventOf } from '../call/view/events.js';
import { heardWords, type LiveLine, LiveTalk, nextWordAt, textOfWords } from '../call/view/live-lines.js';
import type { Output, Paint } from './output.js';

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

  #linesOf(callId: string | undefined): readonly LiveLine[] {
    return (callId !== undefined && this.#calls.get(callId)?.lines()) || [];
  }

  #show(): void {
    clearTimeout(this.#timer);
    let callId = this.#shown;
    let lines = this.#linesOf(callId);
    for (const next of lines.length > 0 ? [] : this.#calls.keys()) {
      callId = next;
      lines = this.#linesOf(next);
      if (lines.length > 0) break;
    }
    this.#shown = lines.length > 0 ? callId : undefined;
    const now = this.now();
    const line = lines.findLast(({ at }) => at <= now) ?? lines[0];
    if (callId === undefined || !line) {
      this.output.rewrite(undefined);
      return;
    }
    const heard = heardWords(line, now);
    const { dim } = this.output.paint;
    const upcoming = textOfWords(line.words.slice(heard)).trimEnd();
    const before = textOfWords(line.words.slice(0, heard));
    this.output.rewrite({
      head: this.headOf(callId, line),
      heard: upcoming === '' ? before.trimEnd() : before,
      upcoming,
      paint: { head: dim, upcoming: dim },
    });
    const nextAt = nextWordAt(lines, now);
    if (nextAt !== undefined) this.#timer = setTimeout(() => this.#show(), Math.max(1, nextAt - now)).unref();
  }
}

/** What of an utterance was heard, and what was not, behind who has said it. */
export function saidText(
  {
    text,
    unheard,
    wasInterrupted,
    typed,
    by,
  }: Pick<TimelineEventOf<'said'>, 'text' | 'unheard' | 'wasInterrupted' | 'typed' | 'by'>,
  { dim, yellow }: Paint,
): string {
  const marks = `${wasInterrupted ? yellow(' (interrupted)') : ''}${typed ? dim(' (typed)') : ''}${by ? dim(` (heard by the ${by})`) : ''}`;
  return `${text}${unheard ? dim(` [not heard: ${unheard}]`) : ''}${marks}`;
}

/** How many calls that are over are remembered. */
const MOST_OVER = 100;
const BEGINS: readonly TimelineEvent['type'][] = ['saying', 'interim_transcript', 'speech_started'];
