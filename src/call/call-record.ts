import type { CallDirection, CallState, EndReason } from './call.js';
import type { CallCost } from './call-cost.js';
import type { CallId, ProviderCallId } from './call-id.js';
import type { HeardNotice } from './disclosure.js';
import type { AskedNotToBeCalled } from './do-not-call.js';

/** A call as operators see it; plain JSON. Times are milliseconds since the Unix epoch. */
export interface CallRecord {
  readonly id: CallId;
  /** The carrier's identifier; for a dialled call known once the carrier has told it. */
  readonly providerCallId?: ProviderCallId;
  readonly direction: CallDirection;
  /** E.164, or a `sip:` address; absent where the caller's number is withheld or not known. */
  readonly from?: string | undefined;
  readonly to: string;
  /** The call whose bot has dialled this one beside it, to consult a person; absent in all others. */
  readonly linkedTo?: CallId | undefined;
  /** The calls that its bot has had dialled beside it, the oldest first; absent where there are none. */
  readonly consulted?: readonly CallId[];
  /** It came from the phone of the page beside an account, and stayed on this machine: no provider had a part in it. Absent otherwise. */
  readonly isLocal?: true;
  /** Name of the bot file that took it, without its folder. Absent in records of older versions. */
  readonly botFile?: string;
  readonly state: CallState;
  /** Which bot serves it: 1, and one more for each that was replaced. */
  readonly attempt: number;
  /** How often the media stream was lost with the tunnel and the caller brought back. */
  readonly reconnects?: number;
  readonly startedAt: number;
  /** When a person or machine at the other end picked up. */
  readonly answeredAt?: number;
  /** What picked up, where the carrier was asked to find out. */
  readonly answeredBy?: 'person' | 'machine';
  /** The other party has asked in it not to be called again, and their number is on the list. Absent otherwise. */
  readonly doNotCall?: AskedNotToBeCalled;
  readonly connectedAt?: number;
  /** The other party has heard that a machine calls: when, and by which evidence. Absent while that has not happened. */
  readonly disclosure?: HeardNotice;
  /** The same of the notice that the call is recorded. */
  readonly recordingNotice?: HeardNotice;
  /**
   * When the other party has objected to the recording, or that of a call which is linked with this one, milliseconds since the Unix epoch: what
   * there was of it has been removed.
   */
  readonly recordingRemovedAt?: number;
  readonly endedAt?: number;
  readonly endReason?: EndReason;
  /** What it has cost so far, by the user's prices; absent where there are none. */
  readonly cost?: CallCost | undefined;
}
