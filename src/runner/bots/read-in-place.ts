import { type ConnectOpts, Socket } from 'node:net';

/** Most of a read, in bytes: what Node asks the system for by itself. */
const MOST_READ_BYTES = 64 * 1_024;

/** Where the system puts what has come on any connection; the next read, of whichever, overwrites it. */
const incoming = Buffer.allocUnsafeSlow(MOST_READ_BYTES);

/** What Node keeps to itself; a test fails when it changes. */
interface TcpHandle {
  reading: boolean;
  readStop(): number;
  useUserBuffer(buffer: Buffer): void;
}

interface NodeInternals {
  _handle: TcpHandle | null;
}

/**
 * Goes on with a connection as another socket. What comes is shown to `take` where the system has put it, and only what it leaves is told
 * as `data`: memory of its own for each read, and the streams it would go through, are a good part of what 20 ms of a call cost.
 * @param take given memory that is good until it returns, and how many bytes of it have come; returns how many it has taken
 * @returns the connection from now on, paused; `socket` itself, paused, where there is no way to do so
 */
export function readInPlace(socket: Socket, take: (chunk: Buffer, length: number) => number): Socket {
  socket.pause();
  const internals = socket as unknown as NodeInternals;
  const handle = internals._handle;
  if (socket.readableLength > 0 || typeof handle?.useUserBuffer !== 'function') return socket;
  handle.readStop();
  handle.reading = false;
  const onread: ConnectOpts['onread'] = {
    buffer: incoming,
    callback: (length) => {
      const taken = take(incoming, length);
      if (taken < length) connection.emit('data', Buffer.from(incoming.subarray(taken, length)));
      return true;
    },
  };
  const options = { handle, onread, allowHalfOpen: socket.allowHalfOpen, manualStart: true };
  const connection: Socket = new Socket(options as ConstructorParameters<typeof Socket>[0]);
  connection.pause();
  internals._handle = null;
  connection.once('close', () => socket.destroy()); // for those who count the sockets that have come from another process
  return connection;
}
