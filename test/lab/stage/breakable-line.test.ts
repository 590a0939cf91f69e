import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { BreakableLine } from '../../../src/lab/stage/breakable-line.js';

test('a line that is broken twice refuses connections until both breaks are mended', async () => {
  const server = createServer((socket) => socket.end('hello')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const line = await BreakableLine.to(new URL(url));
  const heard = async () => {
    const { port } = new URL(line.through(url));
    const socket = connect(Number(port), '127.0.0.1');
    socket.on('error', () => {}); // followed by close
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    await once(socket, 'close');
    return text;
  };
  try {
    expect(await heard()).toBe('hello');
    line.break();
    line.break();
    expect(line.mend()).toBe(false);
    expect(await heard()).toBe('');
    expect(line.mend()).toBe(true);
    expect(await heard()).toBe('hello');
  } finally {
    await line.close();
    server.close();
  }
});
