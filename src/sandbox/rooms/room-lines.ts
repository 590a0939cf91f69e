import type { PhoneNetwork } from '../network/network.js';
import type { RoomAccount } from './contract.js';
import type { SandboxRoom } from './room-session.js';

/** What calls in and out of rooms need from around them. */
export interface RoomLines {
  readonly account: RoomAccount;
  readonly network: Pick<PhoneNetwork, 'dialForeign'>;
  /** Counts a dial-out that is being started. @throws RoomRefusal 429 when there have been too many */
  readonly takeDialout: () => void;
  /** The session whose SIP endpoint can take a caller now. @param sipUri with or without `sip:` */
  sessionAt(sipUri: string): { readonly session: SandboxRoom; readonly endpoint: string } | undefined;
  /** Sees to the end of something that goes on by itself. */
  follow(work: Promise<void>): void;
}
