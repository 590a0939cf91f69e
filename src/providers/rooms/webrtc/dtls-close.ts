import { setImmediate } from 'node:timers/promises';
import type { RTCDtlsTransport } from 'werift';

/** RFC 5246 section 6.2.1 */
const ALERT_RECORD = 21;

/** A warning: close_notify (RFC 5246 section 7.2) */
const CLOSE_NOTIFY = Buffer.from([1, 0]);

/** Later than every flight of a handshake. */
const NO_FLIGHT = 100;

export type Dtls = NonNullable<RTCDtlsTransport['dtls']>;

/** Does what werift leaves out when a transport is closed. */
export async function closeDtls({ state, dtls }: RTCDtlsTransport): Promise<void> {
  if (!dtls) return;
  if (state === 'connected') await sendCloseNotify(dtls);
  else endHandshake(dtls);
}

/**
 * What repeats a flight stops when it looks next. werift begins the handshake of a client a tenth of a second after it has made the
 * connection, and nothing stops that: to begin a flight any more changes nothing, so that it is said once and not for half a minute.
 */
function endHandshake({ dtls }: Dtls): void {
  Object.defineProperty(dtls, 'flight', { get: () => NO_FLIGHT, set: () => {} });
}

/**
 * Tells the other side that the connection is closed; without it that side waits for half a minute (RFC 7675) before it
 * gives us up. werift understands this alert but sends application data only: the record gets its type just before it
 * is encrypted.
 */
async function sendCloseNotify(dtls: Dtls): Promise<void> {
  const { cipher } = dtls;
  const encryptPacket = cipher.encryptPacket.bind(cipher);
  cipher.encryptPacket = (record) => {
    record.recordLayerHeader.contentType = ALERT_RECORD;
    return encryptPacket(record);
  };
  await dtls.send(CLOSE_NOTIFY).catch(() => {});
  await setImmediate(); // a socket that is closed in the same turn sends nothing
}
