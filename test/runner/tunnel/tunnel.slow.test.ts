import { once } from 'node:events';
import { localtunnelProvider } from '../../../src/runner/tunnel/localtunnel.js';
import { Tunnel } from '../../../src/runner/tunnel/tunnel.js';
import { AnsweringServer } from './answering-server.js';
import { TunnelServer } from './tunnel-server.js';

test('a tunnel server that stops answering without a word is told after two looks of 2.5 s', async () => {
  await using server = await AnsweringServer.start();
  await using tunnelServer = await TunnelServer.start();
  const provider = localtunnelProvider({ server: tunnelServer.url });
  const options = { provider, port: server.port, probe: server.probe };
  const tunnel = await Tunnel.open(options, new AbortController().signal);
  const lost = once(tunnel, 'lost');
  tunnelServer.freeze();
  expect(await lost).toEqual(['no answer within 2.5 s']);
  await tunnel.close();
}, 60_000);
