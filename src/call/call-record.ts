import type { CallDirection, CallState, EndReason } from './call.js';
import type { CallId, ProviderCallId } from './call-id.js';

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
  readonly connectedAt?: number;
  readonly endedAt?: number;
  readonly endReason?: EndReason;
}
