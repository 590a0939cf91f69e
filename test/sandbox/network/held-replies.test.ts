import { HeldReplies } from '../../../src/sandbox/network/held-replies.js';
import { Uplink } from '../../../src/sandbox/network/uplink.js';
import { FakeApplication } from '../fake-application.js';
import { AUTH_TOKEN, FakeCaller, startFastSandbox } from '../fake-caller.js';

/** What the network gets in `frames` ticks from a phone that says 1, 2, 3 … on a line as bad as that. */
function said(frames: number, holdMs: (frame: number) => number): number[] {
  const got: number[] = [];
  const uplink = new Uplink(([byte = -1]) => got.push(byte));
  let frame = 0;
  const replies = new HeldReplies(
    (bytes) => uplink.said(bytes),
    () => holdMs(frame),
  );
  for (frame = 1; frame <= frames; frame += 1) {
    uplink.tick();
    replies.push(new Uint8Array(160).fill(frame));
  }
  return got;
}

const SILENCE = 0xff;

test('a line on which nothing is late passes replies on at once', () => {
  expect(said(4, () => 0)).toEqual([1, 2, 3, 4]);
});

test('late replies come late, in their order', () => {
  expect(said(8, () => 60)).toEqual([1, 2, 3, 4, 5]);
  expect(said(8, (frame) => (frame === 2 ? 60 : 0))).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(said(4, (frame) => (frame === 2 ? 60 : 0))).toEqual([1]);
});

test('after a stall of 180 ms everything comes in a burst; of a longer one the beginning is lost', () => {
  expect(said(10, (frame) => (frame === 1 ? 180 : 0))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  const long = said(16, (frame) => (frame === 1 ? 300 : 0));
  expect(long).toEqual([...Array(6).fill(SILENCE), 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);
});

test('what is held at the end of a call is not heard in the next', async () => {
  await using application = await FakeApplication.start(AUTH_TOKEN);
  application.document('/answer', application.streamVerb());
  await using sandbox = await startFastSandbox({ answerUrl: application.url('/answer') });
  let holdMs = 1_000;
  await using caller = await FakeCaller.attach(sandbox, { holdMs: () => holdMs });
  const said = (byte: number) => Buffer.alloc(160, byte).toString('base64');
  caller.says = () => new Uint8Array(160).fill(0x11);
  caller.dial(sandbox);
  const bot = await application.streams.next();
  await bot.messages.next(({ media }) => media?.payload === said(0xff));
  caller.client.hangUp();
  await caller.ended();
  holdMs = 0;
  caller.says = () => new Uint8Array(160).fill(0x22);
  caller.dial(sandbox);
  const next = await application.streams.next();
  await next.messages.next(({ media }) => media?.payload === said(0x22));
  expect(next.messages.all.some(({ media }) => media?.payload === said(0x11))).toBe(false);
});
