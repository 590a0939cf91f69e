import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, Socket } from 'node:net';
import { readInPlace } from '../../../src/runner/bots/read-in-place.js';
import { until } from '../../e2e/processes.js';

/** A connection of two ends on loopback. */
async function openPair() {
  const server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const farEnd = createConnection((server.address() as AddressInfo).port, '127.0.0.1').setNoDelay();
  const [near] = (await once(server, 'connection')) as [Socket];
  const all = [farEnd, near];
  return {
    farEnd,
    near,
    /** Goes on with the near end. */
    read(take: (chunk: Buffer, length: number) => number): Socket {
      const connection = readInPlace(near, take);
      all.push(connection);
      return connection;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of all) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test('shows everything that comes to the taker, always in the same memory, and tells nobody', async () => {
  await using pair = await openPair();
  const taken: string[] = [];
  const places = new Set<ArrayBufferLike>();
  const connection = pair.read((chunk, length) => {
    places.add(chunk.buffer);
    taken.push(chunk.toString('utf8', 0, length));
    return length;
  });
  let told = 0;
  connection.on('data', () => {
    told += 1;
  });
  connection.resume();
  for (const word of ['one', 'two', 'three']) {
    pair.farEnd.write(word);
    await until(() => taken.at(-1) === word, `${word} has come`);
  }
  expect(connection).not.toBe(pair.near);
  expect([places.size, told]).toEqual([1, 0]);
});

test('tells as data what the taker leaves, in memory of its own', async () => {
  await using pair = await openPair();
  const connection = pair.read(() => 4);
  const told: Buffer[] = [];
  connection.on('data', (data: Buffer) => told.push(data)).resume();
  for (const [n, words] of ['all but this', 'all and that'].entries()) {
    pair.farEnd.write(words);
    await until(() => told.length > n, `"${words}" has come`);
  }
  expect(told.map(String)).toEqual(['but this', 'and that']);
});

test('reads only when it is resumed, and ends and counts as the connection does', async () => {
  await using pair = await openPair();
  let heard = '';
  const connection = pair.read((chunk, length) => {
    heard += chunk.toString('utf8', 0, length);
    return length;
  });
  pair.farEnd.write('early');
  connection.write('answer');
  await once(pair.farEnd, 'data');
  expect(heard).toBe('');
  connection.resume();
  await until(() => heard === 'early', 'it has been read');
  connection.pause();
  pair.farEnd.end('late');
  connection.resume();
  await once(connection, 'end');
  expect([heard, connection.bytesRead, connection.bytesWritten]).toEqual(['earlylate', 9, 6]);
});

test('the socket that was there before is closed when the connection is', async () => {
  await using pair = await openPair();
  const connection = pair.read((_, length) => length).resume();
  const closed = once(pair.near, 'close');
  pair.farEnd.destroy();
  connection.destroy();
  await closed;
});

test('leaves a socket as it is that has read something already', async () => {
  await using pair = await openPair();
  pair.farEnd.write('early');
  pair.near.read(0);
  await until(() => pair.near.readableLength > 0, 'something has come');
  const connection = pair.read(() => 0);
  expect(connection).toBe(pair.near);
  const told = once(connection, 'data');
  connection.resume();
  expect(String((await told)[0])).toBe('early');
});

test('leaves a socket as it is that has no connection', () => {
  const socket = new Socket();
  expect(readInPlace(socket, () => 0)).toBe(socket);
  socket.destroy();
});
