import type { CallPeaks } from '../call-peaks.js';
import type { CallRecord } from '../call-record.js';
import type { TimelineEvent } from '../timeline.js';
import type { ErrorSection } from './error-section.js';
import type { KeptCall } from './kept-call.js';

/** What a page of one call that stands by itself is given; plain JSON. */
export interface CallPageData {
  /** Its heading: what the call was made for. */
  readonly title: string;
  /** Where the list of calls is, from the page: an address of a file. */
  readonly back: string;
  readonly tone: 'good' | 'bad';
  /** What is said of the call above all else, a line each: what was expected of it, and what happened. */
  readonly notes: readonly string[];
  readonly record: CallRecord;
  /** In the order of their times. */
  readonly events: readonly TimelineEvent[];
  readonly kept: KeptCall;
  /** Missing where nothing was recorded. */
  readonly recording?: {
    readonly peaks: CallPeaks;
    /** The WAV file, in Base64. */
    readonly audio: string;
  };
  /** What the documentation says of the errors that may be named, by code. */
  readonly errors: Readonly<Record<string, ErrorSection>>;
}

/** The element of the page that holds the data. */
export const CALL_DATA_ID = 'call-data';
