import { once } from 'node:events';
import { createServer, get, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EventSubscribers } from '../../../src/runner/operator/event-subscriber.js';

test('one who has left before the answer begins is no subscriber, and leaves nothing open', async () => {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    const asked = get({ host: '127.0.0.1', port, path: '/events' }).on('error', () => {});
    const [, response] = (await once(server, 'request')) as [unknown, ServerResponse];
    const left = once(response, 'close');
    asked.destroy();
    await left;
    expect(new EventSubscribers().add(response)).toBeUndefined();
  } finally {
    server.close();
  }
});
