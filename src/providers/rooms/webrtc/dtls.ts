import { setImmediate } from 'node:timers/promises';
import type { RTCDtlsTransport } from 'werift';

/** RFC 5246 section 6.2.1 */
const ALERT_RECORD = 21;

/** A warning: close_notify (RFC 5246 section 7.2) */
const CLOSE_NOTIFY = Buffer.from([1, 0]);

/** Later than every flight of a handshake. */
const NO_FLIGHT = 100;

type Dtls = NonNullable<RTCDtlsTransport['dtls']>;

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

/** RFC 6347 section 4.1: type, version, epoch, sequence number, length. */
const HEADER_BYTES = 13;
const EPOCH_AT = 3;
const LENGTH_AT = 11;

/**
 * Keeps alerts in plain text from werift, which believes them: from the moment that the two are connected only the other
 * side can say that it closes, and it says so encrypted. Anybody else could otherwise end the connection with one
 * datagram. To be called when the connection is there.
 */
export function ignorePlainAlerts({ dtls }: RTCDtlsTransport): void {
  const socket = dtls?.transport.socket;
  const receive = socket?.onData;
  if (!socket || !receive) return;
  socket.onData = (data, from) => {
    if (!hasPlainAlert(data)) receive(data, from);
  };
}

/** A datagram may hold several records; those of epoch 0 are in plain text. */
function hasPlainAlert(data: Buffer): boolean {
  for (let at = 0; at + HEADER_BYTES <= data.length; at += HEADER_BYTES + data.readUInt16BE(at + LENGTH_AT)) {
    if (data[at] === ALERT_RECORD && data.readUInt16BE(at + EPOCH_AT) === 0) return true;
  }
  return false;
}

type HandshakeMessage = Parameters<NonNullable<Dtls['onHandleHandshakes']>>[0][number];

/** Message types of RFC 6347 section 4.3.2. */
const CLIENT_HELLO = 1;
const HELLO_VERIFY_REQUEST = 3;
const SERVER_FLIGHT = [2, 11, 12, 13, 14];

/** Where the cookie's length stands in a ClientHello whose session id has no bytes: behind version, random and that length. */
const SESSION_LENGTH_AT = 34;

/**
 * Keeps what is sent again during a handshake from werift, which begins anew or fails when it reads it: a side that is
 * answered late, by a machine that is busy or over a network that has lost something, says everything once more
 * (RFC 6347 section 4.2.4). To be called when the handshake begins.
 */
export function ignoreRepeats({ dtls, role }: RTCDtlsTransport): void {
  const handle = dtls?.onHandleHandshakes;
  if (!dtls || !handle) return;
  const isRepeat = role === 'client' ? isRepeatOfServer : isRepeatOfClient;
  dtls.onHandleHandshakes = (messages) => handle(messages.filter((message) => !isRepeat(message, dtls.dtls.flight)));
}

/** @param flight the last that we have sent ourselves */
function isRepeatOfServer({ msg_type }: HandshakeMessage, flight: number): boolean {
  return (msg_type === HELLO_VERIFY_REQUEST && flight >= 3) || (SERVER_FLIGHT.includes(msg_type) && flight >= 5);
}

/** The second ClientHello, which has a cookie, is answered again; the first one would undo what has been agreed on. */
function isRepeatOfClient({ msg_type, fragment }: HandshakeMessage, flight: number): boolean {
  if (msg_type !== CLIENT_HELLO || flight < 4) return false;
  const cookieLengthAt = SESSION_LENGTH_AT + 1 + (fragment[SESSION_LENGTH_AT] ?? 0);
  return fragment[cookieLengthAt] === 0;
}
