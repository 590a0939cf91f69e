import { once } from 'node:events';
import { createServer } from 'node:http';
import { LoadCallers } from '../../../src/lab/load/load-callers.js';
import type { CallersNews } from '../../../src/lab/load/load-messages.js';
import { startPhoneNetwork } from '../../../src/sandbox/sandbox.js';
import { Inbox } from '../../sandbox/inbox.js';

test('a runner with too much to do, which breaks connections off, is asked again whether a bot waits', async () => {
  let asked = 0;
  const runner = createServer((request, response) => {
    asked += 1;
    if (asked <= 2) request.socket.destroy();
    else response.end('{}');
  }).listen(0, '127.0.0.1');
  await once(runner, 'listening');
  const { port } = runner.address() as { port: number };
  const network = await startPhoneNetwork({ authId: 'MAXXXXXXXXXXXXXXXXXX', authToken: 'secret' });
  const news = new Inbox<CallersNews>();

  const callers = new LoadCallers(network, (one) => news.push(one));
  const order = { calls: 1, everyMs: 0, lengthMs: undefined, words: 'Hello', runnerUrl: `http://127.0.0.1:${port}` };
  callers.take({ type: 'begin', ...order });

  expect(await news.next(({ type }) => type === 'all_over' || type === 'failed')).toMatchObject({
    type: 'all_over',
    calls: [{ no: 1, outcome: 'failed' }], // nobody has told the network who answers
  });
  expect(asked).toBe(3);
  await network.sandbox.close();
  runner.close();
}, 20_000);
