import { hurried } from '../../hasty-clock.js';
import { FakeApplication, type FakeBot } from '../fake-application.js';
import { AUTH_TOKEN, FakeCaller, startFastSandbox } from '../fake-caller.js';

hurried();

interface StreamedCall {
  application: FakeApplication;
  caller: FakeCaller;
  bot: FakeBot;
  streamId: string;
}

/** Runs `check` in a call that streams to a bot. */
async function inStreamedCall(
  check: (call: StreamedCall) => Promise<void>,
  {
    attributes = '',
    earlierCalls = 0,
    handleProtocols,
  }: { attributes?: string; earlierCalls?: number; handleProtocols?: () => string | false } = {},
): Promise<void> {
  await using application = await FakeApplication.start(AUTH_TOKEN, handleProtocols);
  await using sandbox = await startFastSandbox({
    answerUrl: application.url('/answer'),
    hangupUrl: application.url('/hangup'),
  });
  await using caller = await FakeCaller.attach(sandbox);
  application.document('/answer', '');
  for (let call = 0; call < earlierCalls; call += 1) {
    caller.dial(sandbox);
    await caller.ended();
  }
  application.document('/answer', application.streamVerb(attributes));
  caller.dial(sandbox);
  const bot = await application.streams.next();
  const { start } = await bot.event('start');
  await check({ application, caller, bot, streamId: start.streamId });
}

/** `ms` of audio whose every byte is `byte`. */
const audio = (ms: number, byte: number): Uint8Array => new Uint8Array(ms * 8).fill(byte);

const framesOf = (caller: FakeCaller, byte: number): number =>
  caller.heard.all.filter((frame) => frame[0] === byte).length;

test('acknowledges a checkpoint only when all audio before it has been played', () =>
  inStreamedCall(async ({ caller, bot, streamId }) => {
    bot.play(audio(1_000, 0x11));
    bot.send({ event: 'checkpoint', streamId, name: 'first' });
    bot.play(audio(500, 0x22));
    bot.send({ event: 'checkpoint', streamId, name: 'second' });
    const chunks = (): number => bot.messages.all.filter(({ event }) => event === 'media').length;
    expect(await bot.event('playedStream')).toMatchObject({ streamId, name: 'first' });
    const heardAtFirst = framesOf(caller, 0x11);
    const chunksAtFirst = chunks();
    expect(await bot.event('playedStream')).toMatchObject({ name: 'second' });
    // 50 frames of the first colour were on their way before the acknowledgement, give or take the two sockets.
    expect(heardAtFirst).toBeGreaterThanOrEqual(48);
    expect(framesOf(caller, 0x11)).toBe(50);
    expect(framesOf(caller, 0x22)).toBe(25);
    // The caller's audio is the clock: 500 ms passed between the two acknowledgements.
    expect(chunks() - chunksAtFirst).toBeGreaterThanOrEqual(23);
  }));

test('plays and listens in real time', async () => {
  await using application = await FakeApplication.start(AUTH_TOKEN);
  application.document('/answer', application.streamVerb());
  await using sandbox = await startFastSandbox({ answerUrl: application.url('/answer'), timing: {} });
  await using caller = await FakeCaller.attach(sandbox);
  caller.dial(sandbox);
  const bot = await application.streams.next();
  const { start } = await bot.event('start');
  const firstMedia = await bot.event('media');
  const startedAt = performance.now();
  bot.play(audio(1_000, 0x11));
  bot.send({ event: 'checkpoint', streamId: start.streamId, name: 'end' });
  await bot.event('playedStream');
  const elapsedMs = performance.now() - startedAt;
  expect(elapsedMs).toBeGreaterThan(980);
  const chunks = (await bot.event('media')).media.chunk - firstMedia.media.chunk;
  expect(Math.abs(chunks - elapsedMs / 20)).toBeLessThanOrEqual(5);
});

test('acknowledges a checkpoint at once when nothing is queued', () =>
  inStreamedCall(async ({ bot, streamId }) => {
    bot.send({ event: 'checkpoint', streamId, name: 'empty' });
    expect(await bot.event('playedStream')).toMatchObject({ name: 'empty' });
  }));

test('clear drops what is queued and its checkpoints, and what follows plays at once', () =>
  inStreamedCall(async ({ caller, bot, streamId }) => {
    for (let second = 0; second < 10; second += 1) bot.play(audio(1_000, 0x11));
    bot.send({ event: 'checkpoint', streamId, name: 'never' });
    await caller.heard.next((frame) => frame[0] === 0x11);
    bot.send({ event: 'clearAudio', streamId });
    bot.play(audio(200, 0x22));
    bot.send({ event: 'checkpoint', streamId, name: 'after' });
    expect(await bot.event('clearedAudio')).toMatchObject({ streamId });
    expect(await bot.event('playedStream')).toMatchObject({ name: 'after' });
    expect(framesOf(caller, 0x11)).toBeLessThan(100);
    expect(framesOf(caller, 0x22)).toBe(10);
  }));

test('drops audio beyond 40 s of queue and says so', () =>
  inStreamedCall(async ({ caller, bot, streamId }) => {
    for (let second = 0; second < 42; second += 1) bot.play(audio(1_000, 0x11));
    expect(await bot.event('error')).toMatchObject({ streamId, reason: 'buffer_overflow' });
    expect((await caller.progress('stream', false)).text).toContain('40 s');
    bot.send({ event: 'clearAudio', streamId });
    bot.play(audio(20, 0x22));
    await caller.heard.next((frame) => frame[0] === 0x22);
  }));

test('plays digits as tones and tells the person at the phone', () =>
  inStreamedCall(async ({ caller, bot }) => {
    bot.send({ event: 'sendDTMF', dtmf: '1#' });
    expect((await caller.progress('dtmf', true)).text).toBe('the bot presses 1 #');
    await caller.heard.next((frame) => frame.some((byte) => byte !== 0xff));
  }));

describe('refuses, tells both sides why, and goes on:', () => {
  const payload = Buffer.from(audio(20, 0x11)).toString('base64');
  const good = { contentType: 'audio/x-mulaw', sampleRate: 8000, payload };
  const cases: [what: string, message: string | Buffer, problem: string][] = [
    ['a rate in the content type', play({ ...good, contentType: 'audio/x-mulaw;rate=8000' }), ';rate='],
    ['another encoding', play({ ...good, contentType: 'audio/x-l16' }), 'audio/x-mulaw'],
    ['no sample rate', play({ ...good, sampleRate: undefined }), 'sampleRate'],
    ['another sample rate', play({ ...good, sampleRate: 16000 }), 'sampleRate'],
    ['a payload that is not base64', play({ ...good, payload: '***' }), 'base64'],
    ['a binary message', Buffer.from(play(good)), 'binary'],
    ['a message above 64 KB', play({ ...good, payload: 'A'.repeat(65_540) }), '65536'],
    ['text that is not JSON', 'hello', 'not JSON'],
    ['JSON that is not an object', '[1]', 'object'],
    ['an unknown event', '{"event":"hangup"}', 'unknown event "hangup"'],
    ['a checkpoint without name', '{"event":"checkpoint","streamId":"STREAM"}', 'name'],
    ["another stream's checkpoint", '{"event":"checkpoint","streamId":"x","name":"a"}', "not this stream's"],
    ["another stream's clear", '{"event":"clearAudio"}', "not this stream's"],
    ['digits that do not exist', '{"event":"sendDTMF","dtmf":"12x"}', '0-9 * # A-D'],
  ];
  test.each(cases)('%s', (_what, message, problem) =>
    inStreamedCall(async ({ caller, bot, streamId }) => {
      bot.socket.send(typeof message === 'string' ? message.replace('STREAM', streamId) : message);
      const error = await bot.event('error');
      expect(error).toMatchObject({ streamId, reason: 'incorrectPayload', message: expect.stringContaining(problem) });
      expect((await caller.progress('stream', false)).text).toContain(problem);
      bot.play(audio(20, 0x22));
      await caller.heard.next((frame) => frame[0] === 0x22);
      expect(framesOf(caller, 0x11)).toBe(0);
    }),
  );

  function play(media: object): string {
    return JSON.stringify({ event: 'playAudio', media });
  }
});

test('accepts the sample rate as text, as some clients write it', () =>
  inStreamedCall(async ({ caller, bot }) => {
    bot.play(audio(20, 0x22), { sampleRate: '8000' });
    await caller.heard.next((frame) => frame[0] === 0x22);
  }));

test('stops the stream when its streamTimeout has passed', () =>
  inStreamedCall(
    async ({ caller, bot }) => {
      await bot.closed;
      expect((await caller.ended()).code).toBe(4010);
    },
    { attributes: 'streamTimeout="1"' },
  ));

test('closes the socket and refuses the stream when a subprotocol comes back that was not offered', async () => {
  await using application = await FakeApplication.start(AUTH_TOKEN, () => 'something.else');
  application.document('/answer', application.streamVerb());
  await using sandbox = await startFastSandbox({ answerUrl: application.url('/answer') });
  await using caller = await FakeCaller.attach(sandbox);
  caller.dial(sandbox);
  expect((await caller.progress('stream', false)).text).toContain('subprotocol');
});

test('works with a server that answers without a subprotocol', () =>
  inStreamedCall(
    async ({ bot }) => {
      await bot.event('media');
    },
    { handleProtocols: () => false },
  ));

test('refuses a stream to another machine or over TLS', async () => {
  await using application = await FakeApplication.start(AUTH_TOKEN);
  const verb = application.streamVerb();
  const addresses = ['ws://example.com/ws', `wss://${application.host}/ws`];
  application.document('/answer', addresses.map((address) => verb.replace(/>ws:.*?</, `>${address}<`)).join(''));
  await using sandbox = await startFastSandbox({ answerUrl: application.url('/answer') });
  await using caller = await FakeCaller.attach(sandbox);
  caller.dial(sandbox);
  expect((await caller.progress('stream', false)).text).toContain('only this machine');
  await caller.progress('stream', false);
  await caller.progress('stream', false);
  expect((await caller.progress('stream', false)).text).toContain('not a ws:');
  await caller.ended();
  expect(application.upgrades.all).toHaveLength(0);
});

describe('shows what differs on the real wire, depending on the number of the call:', () => {
  test('the second call counts from 0 and repeats numbers on acknowledgements', () =>
    inStreamedCall(
      async ({ bot, streamId }) => {
        expect(bot.messages.all[0]).toMatchObject({ sequenceNumber: 0, event: 'start' });
        bot.send({ event: 'checkpoint', streamId, name: 'a' });
        await bot.event('playedStream');
        await bot.event('media');
        const numbers = bot.messages.all.map(({ sequenceNumber }) => sequenceNumber);
        const ackAt = bot.messages.all.findIndex(({ event }) => event === 'playedStream');
        expect(numbers[ackAt]).toBe(numbers[ackAt - 1]);
      },
      { earlierCalls: 1 },
    ));

  test('the third call sends numbers as text', () =>
    inStreamedCall(
      async ({ bot }) => {
        expect(bot.messages.all[0]).toMatchObject({
          sequenceNumber: '1',
          start: { mediaFormat: { sampleRate: '8000' } },
        });
        expect((await bot.event('media')).media.chunk).toBe('1');
      },
      { earlierCalls: 2 },
    ));

  test('the fourth call has unknown keys, the fifth an unknown event', async () => {
    await inStreamedCall(async ({ bot }) => expect(bot.messages.all[0]).toHaveProperty('region'), { earlierCalls: 3 });
    await inStreamedCall(async ({ bot }) => void (await bot.event('networkQuality')), { earlierCalls: 4 });
  });
});
