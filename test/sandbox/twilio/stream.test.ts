import { ACCOUNT_SID, connectTo, inTwilioCall, PAUSE, streamOf, type TwilioCall } from './twilio-sandbox.js';

const SECOND = Buffer.alloc(8_000, 0x2a).toString('base64');

test('a stream begins with what the vendor documents, with the parameters of the document', () =>
  inTwilioCall(
    (application) => connectTo(application, '<Parameter name="body" value="{&quot;a&quot;:1}"/>'),
    async (call) => {
      const { connected, start, streamSid } = await streamOf(call);
      expect(connected).toEqual({ event: 'connected', protocol: 'Call', version: '1.0.0' });
      expect(streamSid).toMatch(/^MZ[0-9a-f]{32}$/);
      expect(start).toEqual({
        event: 'start',
        sequenceNumber: '1',
        streamSid,
        start: {
          accountSid: ACCOUNT_SID,
          streamSid,
          callSid: call.callSid,
          tracks: ['inbound'],
          mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8_000, channels: 1 },
          customParameters: { body: '{"a":1}' },
        },
      });
    },
  ));

test('audio and keys of the phone arrive, numbered, every number a string', () =>
  inTwilioCall(connectTo, async (call) => {
    const { bot, streamSid } = await streamOf(call);
    const [first, second] = [await bot.event('media'), await bot.event('media')];
    expect(first).toEqual({
      event: 'media',
      sequenceNumber: '2',
      streamSid,
      media: { track: 'inbound', chunk: '1', timestamp: '0', payload: expect.any(String) },
    });
    expect(Buffer.from(first.media.payload, 'base64')).toHaveLength(160);
    expect(second).toMatchObject({ sequenceNumber: '3', media: { chunk: '2', timestamp: '20' } });
    call.caller.client.press('5');
    expect(await bot.event('dtmf')).toMatchObject({ streamSid, dtmf: { track: 'inbound_track', digit: '5' } });
  }));

test('a mark comes back when what was before it is played, and at once when it is cleared', () =>
  inTwilioCall(connectTo, async (call) => {
    const { bot, streamSid } = await streamOf(call);
    const play = (payload: string) => bot.send({ event: 'media', streamSid, media: { payload } });
    const mark = (name: string) => bot.send({ event: 'mark', streamSid, mark: { name } });
    mark('nothing before it');
    expect(await bot.event('mark')).toMatchObject({ streamSid, mark: { name: 'nothing before it' } });
    play(SECOND.slice(0, 1_600));
    mark('played');
    expect(await bot.event('mark')).toMatchObject({ mark: { name: 'played' } });
    for (let second = 0; second < 60; second += 1) play(SECOND);
    mark('first');
    mark('second');
    bot.send({ event: 'clear', streamSid });
    expect([await bot.event('mark'), await bot.event('mark')]).toMatchObject([
      { mark: { name: 'first' } },
      { mark: { name: 'second' } },
    ]);
    expect(bot.messages.all.map(({ event }) => event)).not.toContain('clear');
  }));

test('what the caller has left is told with `stop`', () =>
  inTwilioCall(connectTo, async (call) => {
    const { bot } = await streamOf(call);
    call.caller.client.hangUp();
    expect(await bot.event('stop')).toMatchObject({ stop: { accountSid: ACCOUNT_SID, callSid: call.callSid } });
    await bot.closed;
  }));

type Odd = [problem: string, message: (streamSid: string) => object | string | Buffer];

test.each<Odd>([
  ['a binary message', () => Buffer.from([1, 2, 3])],
  ['not JSON', () => '{'],
  ['unknown event', (streamSid) => ({ event: 'playAudio', streamSid })],
  ["streamSid is not this stream's", () => ({ event: 'clear', streamSid: 'MZ1' })],
  ["streamSid is not this stream's", () => ({ event: 'media', media: { payload: SECOND } })],
  ['media.payload must be base64', (streamSid) => ({ event: 'media', streamSid, media: { payload: '***' } })],
  ['media must be an object', (streamSid) => ({ event: 'media', streamSid, payload: SECOND })],
  ['mark.name must be text', (streamSid) => ({ event: 'mark', streamSid, mark: {} })],
])('tells the phone of %s, and goes on', (problem, message) =>
  inTwilioCall(connectTo, async (call) => {
    const { bot, streamSid } = await streamOf(call);
    const odd = message(streamSid);
    bot.socket.send(typeof odd === 'string' || Buffer.isBuffer(odd) ? odd : JSON.stringify(odd));
    expect((await call.caller.progress('stream', false)).text).toContain(problem);
    bot.send({ event: 'mark', streamSid, mark: { name: 'still here' } });
    expect(await bot.event('mark')).toMatchObject({ mark: { name: 'still here' } });
  }),
);

const oneWay = (application: TwilioCall['application']) =>
  `<Start><Stream url="ws://${application.host}/ws"/></Start>${PAUSE}`;

test('a stream of one direction takes nothing from the bot', () =>
  inTwilioCall(oneWay, async (call) => {
    const { bot, streamSid } = await streamOf(call);
    await bot.event('media');
    bot.send({ event: 'media', streamSid, media: { payload: SECOND } });
    expect((await call.caller.progress('stream', false)).text).toContain('<Connect> only');
  }));

test('news of a stream goes to its status callback', () =>
  inTwilioCall(
    (application) =>
      `<Connect><Stream name="bot" url="ws://${application.host}/ws" statusCallback="${application.url('/stream')}"/></Connect>${PAUSE}`,
    async (call) => {
      const { bot, streamSid } = await streamOf(call);
      const started = await call.application.requested('/stream');
      expect(Object.fromEntries(started.parameters)).toMatchObject({
        AccountSid: ACCOUNT_SID,
        CallSid: call.callSid,
        StreamSid: streamSid,
        StreamName: 'bot',
        StreamEvent: 'stream-started',
      });
      bot.close();
      const stopped = await call.application.requested('/stream');
      expect(stopped.parameters.get('StreamEvent')).toBe('stream-stopped');
    },
  ));

test('the document after a stream is performed when the bot has closed it', () =>
  inTwilioCall(
    (application) => `${connectTo(application)}<Redirect>${application.url('/next')}</Redirect>`,
    async (call) => {
      const { bot } = await streamOf(call);
      call.application.document('/next', '<Hangup/>');
      bot.close();
      const asked = await call.application.requested('/next');
      expect(Object.fromEntries(asked.parameters)).toMatchObject({ CallStatus: 'in-progress', Direction: 'inbound' });
      const { parameters } = await call.application.requested('/status');
      expect(Object.fromEntries(parameters)).toMatchObject({ CallStatus: 'completed', SequenceNumber: '0' });
    },
  ));
