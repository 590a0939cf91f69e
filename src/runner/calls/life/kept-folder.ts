import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { type ProcessIdentity, thisProcess } from '../../../base/process/process-identity.js';
import type { CallRecord } from '../../../call/call-record.js';
import { diskThread } from '../../../call/folder/disk-thread.js';
import { EventFile } from '../../../call/folder/event-file.js';
import { replaceJson } from '../../../call/folder/folder-file.js';
import { readEvents } from '../../../call/folder/read-events.js';
import type { RecordFile } from '../../../call/folder/read-record.js';
import { isRecordingRemoved, removeRecording } from '../../../call/folder/removed-recording.js';
import { transcriptOf } from '../../../call/folder/transcript.js';
import type { TimelineEvent } from '../../../call/timeline.js';

/** How often how a call has ended is tried to be written to a disk that takes nothing, and how far apart, in milliseconds. */
const LAST_TRIES = { count: 60, everyMs: 10_000 };

/** What a runner adds to the folder of a call: its own events, the record, and what a bot that died could not write. */
export class KeptFolder {
  readonly #events: EventFile;
  readonly #runner: ProcessIdentity = thisProcess();
  /** To be written when what is being written is, or to be tried again. */
  #next: (CallRecord & Pick<RecordFile, 'summary'>) | undefined;
  #latest: CallRecord | undefined;
  #writing: Promise<void> | undefined;
  #isFailed = false;
  #isOver = false;

  /**
   * @param path absolute
   * @param onFailed called once, by whatever fails first: what can be written all the same is
   */
  constructor(
    readonly path: string,
    private readonly onFailed: (error: Error) => void,
    private readonly lastTries = LAST_TRIES,
  ) {
    this.#events = new EventFile({
      path: join(path, 'events.ndjson'),
      disk: diskThread,
      onFailed: (error) => this.fail(error),
    });
  }

  note(event: TimelineEvent): void {
    if (!this.#isOver) this.#events.add(event);
  }

  /** Writes the record, unless it changes again before. */
  keep(record: CallRecord): void {
    this.#next = record;
    this.#latest = record;
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
  }

  /** The other party wishes that nothing is kept of the call but its record. */
  remove(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const remove = () => {
      try {
        removeRecording(this.path);
      } catch (error) {
        this.fail(error as Error);
      }
    };
    remove();
    void this.#events.close().finally(remove);
  }

  /** A bot of the call has died: it may have cut off a line. */
  botIsGone(): void {
    this.#events.otherIsGone();
  }

  /** Something of the call cannot be written. */
  fail(error: Error): void {
    if (this.#isFailed) return;
    this.#isFailed = true;
    this.onFailed(error);
  }

  /**
   * The call is over. Resolves when everything is written, or cannot be.
   * @param lost what bots that died have told of the call
   * @param summary what a list tells of it
   */
  async finish(lost: readonly TimelineEvent[], summary?: RecordFile['summary']): Promise<void> {
    await this.#writing;
    const isRemoved = isRecordingRemoved(this.path);
    if (isRemoved) this.remove();
    await this.#events.flush();
    if (!isRemoved) await this.#complete(lost).catch((error: Error) => this.fail(error));
    await this.#events.close();
    this.#isOver = true;
    if (!isRemoved && summary && this.#latest) this.#next = { ...this.#latest, summary };
    await this.#write();
    this.#tryAgain(this.lastTries.count);
  }

  /** Space may be made on a disk that was full. A runner that leaves meanwhile is seen to be gone, and the call is over with it. */
  #tryAgain(count: number): void {
    if (!this.#next || count <= 0) return;
    setTimeout(() => void this.#write().then(() => this.#tryAgain(count - 1)), this.lastTries.everyMs).unref();
  }

  /** What cannot be written stays the next, until there is a later one. */
  async #write(): Promise<void> {
    for (let record = this.#next; record; record = this.#next) {
      const isEnded = record.state === 'ended';
      const content: RecordFile = isEnded ? record : { ...record, runner: this.#runner };
      try {
        await replaceJson(diskThread, join(this.path, 'call.json'), content);
      } catch (error) {
        this.fail(error as Error);
        if (this.#next === record) return;
      }
      if (this.#next === record) this.#next = undefined;
    }
  }

  /** Adds what is not there and is known here. */
  async #complete(lost: readonly TimelineEvent[]): Promise<void> {
    const path = join(this.path, 'transcript.json');
    const isThere = await access(path).then(
      () => true,
      () => false,
    );
    if (isThere && lost.length === 0) return;
    const { content: events } = await readEvents(join(this.path, 'events.ndjson'));
    const keyOf = ({ at, bot, type }: TimelineEvent) => `${at} ${bot} ${type}`;
    const known = new Set(events.map(keyOf));
    const more = lost.filter((event) => !known.has(keyOf(event)));
    for (const event of more) this.#events.add(event);
    const entries = transcriptOf([...events, ...more].sort((a, b) => a.at - b.at));
    await replaceJson(diskThread, path, { entries });
  }
}
