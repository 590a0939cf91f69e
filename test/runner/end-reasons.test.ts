import type { BotEndReason } from '../../src/call/call.js';
import type { Stream } from './hand-carrier.js';
import { IN_PROCESS } from './in-process-bots.js';
import { RunnerUnderTest } from './runner-under-test.js';

let served: RunnerUnderTest;

beforeAll(async () => {
  served = await RunnerUnderTest.start({ ...IN_PROCESS, warm: 2, callsPerProcess: 4 });
}, 30_000);

afterAll(() => served[Symbol.asyncDispose]());

/** A call whose bot has said why it ends it. */
async function endedFor(reason: BotEndReason): Promise<Stream> {
  const stream = await served.carrier.call();
  stream.order('end_for', reason);
  await stream.event('done');
  return stream;
}

const BY_API = { HangupSource: 'API Request', HangupCauseCode: '4010' };

describe.each<BotEndReason>(['bot_ended', 'provider_error', 'voicemail', 'screened'])(
  'a bot that ends its call for %s',
  (reason) => {
    test('is believed', async () => {
      const stream = await endedFor(reason);
      await served.carrier.hangup(stream.callId, BY_API);
      expect(await served.record(stream.callId, { state: 'ended' })).toMatchObject({ endReason: reason, attempt: 1 });
    });

    test.each([
      ['closes its stream', (stream: Stream) => stream.order('close')],
      ['returns', (stream: Stream) => stream.order('return')],
      ['throws after that', (stream: Stream) => stream.order('throw')],
      ['is slower than the carrier', (stream: Stream) => stream.socket.close(1000)],
    ])('and %s is not replaced, and the caller hears no recorded line', async (_, leave) => {
      const stream = await endedFor(reason);
      leave(stream);
      await stream.closed;
      expect((await served.carrier.resume(stream.callId)).verbs).toEqual(['Hangup']);
      await served.carrier.hangup(stream.callId, { HangupSource: 'Answer XML' });
      expect(await served.record(stream.callId, { state: 'ended' })).toMatchObject({ endReason: reason, attempt: 1 });
    });
  },
);

test('the first reason counts', async () => {
  const stream = await endedFor('voicemail');
  stream.order('end_for', 'provider_error');
  stream.order('close');
  await stream.closed;
  await served.carrier.hangup(stream.callId, BY_API);
  expect(await served.record(stream.callId, { state: 'ended' })).toMatchObject({ endReason: 'voicemail' });
});
