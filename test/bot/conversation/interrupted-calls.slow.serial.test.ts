import { interruptAndBeTransferred } from './interrupted-call.js';

test('a caller interrupts and is transferred, and the model knows what they heard, where a browser joins the room', async () => {
  await interruptAndBeTransferred('rooms', 'browser');
}, 60_000);

test('a caller interrupts and is transferred, and the model knows what they heard, on both transports', async () => {
  await Promise.all([interruptAndBeTransferred('carrier'), interruptAndBeTransferred('rooms')]);
}, 60_000);
