/** What a process has its {@link DiskThread} do to the files of call folders. `file` is a number that this process gave the file. */
export type DiskJob = AudioJob | PageJob | EventsJob | ReplaceJob | { readonly do: 'close'; readonly file: number };

/** Tells what pages are written to; the file is made with the first of them. */
export interface AudioJob {
  readonly do: 'open_audio';
  readonly file: number;
  readonly path: string;
  /** Hertz. */
  readonly sampleRate: number;
  /** Shared, so that nobody copies them: each page has all of its left samples before the right ones. */
  readonly pages: SharedArrayBuffer;
  /** Of either side, in samples of 16 bits. */
  readonly pageLength: number;
}

export const pageBytes = (length: number): number => length * 2 * Int16Array.BYTES_PER_ELEMENT;

export interface PageJob {
  readonly do: 'write_page';
  readonly file: number;
  /** Which of the pages. */
  readonly page: number;
  /** Where the first sample of it stands in the file. */
  readonly at: number;
  /** How many samples of either side, from its beginning. */
  readonly blocks: number;
}

export interface EventsJob {
  readonly do: 'append';
  readonly file: number;
  readonly path: string;
  readonly text: string;
  /** Another process may have been killed while it added a line. */
  readonly mayBeCut: boolean;
}

/** A reader sees what was there before, or this. */
export interface ReplaceJob {
  readonly do: 'replace';
  readonly path: string;
  readonly text: string;
}

/** What came of a job: undefined when it is done. */
export type DiskOutcome = { readonly message: string; readonly code: string | undefined } | undefined;
