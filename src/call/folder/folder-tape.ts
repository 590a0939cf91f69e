import type { CallTape } from '../call-tape.js';
import type { Disk } from './disk-thread.js';
import { FileJournal } from './file-journal.js';
import { TAPE_ENTRY } from './journal-entries.js';
import { sharedNow } from './shared-clock.js';
import { SpeechBeginnings } from './speech-beginnings.js';

/** How much may wait for a disk that is slow, in seconds of both sides. */
const MAX_WAITING_S = 16;

export interface FolderTapeOptions {
  readonly path: string;
  /** When the first sample of the file is, milliseconds since the Unix epoch. */
  readonly startedAt: number;
  /** How long what we send takes to be heard and answered, in milliseconds. */
  readonly delayMs: number;
  readonly disk: Disk;
  /** Monotonic milliseconds. Default: {@link sharedNow}, as the thread has it. */
  readonly now?: () => number;
  /** The first audio is there. @param sampleRate hertz */
  onStarted(sampleRate: number): void;
  /** Nothing more is recorded. Called once. */
  onFailed(error: Error): void;
}

/** Notes a call's audio for the thread that writes, which makes the recording of it: see {@link CallRecording}. */
export class FolderTape implements CallTape {
  readonly #speech = new SpeechBeginnings();
  #journal: FileJournal | undefined;
  #isPaused = false;
  #isOver = false;
  readonly #now: () => number;

  constructor(private readonly options: FolderTapeOptions) {
    this.#now = options.now ?? sharedNow;
  }

  received(pcm: Int16Array, sampleRate: number): void {
    this.#note(TAPE_ENTRY.received, this.#now(), pcm, sampleRate);
  }

  sent(pcm: Int16Array, sampleRate: number): boolean {
    const now = this.#now();
    this.#note(TAPE_ENTRY.sent, now, pcm, sampleRate);
    return this.#speech.sent((1_000 * pcm.length) / sampleRate, now);
  }

  marked(name: string): void {
    this.#tell(TAPE_ENTRY.marked, name);
  }

  played(name: string): void {
    this.#tell(TAPE_ENTRY.played, name);
  }

  cleared(): void {
    this.#speech.cut();
    this.#tell(TAPE_ENTRY.cleared);
  }

  dropped(): void {
    this.#tell(TAPE_ENTRY.dropped);
  }

  streamOver(): void {
    this.#speech.cut();
    this.#tell(TAPE_ENTRY.streamOver);
  }

  /** Both sides are silent from here on. */
  pause(): void {
    this.#isPaused = true;
    this.#tell(TAPE_ENTRY.paused);
  }

  resume(): void {
    this.#isPaused = false;
    this.#tell(TAPE_ENTRY.resumed);
  }

  /** Resolves when everything is written, or nothing more can be. */
  async close(): Promise<void> {
    this.#isOver = true;
    await this.#journal?.close();
  }

  #note(kind: number, at: number, pcm: Int16Array, sampleRate: number): void {
    if (this.#isOver) return;
    this.#journal ??= this.#open(sampleRate);
    this.#journal.writeSamples(kind, at, pcm);
  }

  /** Before the first audio nothing can happen to it. */
  #tell(kind: number, name = ''): void {
    if (!this.#isOver) this.#journal?.writeText(kind, this.#now(), name);
  }

  #open(sampleRate: number): FileJournal {
    const { disk, path, startedAt, delayMs, onStarted, onFailed } = this.options;
    const journal = new FileJournal({
      disk,
      job: { do: 'record', path, sampleRate, startedAt, delayMs },
      maxWaiting: MAX_WAITING_S * sampleRate * 2 * Int16Array.BYTES_PER_ELEMENT,
      onFailed,
    });
    if (this.#isPaused) journal.writeText(TAPE_ENTRY.paused, this.#now(), '');
    onStarted(sampleRate);
    return journal;
  }
}
