import type { FailedTransfer } from '../../call/transfer-outcome.js';
import { RoomsTransport } from '../transports/room/rooms-transport.js';
import type { CallTransport } from './open-transport.js';

/** What a call learns of its transport. */
export interface TransportFollower {
  /** A transfer that an earlier bot of the call had asked for came to nothing. */
  transferFailed(transfer: FailedTransfer): void;
  warn(error: Error): void;
}

export function followTransport(transport: CallTransport, { transferFailed, warn }: TransportFollower): void {
  const failed = (_transport: unknown, transfer: FailedTransfer) => transferFailed(transfer);
  if (transport instanceof RoomsTransport) transport.on('transfer_failed', failed);
  else {
    transport.on('transfer_failed', failed);
    transport.on('warning', (_transport, { error }) => warn(error));
  }
}
