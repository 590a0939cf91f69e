/** What goes over a provider's wire, without anything of the account, the callers and the numbers in it. */
export interface WireItem {
  /** The step of the tour. */
  readonly step: string;
  /** Since the step began, in milliseconds. */
  readonly at: number;
  readonly channel: WireChannel;
  /** `in`: from the provider; `out`: from us. */
  readonly direction: 'in' | 'out';
  /** What it is, such as `/answer answer`, `POST Call/ 201`, `start`, `close`: the same in the same place of another tour. */
  readonly name: string;
  /** Which media stream of the step, counted from 1. */
  readonly stream?: number;
  /** Which call of the step, counted from 1, where it is known. */
  readonly call?: number;
  /** Values by their path, `media.track`; of a list all its items under `[]`. A value that says who is meant is named by its form alone. */
  readonly fields: WireFields;
}

export type WireChannel = 'webhook' | 'document' | 'rest' | 'stream' | 'room';

export type WireFields = Readonly<Record<string, readonly string[]>>;
