import { once } from 'node:events';
import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Socket } from 'node:net';
import { PeerClient } from '../../../src/cluster/calls/peer-client.js';
import { ownSigner } from '../../../src/runner/calls/carrier/stream-pass.js';

test('a runner whose address another one has now is not there', async () => {
  const asked: Array<string | undefined> = [];
  const another = createServer(({ url }, response) => {
    asked.push(url);
    response.writeHead(421).end();
  });
  await once(another.listen(0, '127.0.0.1'), 'listening');
  const peer = { id: 'a1', peerUrl: `http://127.0.0.1:${(another.address() as AddressInfo).port}` };
  const client = new PeerClient(ownSigner(), 'b2');
  try {
    const request = Object.assign(new IncomingMessage(new Socket()), { method: 'GET', url: '/calls/x/events' });
    const response = new ServerResponse(request);
    expect(await client.look(peer)).toBe('gone');
    expect(await client.ask(peer, '/cluster/calls/x/has')).toBeUndefined();
    expect(await client.passOn(peer, request, response)).toBe(false);
    expect(response.headersSent).toBe(false);
    expect(asked).toEqual(['/cluster/ping', '/cluster/calls/x/has', '/calls/x/events']);
  } finally {
    await client.close();
    await once(another.close(), 'close');
  }
});
