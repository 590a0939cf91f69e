import type { PhoneNetwork } from '../network/network.js';
import type { RoomAccount } from './contract.js';
import type { SandboxRoom } from './room-session.js';

/**
 * When a caller who is transferred leaves the room: as soon as the transfer is accepted, as the provider documents it, or only when the
 * destination answers, so that one who was not put through stays.
 * @see rooms reference 8.2
 */
export type TransferOrder = 'leaves_at_once' | 'leaves_on_answer';

/** What calls in and out of rooms need from their surroundings. */
export interface RoomLines {
  readonly account: RoomAccount;
  readonly network: Pick<PhoneNetwork, 'dialForeign'>;
  readonly transferOrder: TransferOrder;
  /** Counts a dial-out that is being started. @throws RoomRefusal 429 when there have been too many */
  readonly takeDialout: () => void;
  /** The session whose SIP endpoint can take a caller now. @param sipUri with or without `sip:` */
  sessionAt(sipUri: string): { readonly session: SandboxRoom; readonly endpoint: string } | undefined;
  /** Tracks work that is not awaited where it begins, so that closing can wait for it. */
  follow(work: Promise<void>): void;
}
