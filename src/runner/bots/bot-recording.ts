import { join } from 'node:path';
import type { RecordingOrder } from '../../call/call-tape.js';
import { diskThread } from '../../call/folder/disk-thread.js';
import { EventFile } from '../../call/folder/event-file.js';
import { replaceJson } from '../../call/folder/folder-file.js';
import { FolderTape } from '../../call/folder/folder-tape.js';
import { readEvents } from '../../call/folder/read-events.js';
import { removeRecording } from '../../call/folder/removed-recording.js';
import { isTalk, transcriptOf } from '../../call/folder/transcript.js';
import type { BotEntry, TimelineEvent } from '../../call/timeline.js';
import type { TimelineSink } from './bot-timeline.js';

/** What a bot adds to the folder of its call: the audio, its events, and at the end the transcript. */
export class BotRecording implements TimelineSink {
  readonly tape: FolderTape;
  readonly #events: EventFile;
  /** What the transcript is made of. */
  readonly #talk: TimelineEvent[] = [];
  #hasFailed = false;
  #isRemoved = false;

  /**
   * @param attempt which bot of the call it is
   * @param delayMs how long what the bot says takes to be heard and answered, at the least
   * @param tell notes something about the recording in the call's timeline
   */
  constructor(
    private readonly order: RecordingOrder,
    private readonly attempt: number,
    delayMs: number,
    private readonly tell: (entry: BotEntry) => void,
  ) {
    const { folder, startedAt } = order;
    const onFailed = (error: Error) => this.#fail(error);
    this.#events = new EventFile({ path: join(folder, 'events.ndjson'), disk: diskThread, onFailed });
    this.tape = new FolderTape({
      path: join(folder, 'audio.wav'),
      startedAt,
      delayMs,
      disk: diskThread,
      onStarted: (sampleRate) => tell({ type: 'recording', is: 'started', startedAt, sampleRate }),
      onFailed,
    });
  }

  note(event: TimelineEvent): void {
    this.#events.add(event);
    if (isTalk(event)) this.#talk.push(event);
  }

  /** The bot's part is over. Resolves when everything is on the disk, or cannot be. */
  async close(): Promise<void> {
    await this.tape.close();
    await this.#events.close();
    if (this.#isRemoved)
      removeRecording(this.order.folder); // what was on its way to the disk
    else if (!this.#hasFailed) await this.#writeTranscript().catch((error: Error) => this.#fail(error));
  }

  /** Nothing more is kept, and what there is is removed. @throws the system's error */
  remove(): void {
    this.#isRemoved = true;
    this.#talk.length = 0;
    removeRecording(this.order.folder);
    void this.close().catch((error: Error) => this.#fail(error));
  }

  /** What earlier bots of the call have heard and said is in its folder. */
  async #writeTranscript(): Promise<void> {
    const { folder } = this.order;
    const isFirst = this.attempt === 1;
    const talk = isFirst ? this.#talk : (await readEvents(join(folder, 'events.ndjson'))).content;
    const entries = transcriptOf(talk.toSorted((a, b) => a.at - b.at));
    await replaceJson(diskThread, join(folder, 'transcript.json'), { entries });
  }

  /** A disk that takes one of the files no more takes none. */
  #fail(error: Error): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    void this.tape.close();
    this.tell({ type: 'recording', is: 'failed', reason: error.message });
  }
}
