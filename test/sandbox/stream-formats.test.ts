import { decodeMulaw, encodeMulaw } from '../../src/base/audio/mulaw.js';
import { FakeApplication } from './fake-application.js';
import { AUTH_TOKEN, FakeCaller, startFastSandbox } from './fake-caller.js';

const AMPLITUDE = 8_000;

/** `ms` of a sine of 500 Hz, which has a whole number of periods in 20 ms. */
const tone = (rate: number, ms: number): Int16Array =>
  Int16Array.from({ length: (rate * ms) / 1_000 }, (_, n) => AMPLITUDE * Math.sin((2 * Math.PI * 500 * n) / rate));

const littleEndian = (samples: Int16Array): Buffer => {
  const bytes = Buffer.alloc(2 * samples.length);
  for (const [n, sample] of samples.entries()) bytes.writeInt16LE(sample, 2 * n);
  return bytes;
};

/** The share of `samples` that is a sine of 500 Hz with the amplitude of {@link tone}: 1 when they are that tone. */
function shareOfTone(samples: readonly number[], rate: number): number {
  const sum = (wave: (x: number) => number) =>
    samples.reduce((total, sample, n) => total + sample * wave((2 * Math.PI * 500 * n) / rate), 0);
  return (2 * Math.hypot(sum(Math.sin), sum(Math.cos))) / samples.length / AMPLITUDE;
}

const littleEndianSamples = (payload: Buffer): number[] =>
  Array.from({ length: payload.length / 2 }, (_, n) => payload.readInt16LE(2 * n));

test.each([
  ['contentType="audio/x-l16;rate=8000"', 8_000],
  ['contentType="audio/x-l16;rate=16000"', 16_000],
  ['', 8_000],
])('streams 16-bit PCM both ways for a document with %s', async (attribute, rate) => {
  await using application = await FakeApplication.start(AUTH_TOKEN);
  await using sandbox = await startFastSandbox({ answerUrl: application.url('/answer') });
  await using caller = await FakeCaller.attach(sandbox);
  const verb = `<Stream bidirectional="true" keepCallAlive="true" ${attribute}>ws://${application.host}/ws</Stream>`;
  application.document('/answer', verb);
  const spoken = encodeMulaw(tone(8_000, 20));
  caller.says = () => spoken;
  caller.dial(sandbox);
  const bot = await application.streams.next();
  const { start } = await bot.event('start');
  expect(start.mediaFormat.encoding).toBe('audio/x-l16');
  expect(Number(start.mediaFormat.sampleRate)).toBe(rate);

  const received: number[] = [];
  while (received.length < rate / 2) {
    const payload = Buffer.from((await bot.event('media')).media.payload, 'base64');
    expect(payload).toHaveLength(2 * (rate / 50));
    received.push(...littleEndianSamples(payload));
  }
  expect(shareOfTone(received.slice(-rate / 5), rate)).toBeCloseTo(1, 1);

  const media = { contentType: 'audio/x-l16', sampleRate: rate };
  const before = caller.heard.all.length;
  bot.play(littleEndian(tone(rate, 400)), media);
  bot.send({ event: 'checkpoint', streamId: start.streamId, name: 'played' });
  await bot.event('playedStream');
  const frames = caller.heard.all.slice(before).map(decodeMulaw);
  const heard = frames
    .filter((frame) => frame.some((sample) => Math.abs(sample) > 1_000))
    .flatMap((frame) => [...frame]);
  expect(heard).toHaveLength(3_200);
  expect(shareOfTone(heard, 8_000)).toBeCloseTo(1, 1);
});

test('says that a <Stream> without contentType is ambiguous', async () => {
  await using application = await FakeApplication.start(AUTH_TOKEN);
  await using sandbox = await startFastSandbox({ answerUrl: application.url('/answer') });
  await using caller = await FakeCaller.attach(sandbox);
  application.document(
    '/answer',
    `<Stream bidirectional="true" keepCallAlive="true">ws://${application.host}/ws</Stream>`,
  );
  caller.dial(sandbox);
  const line = await caller.events.next(
    (event) => event.type === 'progress' && event.line.text.includes('contentType'),
  );
  expect(JSON.stringify(line)).toContain('audio/x-mulaw;rate=8000');
});

test('refuses audio in another format than the stream has', async () => {
  await using application = await FakeApplication.start(AUTH_TOKEN);
  await using sandbox = await startFastSandbox({ answerUrl: application.url('/answer') });
  await using caller = await FakeCaller.attach(sandbox);
  application.document(
    '/answer',
    `<Stream bidirectional="true" keepCallAlive="true" contentType="audio/x-l16;rate=16000">ws://${application.host}/ws</Stream>`,
  );
  caller.dial(sandbox);
  const bot = await application.streams.next();
  await bot.event('start');
  const problem = async (audio: Uint8Array, media: object): Promise<string> => {
    bot.play(audio, media);
    return (await bot.event('error')).message;
  };
  expect(await problem(new Uint8Array(160), {})).toContain('"audio/x-l16"');
  expect(await problem(new Uint8Array(160), { contentType: 'audio/x-l16' })).toContain('must be 16000');
  const odd = { contentType: 'audio/x-l16', sampleRate: 16_000 };
  expect(await problem(new Uint8Array(161), odd)).toContain('whole samples');
});
