import type { RTCDtlsTransport } from 'werift';
import type { Dtls } from './dtls-close.js';

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
