import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import type { CallRecord } from '../../call/call-record.js';
import type { ApplicationEvent, ApplicationEventType } from './application-event.js';

/** An event that has not been accepted yet. */
export interface KeptEvent {
  /** The same for every try. */
  readonly id: string;
  readonly event: ApplicationEvent;
}

/** What a line of the file may be; each is written at once, between two ends of lines. */
export type OutboxLine =
  | KeptEvent
  | { readonly accepted: string }
  | { readonly record: CallRecord }
  /** The kinds of events that another runner of the cluster has told. */
  | { readonly told: readonly ApplicationEventType[] };

/** Where an event stands in the file, in bytes; or the event itself where it could not be written. */
type Place = { readonly id: string; readonly at: number; readonly bytes: number } | KeptEvent;

export interface OutboxFileListener {
  /** The file has grown by so many bytes. */
  grew(bytes: number): void;
  /** Something could not be written: it is known to this process only. */
  failed(error: unknown): void;
}

/**
 * The events of one call in the order in which they are delivered, on disk until they are accepted. Nothing waits for the disk
 * itself: what is here survives the process, and not a loss of power.
 */
export class OutboxFile {
  readonly #waiting: Place[] = [];
  readonly #types = new Set<ApplicationEventType>();
  #record: CallRecord | undefined;
  #hasEnded = false;
  #bytes = 0;
  /** Keeps `call.ended` back. */
  isHeld = false;

  /** Opens nothing before something is written. @param path of a file that no other process writes to */
  constructor(
    readonly path: string,
    private readonly listener: OutboxFileListener,
  ) {}

  /** One that another process has written. What it was writing when it was killed is passed over. */
  static read(path: string, listener: OutboxFileListener): OutboxFile {
    const file = new OutboxFile(path, listener);
    const content = readFileSync(path);
    const accepted = new Set<string>();
    for (const { at, bytes, line } of linesIn(content)) {
      if ('event' in line) file.#take(line.event, { id: line.id, at, bytes });
      else if ('record' in line) file.#record = line.record;
      else if ('told' in line) for (const type of line.told) file.#types.add(type);
      else accepted.add(line.accepted);
    }
    file.#bytes = content.length;
    const left = file.#waiting.filter(({ id }) => !accepted.has(id));
    file.#waiting.splice(0, file.#waiting.length, ...left);
    listener.grew(content.length);
    return file;
  }

  /** The call as it was last. */
  get record(): CallRecord | undefined {
    return this.#record;
  }

  /** The kinds of events there have been. */
  get types(): ReadonlySet<ApplicationEventType> {
    return this.#types;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Events that are not accepted yet. */
  get count(): number {
    return this.#waiting.length;
  }

  /** `call.ended` is among its events; none can be added after it has been accepted. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Everything was accepted. */
  get isDone(): boolean {
    return this.#hasEnded && this.#waiting.length === 0;
  }

  keepRecord(record: CallRecord): void {
    this.#record = record;
    this.#write({ record });
  }

  /** Another runner has told events of these kinds. */
  keepTold(told: readonly ApplicationEventType[]): void {
    for (const type of told) this.#types.add(type);
    this.#write({ told });
  }

  /** An event after `call.ended` is delivered before it, or not at all. */
  add(event: ApplicationEvent): void {
    if (this.isDone) return;
    this.#keep({ id: `evt_${randomBytes(15).toString('base64url')}`, event });
  }

  /** The one to deliver; undefined when none may be now. */
  next(): KeptEvent | undefined {
    for (;;) {
      const [place] = this.#waiting;
      if (!place || (this.isHeld && this.#hasEnded && this.#waiting.length === 1)) return undefined;
      if ('event' in place) return place;
      const kept = this.#readAt(place);
      if (kept) return kept;
      this.#waiting.shift(); // the file was removed or cut off
    }
  }

  /** The event that was next is accepted, or given up. */
  settle(id: string): void {
    const [place] = this.#waiting;
    if (place?.id !== id) return; // dropped meanwhile
    this.#waiting.shift();
    if (this.isDone) this.remove();
    else this.#write({ accepted: id });
  }

  /**
   * Takes the words out of its events, also of those that were accepted: what was said is not to be kept. In their place, so that each event
   * stays where it is, and one that is cut off by a crash has none of its words.
   */
  forgetTalk(): void {
    for (const [at, place] of this.#waiting.entries())
      if ('event' in place) this.#waiting[at] = { ...place, event: withoutTalk(place.event) };
    if (!existsSync(this.path)) return;
    this.#try(() => {
      const file = openSync(this.path, 'r+');
      try {
        const content = readFileSync(file);
        for (const { at, bytes, line } of linesIn(content)) {
          if (!('event' in line) || line.event.type !== 'turn.ended') continue;
          const text = JSON.stringify({ ...line, event: withoutTalk(line.event) });
          writeSync(file, text + ' '.repeat(bytes - Buffer.byteLength(text)), at);
        }
      } finally {
        closeSync(file);
      }
    });
  }

  /** Nothing more comes. */
  finish(): void {
    this.#hasEnded = true;
  }

  /** Nothing more comes and nothing is delivered any more. */
  remove(): void {
    this.#hasEnded = true;
    this.#waiting.length = 0;
    this.#try(() => rmSync(this.path, { force: true }));
  }

  #keep(kept: KeptEvent): void {
    const written = this.#write(kept);
    this.#take(kept.event, written ? { id: kept.id, ...written } : kept);
  }

  #try(change: () => void): void {
    try {
      change();
    } catch (error) {
      this.listener.failed(error);
    }
  }

  /** `call.ended` is the last. */
  #take(event: ApplicationEvent, place: Place): void {
    if (this.#hasEnded && event.type === 'call.ended')
      this.#waiting.splice(-1, 1, place); // it says more
    else if (this.#hasEnded) this.#waiting.splice(-1, 0, place);
    else this.#waiting.push(place);
    this.#types.add(event.type);
    if (event.type === 'call.ended') this.#hasEnded = true;
  }

  /** @returns where the line is; undefined when it could not be written */
  #write(line: OutboxLine): { at: number; bytes: number } | undefined {
    const text = JSON.stringify(line);
    const bytes = Buffer.byteLength(text);
    try {
      const file = openSync(this.path, 'a', 0o600);
      try {
        const { size } = fstatSync(file);
        writeFileSync(file, `\n${text}\n`); // the first end of a line closes one that a full disk has cut off
        this.#bytes = size + bytes + 2;
        this.listener.grew(bytes + 2);
        return { at: size + 1, bytes };
      } finally {
        closeSync(file);
      }
    } catch (error) {
      this.listener.failed(error);
      return undefined;
    }
  }

  #readAt({ at, bytes }: { readonly at: number; readonly bytes: number }): KeptEvent | undefined {
    try {
      const file = openSync(this.path, 'r');
      try {
        const buffer = Buffer.alloc(bytes);
        readSync(file, buffer, 0, bytes, at);
        const line = parse(buffer.toString('utf8'));
        return line && 'event' in line ? line : undefined;
      } finally {
        closeSync(file);
      }
    } catch {
      return undefined;
    }
  }
}

/** The whole lines of ours in a file, with where they stand, in bytes. */
function* linesIn(
  content: Buffer,
): Generator<{ readonly at: number; readonly bytes: number; readonly line: OutboxLine }> {
  for (let at = 0; at < content.length; ) {
    const end = content.indexOf('\n', at);
    const bytes = (end < 0 ? content.length : end) - at;
    const line = parse(content.toString('utf8', at, at + bytes));
    if (line) yield { at, bytes, line };
    at += bytes + 1;
  }
}

function withoutTalk(event: ApplicationEvent): ApplicationEvent {
  if (event.type !== 'turn.ended') return event;
  const { caller: _, bot: __, ...data } = event.data;
  return { ...event, data };
}

/** Undefined for what is not a whole line of ours. */
function parse(text: string): OutboxLine | undefined {
  try {
    const line = JSON.parse(text);
    const isEvent = typeof line?.id === 'string' && typeof line.event?.type === 'string';
    const isOther =
      typeof line?.accepted === 'string' || typeof line?.record?.id === 'string' || Array.isArray(line?.told);
    return isEvent || isOther ? line : undefined;
  } catch {
    return undefined;
  }
}
