import { randomUUID } from 'node:crypto';
import { until } from '../../e2e/processes.js';
import { IN_PROCESS } from '../in-process-bots.js';
import { RunnerUnderTest } from '../runner-under-test.js';
import { HandReceiver, SECRET } from './hand-receiver.js';

test('a runner tells of its calls, also of those that it ends when it stops', async () => {
  await using receiver = await HandReceiver.listen();
  const [over, live] = [randomUUID(), randomUUID()];
  {
    await using served = await RunnerUnderTest.start({ ...IN_PROCESS, events: { url: receiver.url, secret: SECRET } });
    for (const id of [over, live]) await served.carrier.answer(id);
    await served.carrier.hangup(over);
    await until(() => receiver.types.includes('call.ended'), 'the end of a call is told');
    const stopped = served.runner.stop({ drainMs: 0 });
    await served.carrier.hangup(live);
    await stopped;
  }
  expect(receiver.forged).toEqual([]);
  for (const id of [over, live]) {
    const own = receiver.accepted.filter(({ event }) => event.data.callId === id).map(({ event }) => event);
    expect(own.map(({ type }) => type)).toEqual(['call.started', 'call.answered', 'call.ended']);
    expect(own.at(-1)?.data).toMatchObject({ call: { id, state: 'ended' } });
  }
});
