/**
 * `npm run fuzz [-- seed]`: a million damaged messages through the codec, and the same over a live socket into a call
 * with an echo bot. Prints one line; exits 1 when anything crashed, a call ended, or the echo is gone.
 */

import { createMessageMutator } from '../src/lab/kit/conformance/message-mutator.js';
import { plivo } from '../src/providers/plivo/provider.js';
import { LiveCall } from '../test/fuzz/live-call.js';
import { recordedMessages } from '../test/providers/plivo/recorded-messages.js';

const MESSAGES = 1_000_000;
const AT_ONCE = 1_000;

const seed = Number(process.argv[2] ?? 1);
const startedAt = performance.now();
let crashes = 0;
let endedCalls = 0;
process.on('uncaughtException', (error) => {
  crashes += 1;
  console.error(error);
});

const codec = plivo.createCodec('e1d2c3b4-a596-4788-8697-a6b5c4d3e2f1');
const next = createMessageMutator(recordedMessages('plivo/messages'), seed);
let call = await LiveCall.open();
for (let sent = 0; sent < MESSAGES; sent += AT_ONCE) {
  const messages = Array.from({ length: AT_ONCE }, next);
  for (const message of messages) decode(message);
  await call.send(messages);
  if (call.isEnded) await callAgain(`before message ${sent + AT_ONCE}`);
}
if (!(await call.echoes())) await callAgain('no echo in the end');
await call[Symbol.asyncDispose]();

const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
const counts = `${MESSAGES} messages, ${crashes} crashes, ${endedCalls} ended calls, ${seconds} s`;
console.log(`codec and live socket, seed ${seed}: ${counts}`);
process.exit(crashes + endedCalls > 0 ? 1 : 0);

function decode(message: string): void {
  try {
    codec.decode(message);
  } catch (error) {
    crashes += 1;
    console.error(JSON.stringify(message), error);
  }
}

async function callAgain(reason: string): Promise<void> {
  endedCalls += 1;
  console.error(`the call ended: ${reason}`);
  await call[Symbol.asyncDispose]();
  call = await LiveCall.open();
}
