import { settlesWithin } from '../async/deadline.js';
import type { CarrierCredentials } from '../providers/carrier.js';
import type { CarrierFrameSerializer } from './stream/carrier-frame-serializer.js';

/** How long the stream stays open for a carrier that is slow to end the call, in milliseconds. */
const SLOW_CARRIER_MS = 1_500;
/** Longest wait for the carrier to confirm a hang-up before the pipeline ends without it, in milliseconds. */
const HANG_UP_LIMIT_MS = 8_000;

export interface EndCallActions {
  closeStream(): void;
  /** The carrier did not confirm the hang-up. */
  warn(error: Error): void;
}

/**
 * Closes the stream and, with credentials, ends the call at the carrier. The carrier is asked first: a stream that just
 * closed would send it on to the next document of the call. The caller does not wait for a slow carrier, though, and
 * hears the stream close. Never rejects.
 */
export async function endCall(
  serializer: CarrierFrameSerializer,
  { closeStream, warn }: EndCallActions,
): Promise<void> {
  const { credentials } = serializer;
  const ended = credentials ? endAtCarrier(serializer, credentials).catch(warn) : Promise.resolve();
  await settlesWithin(ended, SLOW_CARRIER_MS);
  closeStream();
  await settlesWithin(ended, HANG_UP_LIMIT_MS);
}

async function endAtCarrier(
  { carrier, callId }: CarrierFrameSerializer,
  credentials: CarrierCredentials,
): Promise<void> {
  const client = await carrier.createRestClient(credentials);
  await client.hangUp(callId).finally(() => client.close());
}
