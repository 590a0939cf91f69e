import { deferred } from '../../../../src/base/async/deferred.js';
import { encodeMulaw } from '../../../../src/base/audio/mulaw.js';
import { ErrorFrame, TranscriptionFrame } from '../../../../src/bot/pipeline/frames/index.js';
import { HastyClock } from '../../../hasty-clock.js';
import { counting, KEY, startStt } from './start-stt.js';

const bytes = (...parts: Int16Array[]) => Buffer.concat(parts.map(encodeMulaw));

test('what is said before the provider is there waits for it', async () => {
  const opening = deferred();
  await using call = await startStt({ prepare: (fake) => fake.hold(opening.promise) });
  call.hear(counting(300));
  opening.resolve();
  const session = await call.connecting;
  call.hear(counting(100, 300));
  await session.heard(400);
  expect(session.audio.equals(bytes(counting(400)))).toBe(true);
  expect(call.service.droppedMs).toBe(0);
  session.say('Hello.');
  await call.after.sees(TranscriptionFrame);
  expect(call.errors).toEqual([]);
});

test('ten seconds wait at most, and the oldest give way', async () => {
  const opening = deferred();
  await using call = await startStt({ prepare: (fake) => fake.hold(opening.promise) });
  call.hear(counting(10_500));
  expect(call.service.droppedMs).toBe(500);
  opening.resolve();
  const session = await call.connecting;
  await session.heard(10_000);
  expect(session.audio.equals(bytes(counting(10_000, 500)))).toBe(true);
});

test('after a break, what has no final result is sent again, and nothing else', async () => {
  await using call = await startStt();
  const first = await call.connecting;
  call.hear(counting(500));
  await first.heard(500);
  first.say('One.', { untilMs: 312.5 });
  await call.after.sees(TranscriptionFrame, 1);
  const connecting = call.fake.nextSession();
  first.dropConnection();
  call.hear(counting(240, 500)); // while there is no connection
  const second = await connecting;
  call.hear(counting(100, 740));
  await second.heard(840 - 312.5);
  expect(second.audio.equals(bytes(counting(840)).subarray(2_500))).toBe(true);
  second.say('Two.', { untilMs: 227.5 }); // of this connection: 540 of the call
  await call.after.sees(TranscriptionFrame, 2);
  const connectingAgain = call.fake.nextSession();
  second.close(1011, 'going down');
  const third = await connectingAgain;
  await third.heard(300);
  expect(third.audio.equals(bytes(counting(840)).subarray(540 * 8))).toBe(true);
  third.say('Three.');
  const finals = await call.after.sees(TranscriptionFrame, 3);
  expect(finals.map(({ text }) => text)).toEqual(['One.', 'Two.', 'Three.']);
  expect(call.service.droppedMs).toBe(0);
});

test('a break that was mended is told once, with the words of the provider', async () => {
  using _clock = new HastyClock();
  await using call = await startStt();
  const first = await call.connecting;
  first.say('Hello.');
  await call.after.sees(TranscriptionFrame);
  const connecting = call.fake.nextSession();
  call.fake.refuse(503, 'overloaded');
  first.close(1011, `server restarts, said ${KEY}`);
  await first.closed;
  setTimeout(() => call.fake.recover(), 150);
  const second = await connecting;
  second.say('Again.');
  await call.before.sees(ErrorFrame);
  const [error] = call.errors;
  expect(call.errors).toHaveLength(1);
  expect(error).toMatchObject({ code: 'VB_PROVIDER_FAILED', isFinal: false, provider: 'Deepgram' });
  expect(error?.message).toMatch(
    /Deepgram: (503, overloaded|closed the connection: 1011, server restarts, said \[redacted\])/,
  );
  expect(call.before.of(ErrorFrame)).toMatchObject([{ isFatal: false, source: 'SttService' }]);
});

test('a provider that is overloaded is asked again', async () => {
  using _clock = new HastyClock();
  await using call = await startStt({ prepare: (fake) => fake.refuse(429, 'too many requests') });
  call.hear(counting(100));
  setTimeout(() => call.fake.recover(), 50);
  const session = await call.connecting;
  await session.heard(100);
  session.say('Hello.');
  await call.after.sees(TranscriptionFrame);
  expect(call.fake.refused).toBeGreaterThan(0);
  expect(call.errors).toMatchObject([{ isFinal: false, status: 429, hint: expect.stringContaining('limit') }]);
});

test('every break is told', async () => {
  using _clock = new HastyClock();
  await using call = await startStt();
  let session = await call.connecting;
  for (let breaks = 1; breaks <= 2; breaks += 1) {
    const connecting = call.fake.nextSession();
    session.close(1012, `break ${breaks}`);
    session = await connecting;
    session.say('Hello.');
    await call.after.sees(ErrorFrame, breaks);
  }
  expect(call.errors.map(({ message }) => message.slice(-7))).toEqual(['break 1', 'break 2']);
});

test('an error of the provider in mid-call leads to another connection', async () => {
  await using call = await startStt();
  const first = await call.connecting;
  const connecting = call.fake.nextSession();
  first.error('the model has crashed');
  const second = await connecting;
  second.say('Hello.');
  await call.after.sees(TranscriptionFrame);
  await first.closed;
  expect(call.errors).toMatchObject([{ isFinal: false }]);
  expect(call.errors[0]?.message).toContain('Deepgram: the model has crashed: fake error');
});

test.each([
  [401, 'VB_CREDENTIALS_REFUSED'],
  [403, 'VB_CREDENTIALS_REFUSED'],
  [400, 'VB_PROVIDER_FAILED'],
  [402, 'VB_PROVIDER_FAILED'],
])('a refusal with %i is final at once and does not tell the key', async (status, code) => {
  await using call = await startStt({ prepare: (fake) => fake.refuse(status, `not with ${KEY}`) });
  await call.after.sees(ErrorFrame);
  expect(call.errors).toMatchObject([{ code, isFinal: true, status }]);
  expect(call.fake.refused).toBe(1);
  expect(call.errors[0]?.message).toContain(`Deepgram: ${status}, not with [redacted]`);
  expect(JSON.stringify([call.errors[0], call.errors[0]?.stack])).not.toContain(KEY);
  call.hear(counting(100)); // goes on without words
});

test('a wrong key is final, and the hint says where to get another', async () => {
  await using call = await startStt({ deepgram: { apiKey: 'another' } });
  await call.after.sees(ErrorFrame);
  expect(call.errors).toMatchObject([{ code: 'VB_CREDENTIALS_REFUSED', isFinal: true }]);
  expect(call.errors[0]?.hint).toBe('check DEEPGRAM_API_KEY: https://console.deepgram.com');
});

test('a key that cannot be sent is final', async () => {
  await using call = await startStt({ stt: { apiKey: 'two\nlines' } });
  await call.after.sees(ErrorFrame);
  expect(call.errors).toMatchObject([{ isFinal: true, hint: 'check DEEPGRAM_API_KEY' }]);
  expect(call.errors[0]?.message).not.toContain('lines');
});

test('a provider that is gone for good is given up after the time that was set', async () => {
  using _clock = new HastyClock();
  await using call = await startStt({ stt: { giveUpAfterMs: 1_000 } });
  const session = await call.connecting;
  session.say('Hello.');
  await call.after.sees(TranscriptionFrame);
  const goneAt = performance.now();
  await call.fake.close();
  await call.after.sees(ErrorFrame);
  expect(performance.now() - goneAt).toBeGreaterThan(900);
  expect(performance.now() - goneAt).toBeLessThan(1_200);
  expect(call.errors).toMatchObject([{ isFinal: true, code: 'VB_PROVIDER_FAILED' }]);
  expect(call.errors[0]?.hint).toMatch(/network/);
});

test('a provider that never answers is given up', async () => {
  using _clock = new HastyClock();
  await using call = await startStt({
    stt: { giveUpAfterMs: 1_000 },
    prepare: (fake) => fake.hold(new Promise(() => {})),
  });
  await call.after.sees(ErrorFrame);
  expect(call.errors).toMatchObject([{ isFinal: true }]);
  expect(call.errors[0]?.message).toContain('Deepgram: does not answer');
});

test('a provider that accepts and closes again and again is given up', async () => {
  using _clock = new HastyClock();
  await using call = await startStt({
    stt: { giveUpAfterMs: 10_000 },
    deepgram: { onListen: (session) => session.close(1008, 'not now') },
  });
  await call.after.sees(ErrorFrame);
  expect(call.fake.sessions).toHaveLength(5);
  expect(call.errors).toMatchObject([{ isFinal: true, status: 1008 }]);
});

test('a provider that falls silent is connected to again, and given up when that does not help', async () => {
  using _clock = new HastyClock();
  await using call = await startStt({ stt: { giveUpAfterMs: 2_000 } });
  const first = await call.connecting;
  first.say('Hello.');
  await call.after.sees(TranscriptionFrame);
  call.fake.fallSilent();
  const silentAt = performance.now();
  const connecting = call.fake.nextSession();
  call.hear(counting(1_400));
  const second = await connecting;
  await second.heard(1_400);
  await call.after.sees(ErrorFrame);
  expect(performance.now() - silentAt).toBeLessThan(5_000);
  expect(call.errors).toMatchObject([{ isFinal: true }]);
  expect(call.errors[0]?.message).toMatch(/said nothing to \d+ ms of audio/);
});

test('a provider that falls silent once is replaced without a word lost', async () => {
  using _clock = new HastyClock();
  await using call = await startStt({ deepgram: { texts: ['Is anybody there?'] } });
  const first = await call.connecting;
  first.isMute = true;
  const connecting = call.fake.nextSession();
  const loud = Int16Array.from({ length: 8 * 1_000 }, (_, i) => 8_000 * Math.sin(i / 3));
  call.hear(loud);
  call.hear(new Int16Array(8 * 500));
  await connecting;
  const [final] = await call.after.sees(TranscriptionFrame);
  expect(final).toMatchObject({ text: 'Is anybody there?', endsUtterance: true });
  expect(call.errors).toMatchObject([{ isFinal: false }]);
});

test('a connection is kept alive while no audio comes', async () => {
  using _clock = new HastyClock();
  await using call = await startStt({ deepgram: { idleLimitMs: 1_000 } });
  const session = await call.connecting;
  await session.received('KeepAlive', 5);
  expect(session.isOpen).toBe(true);
  expect(call.fake.sessions).toHaveLength(1);
  expect(call.errors).toEqual([]);
});

test('no keep-alive is sent while audio comes', async () => {
  using _clock = new HastyClock();
  await using call = await startStt();
  const session = await call.connecting;
  for (let i = 0; i < 40; i += 1) {
    call.hear(counting(20));
    await session.heard(20 * (i + 1));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(session.messages).toEqual([]);
});
