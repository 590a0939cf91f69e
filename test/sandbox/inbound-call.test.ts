import { deferred } from '../../src/base/async/deferred.js';
import { hurried } from '../hasty-clock.js';
import { FakeApplication } from './fake-application.js';
import { AUTH_TOKEN, FakeCaller, startFastSandbox } from './fake-caller.js';

hurried();

test('asks the application what to do, streams, and tells it when the caller hangs up', async () => {
  await using application = await FakeApplication.start(AUTH_TOKEN);
  application.document('/answer', application.streamVerb(`statusCallbackUrl="${application.url('/status')}"`));
  await using sandbox = await startFastSandbox({
    answerUrl: application.url('/answer'),
    hangupUrl: application.url('/hangup'),
  });
  await using caller = await FakeCaller.attach(sandbox);
  caller.dial(sandbox);

  const answer = await application.webhook('StartApp');
  expect(answer).toMatchObject({ path: '/answer', method: 'POST', isSigned: true });
  expect(Object.fromEntries(answer.parameters)).toMatchObject({
    From: '12025550142',
    To: '12025550100',
    Direction: 'inbound',
    CallStatus: 'ringing',
  });
  const callId = answer.parameters.get('CallUUID');

  const bot = await application.streams.next();
  const upgrade = await application.upgrades.next();
  expect(application.isUpgradeSigned(upgrade)).toBe(true);
  expect(upgrade.headers['sec-websocket-protocol']).toBe('audio.plivo.com');
  expect(upgrade.headers['sec-websocket-extensions']).toBeUndefined();
  expect(bot.messages.all.length === 0 || bot.messages.all[0]?.event === 'start').toBe(true);
  const start = await bot.event('start');
  expect(start).toMatchObject({
    sequenceNumber: 1,
    start: { callId, tracks: ['inbound'], mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000 } },
  });
  const started = await application.webhook('StartStream');
  expect(started.isSigned).toBe(true);
  expect(started.parameters.get('StreamID')).toBe(start.start.streamId);
  expect(sandbox.liveCalls).toBe(1);

  caller.client.hangUp();
  expect(await caller.ended()).toMatchObject({ callId, code: 4000, source: 'Caller' });
  const hangup = await application.webhook('Hangup');
  expect(hangup).toMatchObject({ path: '/hangup', isSigned: true });
  expect(Object.fromEntries(hangup.parameters)).toMatchObject({
    CallUUID: callId,
    CallStatus: 'completed',
    HangupCause: 'NORMAL_CLEARING',
    HangupCauseCode: '4000',
    HangupSource: 'Caller',
    Duration: expect.stringMatching(/^\d+$/),
  });
  expect(await bot.closed).toBe(1000);
  await application.webhook('StopStream');
  expect(sandbox.liveCalls).toBe(0);
});

test('plays ringback until the call is answered and lets nobody hear the phone before', async () => {
  await using application = await FakeApplication.start(AUTH_TOKEN);
  await using sandbox = await startFastSandbox({ answerUrl: application.url('/answer') });
  await using caller = await FakeCaller.attach(sandbox);
  const answer = deferred();
  application.routes.set('/answer', async () => {
    await answer.promise;
    return { body: `<Response>${application.streamVerb()}</Response>` };
  });
  caller.says = (frame) => new Uint8Array(160).fill(frame % 256);
  let framesBeforeAnswer = 0;
  caller.client.once('answered', () => {
    framesBeforeAnswer = caller.heard.all.length;
  });
  caller.dial(sandbox);
  for (let frame = 0; frame < 10; frame += 1) await caller.heard.next();
  answer.resolve();
  const bot = await application.streams.next();
  const { media } = await bot.event('media');
  expect(framesBeforeAnswer).toBeGreaterThanOrEqual(10);
  const ringback = caller.heard.all.slice(0, framesBeforeAnswer);
  expect(ringback.every((frame) => frame.some((byte) => byte !== 0xff))).toBe(true);
  expect(Buffer.from(media.payload, 'base64')[0]).toBeGreaterThanOrEqual(framesBeforeAnswer);
});

test('carries everything the phone says to the bot, frame by frame, and everything the bot says back', async () => {
  await using application = await FakeApplication.start(AUTH_TOKEN);
  application.document('/answer', application.streamVerb('extraHeaders="run=r42,bot=demo"'));
  await using sandbox = await startFastSandbox({ answerUrl: application.url('/answer') });
  await using caller = await FakeCaller.attach(sandbox);
  caller.says = (frame) => new Uint8Array(160).fill(frame % 251);
  caller.dial(sandbox);
  const bot = await application.streams.next();
  const media = [];
  for (let n = 0; n < 100; n += 1) media.push(await bot.event('media'));
  expect(media.map(({ media: { chunk } }) => chunk)).toEqual(media.map((_, n) => n + 1));
  expect(media.every(({ extra_headers }) => extra_headers === 'run=r42,bot=demo')).toBe(true);
  const said = media.map(({ media: { payload } }) => Buffer.from(payload, 'base64'));
  expect(said.every((frame) => frame.length === 160)).toBe(true);
  const first = said[0]?.[0] ?? 0;
  expect(said.map((frame) => frame[0])).toEqual(said.map((_, n) => (first + n) % 251));

  const speech = Uint8Array.from({ length: 1_600 }, (_, n) => n % 200);
  bot.play(speech);
  const frames = [await caller.heard.next((frame) => frame[0] === 0 && frame[1] === 1)];
  while (frames.length < 10) frames.push(await caller.heard.next());
  expect(Buffer.concat(frames)).toEqual(Buffer.from(speech));
});

test('sends pressed keys on the stream', async () => {
  await using application = await FakeApplication.start(AUTH_TOKEN);
  application.document('/answer', application.streamVerb());
  await using sandbox = await startFastSandbox({ answerUrl: application.url('/answer') });
  await using caller = await FakeCaller.attach(sandbox);
  caller.dial(sandbox);
  const bot = await application.streams.next();
  await bot.event('start');
  caller.client.press('#');
  expect((await bot.event('dtmf')).dtmf).toMatchObject({ track: 'inbound', digit: '#' });
});

test('follows the Redirect after the stream to a second document, and hangs up there', async () => {
  await using application = await FakeApplication.start(AUTH_TOKEN);
  application.document(
    '/answer',
    `${application.streamVerb()}<Redirect method="GET">${application.url('/resume')}</Redirect>`,
  );
  application.document('/resume', '<Hangup/>');
  await using sandbox = await startFastSandbox({ answerUrl: application.url('/answer') });
  await using caller = await FakeCaller.attach(sandbox);
  caller.dial(sandbox);
  const bot = await application.streams.next();
  bot.close();
  const redirect = await application.webhook('Redirect');
  expect(redirect).toMatchObject({ path: '/resume', method: 'GET', isSigned: true });
  expect(redirect.parameters.get('CallStatus')).toBe('in-progress');
  expect(await caller.ended()).toMatchObject({ code: 4000, source: 'Answer XML' });
});

test('reports a bot that vanishes as a dropped stream and goes on with the document', async () => {
  await using application = await FakeApplication.start(AUTH_TOKEN);
  const status = `statusCallbackUrl="${application.url('/status')}" statusCallbackMethod="GET"`;
  application.document('/answer', `${application.streamVerb(status)}<Hangup/>`);
  await using sandbox = await startFastSandbox({ answerUrl: application.url('/answer') });
  await using caller = await FakeCaller.attach(sandbox);
  caller.dial(sandbox);
  const bot = await application.streams.next();
  await bot.event('media');
  bot.socket.terminate();
  expect(await application.webhook('DroppedStream')).toMatchObject({ method: 'GET', isSigned: true });
  expect(await caller.progress('stream', false)).toMatchObject({ status: 1006 });
  expect((await caller.ended()).code).toBe(4000);
});

test('tries a refused stream three times, then goes on with the document', async () => {
  await using application = await FakeApplication.start(AUTH_TOKEN);
  application.refuseUpgrades = 403;
  application.document(
    '/answer',
    `${application.streamVerb(`statusCallbackUrl="${application.url('/status')}"`)}<Hangup/>`,
  );
  await using sandbox = await startFastSandbox({ answerUrl: application.url('/answer') });
  await using caller = await FakeCaller.attach(sandbox);
  caller.dial(sandbox);
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    expect(await caller.progress('stream', false)).toMatchObject({ status: 403 });
  }
  await application.webhook('DroppedStream');
  expect((await caller.ended()).code).toBe(4000);
  expect(application.upgrades.all).toHaveLength(3);
});

test('ends the call when the document ends', async () => {
  await using application = await FakeApplication.start(AUTH_TOKEN);
  application.document('/answer', '');
  await using sandbox = await startFastSandbox({ answerUrl: application.url('/answer') });
  await using caller = await FakeCaller.attach(sandbox);
  caller.dial(sandbox);
  expect(await caller.ended()).toMatchObject({ code: 4010, cause: 'End Of XML Instructions' });
});

test('ends the call at once when a stream without keepCallAlive is the last verb', async () => {
  await using application = await FakeApplication.start(AUTH_TOKEN);
  application.document('/answer', application.streamVerb().replace('keepCallAlive="true"', ''));
  await using sandbox = await startFastSandbox({ answerUrl: application.url('/answer') });
  await using caller = await FakeCaller.attach(sandbox);
  caller.dial(sandbox);
  expect((await caller.ended()).code).toBe(4010);
});

test('a Hangup with a reason refuses the call unanswered', async () => {
  await using application = await FakeApplication.start(AUTH_TOKEN);
  application.document('/answer', '<Hangup reason="busy"/>');
  await using sandbox = await startFastSandbox({ answerUrl: application.url('/answer') });
  await using caller = await FakeCaller.attach(sandbox);
  caller.dial(sandbox);
  expect(await caller.ended()).toMatchObject({ code: 3010, source: 'Answer XML', durationMs: 0 });
  expect(caller.events.all.some(({ type }) => type === 'answered')).toBe(false);
  // Without a hangup URL the answer URL is told.
  expect(await application.webhook('Hangup')).toMatchObject({ path: '/answer' });
});

test('speaks, plays and waits, each to its end before the next', async () => {
  await using application = await FakeApplication.start(AUTH_TOKEN);
  const samples = Int16Array.from({ length: 8_000 }, (_, n) => 8_000 * Math.sin(n / 3));
  application.routes.set('/prompt.wav', { contentType: 'audio/wav', body: wavOf(samples, 16_000) });
  application.document(
    '/answer',
    `<Play>${application.url('/prompt.wav')}</Play><Wait length="1"/><Speak>One &amp; two.</Speak>`,
  );
  await using sandbox = await startFastSandbox({ answerUrl: application.url('/answer') });
  await using caller = await FakeCaller.attach(sandbox);
  caller.dial(sandbox);
  expect(await caller.progress('play', true)).toMatchObject({ text: expect.stringContaining('0.5 s') });
  const heardAtPlay = caller.heard.all.length;
  await caller.progress('wait', true);
  const heardAtWait = caller.heard.all.length;
  expect(await caller.progress('speak', true)).toMatchObject({ text: 'speaking: One & two.' });
  const heardAtSpeak = caller.heard.all.length;
  await caller.ended();
  const isAudible = (frame: Uint8Array): boolean => frame.some((byte) => byte !== 0xff);
  expect(heardAtWait - heardAtPlay).toBeGreaterThanOrEqual(24);
  expect(caller.heard.all.slice(heardAtPlay, heardAtWait + 2).filter(isAudible).length).toBeGreaterThanOrEqual(24);
  expect(heardAtSpeak - heardAtWait).toBeGreaterThanOrEqual(49);
  expect(caller.heard.all.slice(heardAtSpeak).filter(isAudible).length).toBeGreaterThan(10);
});

test('goes on when a prompt cannot be played', async () => {
  await using application = await FakeApplication.start(AUTH_TOKEN);
  application.routes.set('/missing.wav', { status: 404, body: '' });
  application.routes.set('/broken.wav', { body: 'not a wav file' });
  const play = ['/missing.wav', '/broken.wav'].map((path) => `<Play>${application.url(path)}</Play>`).join('');
  application.document('/answer', `${play}<Play>http://example.com/a.wav</Play><Hangup/>`);
  await using sandbox = await startFastSandbox({ answerUrl: application.url('/answer') });
  await using caller = await FakeCaller.attach(sandbox);
  caller.dial(sandbox);
  expect((await caller.progress('play', false)).status).toBe(404);
  expect((await caller.progress('play', false)).text).toContain('WAV');
  expect((await caller.progress('play', false)).text).toContain('only this machine');
  expect((await caller.ended()).code).toBe(4000);
});

describe('a call ends with the code that names the failed hop', () => {
  const cases: [
    title: string,
    reply: { status?: number; body: string },
    code: number,
    hop: 'answer' | 'redirect',
    text: string,
  ][] = [
    ['answer URL gives an error', { status: 500, body: '' }, 7011, 'answer', 'answered 500'],
    ['answer URL refuses the signature', { status: 403, body: '' }, 7011, 'answer', 'auth token'],
    ['answer is JSON', { body: '{"ok":true}' }, 8011, 'answer', 'not valid carrier XML'],
    ['answer is empty', { body: '' }, 8011, 'answer', 'empty'],
    [
      'answer has a bare ampersand',
      { body: '<Response><Stream>ws://localhost/?a=1&b=2</Stream></Response>' },
      8011,
      'answer',
      '&amp;',
    ],
    ['answer has an unknown element', { body: '<Response><Say>Hi</Say></Response>' }, 8011, 'answer', 'write <Speak>'],
    ['answer is too large', { body: `<Response>${' '.repeat(110_000)}</Response>` }, 7011, 'answer', 'larger than'],
  ];
  test.each(cases)('%s', async (_title, reply, code, hop, text) => {
    await using application = await FakeApplication.start(AUTH_TOKEN);
    application.routes.set('/answer', reply);
    await using sandbox = await startFastSandbox({
      answerUrl: application.url('/answer'),
      hangupUrl: application.url('/hangup'),
    });
    await using caller = await FakeCaller.attach(sandbox);
    caller.dial(sandbox);
    expect((await caller.progress(hop, false)).text).toContain(text);
    expect((await caller.ended()).code).toBe(code);
    expect((await application.webhook('Hangup')).parameters.get('HangupCauseCode')).toBe(String(code));
  });

  test.each([
    ['/gone', { status: 404, body: '' }, 7014],
    ['/wrong', { body: '<Resp/>' }, 8014],
  ])('redirect to %s', async (path, reply, code) => {
    await using application = await FakeApplication.start(AUTH_TOKEN);
    application.routes.set(path, reply);
    application.document('/answer', `<Redirect>${application.url(path)}</Redirect>`);
    await using sandbox = await startFastSandbox({ answerUrl: application.url('/answer') });
    await using caller = await FakeCaller.attach(sandbox);
    caller.dial(sandbox);
    expect((await caller.ended()).code).toBe(code);
  });

  test('redirects that never end', async () => {
    await using application = await FakeApplication.start(AUTH_TOKEN);
    application.document('/answer', `<Redirect>${application.url('/answer')}</Redirect>`);
    await using sandbox = await startFastSandbox({ answerUrl: application.url('/answer') });
    await using caller = await FakeCaller.attach(sandbox);
    caller.dial(sandbox);
    expect((await caller.ended()).code).toBe(2060);
  });

  test('nothing listens at the answer URL', async () => {
    await using sandbox = await startFastSandbox({ answerUrl: 'http://127.0.0.1:1/answer' });
    await using caller = await FakeCaller.attach(sandbox);
    caller.dial(sandbox);
    expect((await caller.progress('answer', false)).text).toContain('ECONNREFUSED');
    expect((await caller.ended()).code).toBe(7011);
  });

  test('the answer URL never answers', async () => {
    await using application = await FakeApplication.start(AUTH_TOKEN);
    application.routes.set('/answer', () => new Promise(() => {}));
    await using sandbox = await startFastSandbox({
      answerUrl: application.url('/answer'),
      timing: { tickMs: 2, webhookTimeoutMs: 50 },
    });
    await using caller = await FakeCaller.attach(sandbox);
    caller.dial(sandbox);
    expect((await caller.progress('answer', false)).text).toContain('no answer within 50 ms');
    expect((await caller.ended()).code).toBe(7011);
  });

  test('the application has no answer URL', async () => {
    await using sandbox = await startFastSandbox();
    await using caller = await FakeCaller.attach(sandbox);
    caller.dial(sandbox);
    expect((await caller.progress('answer', false)).text).toContain('no answer URL');
    expect((await caller.ended()).code).toBe(7011);
  });

  test('a number nobody has', async () => {
    await using sandbox = await startFastSandbox();
    await using caller = await FakeCaller.attach(sandbox);
    caller.client.dial({ from: '+12025550142', to: '+12025550199' });
    expect(await caller.ended()).toMatchObject({ code: 3050, cause: 'Unallocated Number' });
  });
});

test.each(['http://example.com/answer', 'http://10.0.0.1/answer', 'http://localhost.example.com/', 'ftp://127.0.0.1/'])(
  'never calls an address outside this machine: %s',
  async (answerUrl) => {
    await using sandbox = await startFastSandbox({ answerUrl });
    await using caller = await FakeCaller.attach(sandbox);
    caller.dial(sandbox);
    await caller.progress('answer', false);
    expect((await caller.ended()).code).toBe(7011);
  },
);

test('tells the person at the phone that a status webhook failed', async () => {
  await using application = await FakeApplication.start(AUTH_TOKEN);
  application.routes.set('/status', { status: 500, body: '' });
  application.document('/answer', application.streamVerb(`statusCallbackUrl="${application.url('/status')}"`));
  await using sandbox = await startFastSandbox({ answerUrl: application.url('/answer') });
  await using caller = await FakeCaller.attach(sandbox);
  caller.dial(sandbox);
  expect((await caller.progress('webhook', false)).text).toContain('Stream started webhook');
});

test('names what the document gets wrong and performs the rest', async () => {
  await using application = await FakeApplication.start(AUTH_TOKEN);
  application.routes.set('/answer', {
    contentType: 'text/html',
    body: '<Response><Record/><Speak speed="2">Hello</Speak></Response>',
  });
  await using sandbox = await startFastSandbox({ answerUrl: application.url('/answer') });
  await using caller = await FakeCaller.attach(sandbox);
  caller.dial(sandbox);
  expect((await caller.progress('document', false)).text).toContain('text/html');
  expect((await caller.progress('document', false)).text).toContain('speed has no effect');
  expect((await caller.progress('document', false)).text).toContain('<Record>');
  await caller.progress('speak', true);
  await caller.heard.next((frame) => frame.some((byte) => byte !== 0xff));
  expect((await caller.ended()).code).toBe(4010);
});

test('sends the hangup webhook twice for some calls, as the real carrier may', async () => {
  await using application = await FakeApplication.start(AUTH_TOKEN);
  application.document('/answer', '');
  await using sandbox = await startFastSandbox({
    answerUrl: application.url('/answer'),
    hangupUrl: application.url('/hangup'),
  });
  await using caller = await FakeCaller.attach(sandbox);
  for (let call = 1; call <= 2; call += 1) {
    caller.dial(sandbox);
    await caller.ended();
  }
  for (let hangup = 1; hangup <= 3; hangup += 1) await application.webhook('Hangup');
});

test('closing the sandbox ends its calls and still tells the application', async () => {
  await using application = await FakeApplication.start(AUTH_TOKEN);
  application.document('/answer', application.streamVerb());
  const sandbox = await startFastSandbox({
    answerUrl: application.url('/answer'),
    hangupUrl: application.url('/hangup'),
  });
  await using caller = await FakeCaller.attach(sandbox);
  caller.dial(sandbox);
  const bot = await application.streams.next();
  await Promise.all([sandbox.close(), sandbox.close()]);
  expect((await caller.ended()).code).toBe(5010);
  await application.webhook('Hangup');
  await bot.closed;
  expect(() => caller.dial(sandbox)).toThrow('the sandbox is gone');
});

function wavOf(samples: Int16Array, sampleRate: number): Buffer {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + samples.byteLength, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE(sampleRate * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(samples.byteLength, 40);
  return Buffer.concat([header, Buffer.from(samples.buffer)]);
}
