import type { WebSocket } from 'ws';
import type { StreamFormat } from '../../../providers/carrier.js';

const formats = new WeakMap<WebSocket, StreamFormat>();

/** The first messages of a stream have been read, and say what it carries. */
export function learnFormat(websocket: WebSocket, format: StreamFormat): void {
  formats.set(websocket, format);
}

/** Undefined for a stream whose first messages have not been read yet. */
export function formatOf(websocket: WebSocket): StreamFormat | undefined {
  return formats.get(websocket);
}
