import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import { WebSocket } from 'ws';
import { CallSocket, MAX_MESSAGE_BYTES } from '../../../src/runner/bots/call-socket.js';
import { WaitingStream } from '../../../src/runner/bots/waiting-stream.js';
import { until } from '../../e2e/processes.js';

async function openCallSocket({ protocols = [] as string[], isConnected = true } = {}) {
  const server = createServer();
  const answered = new Promise<WaitingStream>((resolve) => {
    server.on('upgrade', (request, socket, head) => {
      if (socket instanceof Socket) WaitingStream.answer(request, socket, head, resolve);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const farEnd = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`, protocols);
  const connection = await answered;
  const socket = new CallSocket();
  const connect = () => {
    const { socket: released, head } = connection.release();
    socket.connect(released, head);
  };
  if (isConnected) connect();
  let closedByBot = 0;
  let wishes = 0;
  socket.onWanted = () => {
    wishes += 1;
  };
  socket.onClosedByBot = () => {
    closedByBot += 1;
  };
  socket.on('error', () => {});
  farEnd.on('error', () => {});
  await once(farEnd, 'open');
  return {
    socket,
    farEnd,
    connect,
    wishes: () => wishes,
    closedByBot: () => closedByBot,
    async [Symbol.asyncDispose]() {
      socket.terminate();
      connection.drop();
      farEnd.terminate();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test.each(['close', 'terminate'] as const)('says once that the bot ended the stream with %s()', async (how) => {
  await using stream = await openCallSocket();
  const closed = once(stream.socket, 'close');
  stream.socket[how]();
  stream.socket.close();
  await closed;
  expect(stream.closedByBot()).toBe(1);
});

test.each([
  ['closes', (farEnd: WebSocket) => farEnd.close(1000)],
  ['closes without a code', (farEnd: WebSocket) => farEnd.close()],
  ['vanishes', (farEnd: WebSocket) => farEnd.terminate()],
  ['sends a message that is too long', (farEnd: WebSocket) => farEnd.send('x'.repeat(MAX_MESSAGE_BYTES + 1))],
])('does not blame the bot when the far end %s', async (_, end) => {
  await using stream = await openCallSocket();
  const closed = new Promise((resolve) => stream.socket.once('close', resolve));
  end(stream.farEnd);
  await closed;
  expect(stream.closedByBot()).toBe(0);
});

test('closes with 1009 after a message that is too long', async () => {
  await using stream = await openCallSocket();
  stream.farEnd.send('x'.repeat(MAX_MESSAGE_BYTES + 1));
  const [code] = await once(stream.farEnd, 'close');
  expect(code).toBe(1009);
});

test('echoes the first subprotocol that is offered', async () => {
  await using stream = await openCallSocket({ protocols: ['audio.plivo.com', 'other'] });
  expect(stream.farEnd.protocol).toBe('audio.plivo.com');
});

describe('a socket that has no connection yet', () => {
  test('is open, and wants one as soon as somebody listens', async () => {
    await using stream = await openCallSocket({ isConnected: false });
    expect(stream.socket.readyState).toBe(WebSocket.OPEN);
    stream.socket.resume();
    expect(stream.wishes()).toBe(0);
    stream.socket.on('message', () => {});
    stream.socket.once('message', () => {});
    expect(stream.wishes()).toBe(1);
  });

  test('loses nothing of what both ends have sent until then, in order', async () => {
    await using stream = await openCallSocket({ isConnected: false });
    const { socket, farEnd } = stream;
    const [heard, said]: string[][] = [[], []];
    farEnd.on('message', (data) => heard?.push(String(data)));
    for (let n = 0; n < 1_000; n += 1) farEnd.send(`audio ${n}`);
    for (let n = 0; n < 10; n += 1) socket.send(`word ${n}`);
    socket.on('message', (data) => said?.push(String(data)));
    stream.connect();
    socket.send('word 10');
    farEnd.send('last');
    await until(() => said?.at(-1) === 'last' && heard?.length === 11, 'everything has arrived');
    expect(said).toEqual([...Array.from({ length: 1_000 }, (_, n) => `audio ${n}`), 'last']);
    expect(heard).toEqual(Array.from({ length: 11 }, (_, n) => `word ${n}`));
  });

  test.each(['close', 'terminate'] as const)('is closed by %s(), which the bot has done', async (how) => {
    await using stream = await openCallSocket({ isConnected: false });
    const closed = once(stream.socket, 'close');
    stream.socket[how]();
    expect(stream.socket.readyState).toBe(WebSocket.CLOSING);
    stream.socket.send('too late');
    expect(await closed).toEqual([1006, expect.anything()]);
    expect([stream.closedByBot(), stream.wishes()]).toEqual([1, 0]);
  });

  test('says what it has to say before it is closed', async () => {
    await using stream = await openCallSocket({ isConnected: false });
    const { socket, farEnd } = stream;
    const heard = once(farEnd, 'message');
    const closed = once(farEnd, 'close');
    socket.send('goodbye');
    socket.close(1000);
    expect(stream.wishes()).toBe(1);
    stream.connect();
    expect(String((await heard)[0])).toBe('goodbye');
    expect((await closed)[0]).toBe(1000);
  });

  test('that was paused stays so', async () => {
    await using stream = await openCallSocket({ isConnected: false });
    stream.socket.on('message', () => {});
    stream.socket.pause();
    stream.connect();
    expect(stream.socket.isPaused).toBe(true);
    stream.socket.resume();
    stream.farEnd.send('word');
    expect(String((await once(stream.socket, 'message'))[0])).toBe('word');
  });
});

/** What the far end gets of what `send` sends, until a text that says `end`. */
async function receivedOf(farEnd: WebSocket, send: () => void): Promise<string[]> {
  const received: string[] = [];
  const ended = new Promise<void>((resolve) => {
    farEnd.on('message', (data, isBinary) => {
      const text = String(data);
      if (text === 'end') resolve();
      else received.push(isBinary ? `binary ${text}` : text);
    });
  });
  send();
  await ended;
  return received;
}

test('sends text of any length, in one piece of the connection where it is short and ASCII', async () => {
  await using stream = await openCallSocket();
  const writes = jest.spyOn(Socket.prototype, 'write');
  const texts = [0, 1, 125, 126, 127, 300, 4_096, 4_097, 20_000, 60_000].map((length) => 'x'.repeat(length));
  const received = receivedOf(stream.farEnd, () => {
    for (const text of texts) stream.socket.send(text);
    stream.socket.send('é€📞'.repeat(700));
    stream.socket.send('end');
  });
  const pieces = writes.mock.contexts.length;
  writes.mockRestore();
  expect(await received).toEqual([...texts, 'é€📞'.repeat(700)]);
  expect(pieces).toBe(8 + 4 * 2);
});

test('keeps texts, bytes and parts of a message in their order', async () => {
  await using stream = await openCallSocket();
  const received = await receivedOf(stream.farEnd, () => {
    stream.socket.send('a');
    stream.socket.send(Buffer.from('b'));
    stream.socket.send('c', () => {});
    stream.socket.send('d', { fin: false } as never);
    stream.socket.send('e');
    stream.socket.send('end');
  });
  expect(received).toEqual(['a', 'binary b', 'c', 'de']);
});

test('keeps what it has sent as it was while the far end does not read, on this call and on others', async () => {
  await using slow = await openCallSocket();
  await using other = await openCallSocket();
  const others = receivedOf(other.farEnd, () => {});
  slow.farEnd.pause();
  const texts = Array.from({ length: 5_000 }, (_, n) => `${n} `.repeat(300));
  const received = receivedOf(slow.farEnd, () => {
    for (const text of texts) {
      slow.socket.send(text);
      if (text.length % 7 === 0) other.socket.send(text);
    }
    for (const socket of [slow.socket, other.socket]) socket.send('end');
  });
  expect(slow.socket.bufferedAmount).toBeGreaterThan(0);
  slow.farEnd.resume();
  expect((await received).every((text, n) => text === texts[n])).toBe(true);
  expect(await others).toEqual(texts.filter((text) => text.length % 7 === 0));
});
