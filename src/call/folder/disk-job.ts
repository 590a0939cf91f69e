/** What a process has its {@link DiskThread} do to the files of call folders. `file` is a number that this process gave the file. */
export type DiskJob = RecordJob | EventsJob | FileJob | ReplaceJob;

interface JournalJob {
  readonly file: number;
  readonly path: string;
  /** Of a journal, which says what the file gets. */
  readonly journal: SharedArrayBuffer;
}

/** Done when the file is closed: what the journal tells of a call becomes its recording. */
export interface RecordJob extends JournalJob {
  readonly do: 'record';
  /** Hertz. */
  readonly sampleRate: number;
  /** When the first sample of the file is, milliseconds since the Unix epoch. */
  readonly startedAt: number;
  /** How long what we send takes to be heard and answered, in milliseconds. */
  readonly delayMs: number;
}

/** Done when the file is closed: the lines of the journal are added to it. */
export interface EventsJob extends JournalJob {
  readonly do: 'add_events';
}

/** What the journal has got so far is written; that is all of it, when the file is closed. */
export interface FileJob {
  readonly do: 'flush' | 'close';
  readonly file: number;
}

/** A reader sees what was there before, or this. */
export interface ReplaceJob {
  readonly do: 'replace';
  readonly path: string;
  readonly text: string;
}

/** A job on its way to the thread. */
export interface NumberedJob {
  readonly number: number;
  readonly job: DiskJob;
}

/** What came of it. */
export interface DoneJob {
  readonly number: number;
  /** The system's error, where it could not be done. */
  readonly problem?: { readonly message: string; readonly code: string | undefined } | undefined;
}
