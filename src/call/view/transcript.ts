import { type Exception, isSameException } from '../../base/exception/exception.js';
import { languageName } from '../language-name.js';
import type { HeardBy, Speaker, TimelineEvent } from '../timeline.js';
import { doNotCallWords } from './do-not-call-words.js';
import { allOf, inOrder, languageAt, lineHeardIn, type TimelineEventOf } from './events.js';
import { withLostSpeech } from './lost-speech.js';
import { switchWords } from './services.js';

/** One thing that was said or done in a call, in its place. Times are milliseconds since the Unix epoch. */
export type TranscriptItem =
  | SaidItem
  | ToolItem
  | {
      readonly kind: 'transfer';
      readonly at: number;
      readonly to: string;
      /** Missing while it is under way. */
      readonly status?: string;
      readonly detail?: string | undefined;
    }
  | { readonly kind: 'keys'; readonly at: number; readonly direction: 'in' | 'out'; readonly keys: string }
  | {
      readonly kind: 'note';
      readonly at: number;
      readonly tone: 'quiet' | 'bad';
      readonly text: string;
      /** Where the bot's code has thrown it; of one that has come before, without the lines there. */
      readonly exception?: Exception | undefined;
    };

export interface SaidItem {
  readonly kind: 'said';
  /** When it began to be spoken. */
  readonly at: number;
  readonly endedAt: number;
  readonly speaker: Speaker;
  /** Of the bot's words, what the caller heard. */
  readonly text: string;
  /** The rest of the bot's words. */
  readonly unheard?: string | undefined;
  readonly wasInterrupted: boolean;
  /** What was spoken in the call then, a BCP 47 tag, where the bot has said so. */
  readonly language?: string;
  /** Of the caller: it was typed. */
  readonly isTyped?: true;
  /** Of the caller: what has understood it in place of the bot's ears. */
  readonly by?: HeardBy;
  /** For the first words of an answer: how long the caller waited for them since their last sound. */
  readonly waitedMs?: number;
}

export interface ToolItem {
  readonly kind: 'tool';
  readonly at: number;
  readonly name: string;
  readonly input: unknown;
  /** Missing while the tool works. */
  readonly ms?: number;
  readonly output?: unknown;
  readonly isError?: boolean;
}

/** A warning and the exception that it is about reach the runner on two ways, within this time of each other, in milliseconds. */
const TOLD_WITHIN_MS = 2_000;
/** How long words of the caller may come after the sound that they belong to, in milliseconds. */
export const MAX_LATE_MS = 3_000;
/** Keys that are pressed within this time of each other stand together, unless the caller or the bot began to speak between them. */
export const KEYS_TOGETHER_MS = 3_000;

/** What was said and done in a call, in the order in which it began. */
export function transcriptOf(events: readonly TimelineEvent[]): readonly TranscriptItem[] {
  const reader = new TranscriptReader(allOf(events, 'output').filter(({ exception }) => exception));
  for (const event of withLostSpeech(inOrder(events))) reader.read(event);
  return reader.items.toSorted((a, b) => a.at - b.at);
}

class TranscriptReader {
  readonly items: TranscriptItem[] = [];
  /** When the caller began to say what has not been understood yet. */
  #callerSince: number | undefined;
  /** When the caller last fell silent. */
  #callerUntil: number | undefined;
  /** Whether neither the caller nor the bot has begun to speak since the last keys. */
  #keysGoOn = false;
  /** Where in the items a tool's call, or a transfer, stands. */
  readonly #open = new Map<string, number>();
  readonly #shown: Exception[] = [];
  readonly #languages: TimelineEventOf<'language_changed'>[] = [];
  /** Each is told by one warning. */
  readonly #told = new Set<TimelineEvent>();

  /** @param thrown what code of the bot has thrown, of which a warning has the message only */
  constructor(private readonly thrown: readonly TimelineEventOf<'output'>[]) {}

  read(event: TimelineEvent): void {
    switch (event.type) {
      case 'speech_started':
        this.#keysGoOn = false;
        if (event.speaker === 'caller') this.#callerStarted(event.at);
        break;
      case 'speech_stopped':
        if (event.speaker === 'caller') this.#callerUntil = event.at;
        break;
      case 'said':
        this.#said(event);
        break;
      case 'line_played':
      case 'document': {
        const line = lineHeardIn(event);
        if (line) this.#note(line.at, line.text === '' ? `The ${line.name} plays` : `The ${line.name}: "${line.text}"`);
        break;
      }
      case 'turn_ended':
        this.#waited(event.startedAt, event.at, event.firstReleasedMs);
        break;
      case 'tool_called':
        this.#open.set(`tool ${event.call}`, this.items.length);
        this.items.push({ kind: 'tool', at: event.at, name: event.name, input: event.input });
        break;
      case 'tool_returned':
        this.#complete(`tool ${event.call}`, { ms: event.ms, output: event.output, isError: event.isError });
        break;
      case 'transfer_asked':
        this.#open.set('transfer', this.items.length);
        this.items.push({ kind: 'transfer', at: event.at, to: event.to });
        break;
      case 'transfer_over':
        this.#complete('transfer', { status: event.status, detail: event.detail });
        break;
      case 'keys':
        this.#keys(event.at, event.direction, event.keys);
        break;
      case 'caller_joined':
        this.#note(event.at, (event.bot ?? 1) < 2 ? 'Connected' : `Bot ${event.bot} takes over`);
        break;
      case 'warning':
        this.#warning(event);
        break;
      case 'service_switched':
        this.#note(event.at, switchWords(event));
        break;
      case 'do_not_call':
        this.#note(event.at, doNotCallWords(event));
        break;
      case 'language_changed':
        this.#languages.push(event);
        if (event.from) this.#note(event.at, `The call goes on in ${languageName(event.language)}`);
        break;
      case 'recording':
        if (event.is === 'paused' || event.is === 'resumed') this.#note(event.at, `Recording ${event.is}`);
        break;
    }
  }

  /** An earlier sound that nothing was understood of, a cough, is not when it began. */
  #callerStarted(at: number): void {
    if (this.#callerUntil !== undefined && at - this.#callerUntil > MAX_LATE_MS) this.#callerSince = undefined;
    this.#callerSince ??= at;
  }

  #said(event: Extract<TimelineEvent, { type: 'said' }>): void {
    const { speaker, text, unheard, wasInterrupted = false, typed, by } = event;
    const at = event.startedAt ?? (speaker === 'caller' ? this.#callerSince : undefined) ?? event.at;
    if (speaker === 'caller') this.#callerSince = undefined;
    // Words of the caller are known some time after they were said.
    const until = speaker === 'caller' ? this.#callerUntil : undefined;
    const endedAt = until !== undefined && until > at ? until : event.at;
    const language = languageAt(this.#languages, at);
    this.items.push({
      kind: 'said',
      at,
      endedAt,
      speaker,
      text,
      unheard,
      wasInterrupted,
      ...(language && { language }),
      ...(typed && { isTyped: typed }),
      ...(by && { by }),
    });
  }

  /** Marks the first words of an answer. They are noted when they have been heard, which is before the turn ends. */
  #waited(since: number, until: number, waitedMs: number | undefined): void {
    if (waitedMs === undefined) return;
    const index = this.items.findIndex(
      (item) => item.kind === 'said' && item.speaker === 'bot' && item.at >= since && item.at <= until,
    );
    const item = this.items[index];
    if (item?.kind === 'said') this.items[index] = { ...item, waitedMs };
  }

  #complete(name: string, end: object): void {
    const index = this.#open.get(name);
    if (index === undefined) return;
    this.#open.delete(name);
    this.items[index] = { ...this.items[index], ...end } as TranscriptItem;
  }

  #keys(at: number, direction: 'in' | 'out', keys: string): void {
    const last = this.items.at(-1);
    const isSoon = last?.kind === 'keys' && last.direction === direction && at - last.at < KEYS_TOGETHER_MS;
    if (isSoon && this.#keysGoOn) this.items[this.items.length - 1] = { ...last, keys: last.keys + keys };
    else this.items.push({ kind: 'keys', at, direction, keys });
    this.#keysGoOn = true;
  }

  #warning({ at, message }: TimelineEventOf<'warning'>): void {
    const apart = (one: TimelineEvent) => Math.abs(one.at - at);
    const [nearest] = this.thrown
      .filter((one) => !this.#told.has(one) && one.exception && isTold(one.exception.error, message))
      .toSorted((a, b) => apart(a) - apart(b));
    if (!nearest?.exception || apart(nearest) >= TOLD_WITHIN_MS) {
      this.#note(at, message, 'bad');
      return;
    }
    this.#told.add(nearest);
    const { exception } = nearest;
    const isKnown = this.#shown.some((one) => isSameException(one, exception));
    this.#shown.push(exception);
    const { frame: _, calls: __, ...bare } = exception;
    this.items.push({ kind: 'note', at, tone: 'bad', text: exception.error, exception: isKnown ? bare : exception });
  }

  #note(at: number, text: string, tone: 'quiet' | 'bad' = 'quiet'): void {
    this.items.push({ kind: 'note', at, tone, text });
  }
}

/** Whether an error, as stacks begin with it (`TypeError: no such name`), is that of a warning. */
const isTold = (error: string, message: string): boolean =>
  error === message || (error.endsWith(`: ${message}`) && !/[\s:]/.test(error.slice(0, -message.length - 2)));
