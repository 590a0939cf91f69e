import type { RTCDtlsTransport } from 'werift';

/** RFC 6347 section 4.1: type, version, epoch, sequence number, length. */
const HEADER_BYTES = 13;
const EPOCH_AT = 3;
const LENGTH_AT = 11;
/** RFC 5246 section 6.2.1 */
const ALERT_RECORD = 21;

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
