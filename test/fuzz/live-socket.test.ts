import { createMessageMutator } from '../../src/lab/kit/conformance/message-mutator.js';
import { recordedMessages } from '../providers/plivo/recorded-messages.js';
import { LiveCall } from './live-call.js';

const MESSAGES = 3_000;
const AT_ONCE = 500;

test('a call goes on and still echoes after 3,000 damaged messages on its socket', async () => {
  await using call = await LiveCall.open();
  const next = createMessageMutator(recordedMessages('plivo/messages'), 2);
  for (let sent = 0; sent < MESSAGES; sent += AT_ONCE) await call.send(Array.from({ length: AT_ONCE }, next));
  expect(call.isEnded).toBe(false);
  expect(await call.echoes()).toBe(true);
}, 60_000);

test('a second start, of whatever format, does not end a call', async () => {
  await using call = await LiveCall.open();
  await call.send(recordedMessages('plivo/messages').filter((message) => message.includes('"start"')));
  expect(call.isEnded).toBe(false);
  expect(await call.echoes()).toBe(true);
});
