import { once } from 'node:events';
import { createElevenLabs } from '@ai-sdk/elevenlabs';
import { experimental_streamTranscribe as streamTranscribe } from 'ai';
import { WebSocket } from 'ws';
import { FakeElevenLabsScribe } from '../../../src/lab/kit/index.js';

const PATH = '/v1/speech-to-text/realtime?model_id=scribe_v2_realtime';

function speech(ms: number): Uint8Array {
  const pcm = Int16Array.from({ length: ms * 16 }, (_, i) => 8_000 * Math.sin(i / 3));
  return new Uint8Array(pcm.buffer);
}

const silence = (ms: number) => new Uint8Array(ms * 32);

/** A client of the bare wire, and what it was told. */
async function connect(fake: FakeElevenLabsScribe, query = '', key = 'test') {
  const socket = new WebSocket(`${fake.url.replace('http', 'ws')}${PATH}${query}`, { headers: { 'xi-api-key': key } });
  const told: Array<Record<string, unknown>> = [];
  socket.on('message', (data) => told.push(JSON.parse(String(data))));
  const closed = new Promise<[number, Buffer]>((resolve) => socket.on('close', (...why) => resolve(why)));
  await once(socket, 'open');
  const send = (audio: Uint8Array, fields: object = {}) =>
    socket.send(
      JSON.stringify({
        message_type: 'input_audio_chunk',
        audio_base_64: Buffer.from(audio).toString('base64'),
        commit: false,
        sample_rate: 16_000,
        ...fields,
      }),
    );
  return { socket, told, closed, send };
}

function transcribe(
  fake: FakeElevenLabsScribe,
  audio: Uint8Array[],
  streaming: Record<string, string | number | boolean> = {},
) {
  const elevenLabs = createElevenLabs({ apiKey: 'test', webSocket: fake.webSocket });
  return streamTranscribe({
    model: elevenLabs.transcription('scribe_v2_realtime'),
    audio: new ReadableStream({
      start(controller) {
        for (const chunk of audio) controller.enqueue(chunk);
        controller.close();
      },
    }),
    inputAudioFormat: { type: 'audio/pcm', rate: 16_000 },
    providerOptions: { elevenlabs: { streaming } },
  });
}

test('tells @ai-sdk/elevenlabs words that grow, and commits them when it asks', async () => {
  await using fake = await FakeElevenLabsScribe.start({ apiKey: 'test', texts: ['A table for two', 'please'] });
  const result = transcribe(fake, [speech(900), silence(1_600), speech(400)], { includeTimestamps: true });
  const parts: Array<{ type: string; text?: string }> = [];
  for await (const part of result.fullStream) parts.push(part as { type: string; text?: string });
  expect(parts.filter(({ type }) => type === 'transcript-partial').map(({ text }) => text)).toEqual([
    'A',
    'A table',
    'A table for',
    'A table for two',
    'A table for two please',
  ]);
  expect(parts.filter(({ type }) => type === 'transcript-final').map(({ text }) => text)).toEqual([
    'A table for two please',
  ]);
  const words = (await result.segments).filter(({ text }) => text.trim());
  expect(words.map(({ text }) => text)).toEqual(['A', 'table', 'for', 'two', 'please']);
  expect(words.at(-1)?.endSecond).toBeCloseTo(2.9);
  expect(fake.session.messages).toEqual(['commit']);
});

test('commits by itself for @ai-sdk/elevenlabs when it is to find the ends of utterances', async () => {
  await using fake = await FakeElevenLabsScribe.start({ texts: ['One', 'Two'] });
  const streaming = { commitStrategy: 'vad', vadSilenceThresholdSecs: 0.5 };
  const result = transcribe(
    fake,
    [speech(300), silence(600), speech(300), silence(600), speech(300)],
    streaming as never,
  );
  expect(await result.text).toBe('One Two');
});

test('a session begins with what it was asked for', async () => {
  await using fake = await FakeElevenLabsScribe.start();
  const { told, send } = await connect(fake, '&audio_format=ulaw_8000&commit_strategy=vad');
  send(new Uint8Array(80));
  await fake.session.heard(10);
  expect(told[0]).toMatchObject({
    message_type: 'session_started',
    config: {
      sample_rate: 8_000,
      audio_format: 'ulaw_8000',
      vad_commit_strategy: true,
      model_id: 'scribe_v2_realtime',
    },
  });
});

test('ignores a commit of less than 0.3 s, and closes, as the real one does', async () => {
  await using fake = await FakeElevenLabsScribe.start();
  const { told, send, closed } = await connect(fake);
  send(silence(200), { commit: true });
  expect(await closed).toEqual([1000, Buffer.from('commit_throttled')]);
  expect(told.at(-1)).toEqual({
    message_type: 'commit_throttled',
    error: expect.stringContaining('only 0.20s of uncommitted audio'),
  });
});

test('refuses what is no message of the protocol', async () => {
  await using fake = await FakeElevenLabsScribe.start();
  for (const message of ['{"type":"flush"}', 'nonsense']) {
    const { socket, told, closed } = await connect(fake);
    socket.send(message);
    await closed;
    expect(told.at(-1)).toEqual({ message_type: 'input_error', error: 'Message must be a valid protocol message' });
  }
  const { told, send, closed } = await connect(fake);
  send(silence(20), { previous_text: 'Hello' });
  send(silence(20), { previous_text: 'Hello' });
  await closed;
  expect(told.at(-1)).toMatchObject({ message_type: 'input_error' });
});

test('refuses a wrong key before there is a connection, and a wrong model or format on it', async () => {
  await using fake = await FakeElevenLabsScribe.start({ apiKey: 'right' });
  await expect(connect(fake, '', 'wrong')).rejects.toThrow('401');
  const { told, closed } = await connect(fake, '&audio_format=mp3', 'right');
  await closed;
  expect(told).toEqual([{ message_type: 'invalid_request', error: expect.stringContaining('mp3') }]);
});

test('closes without a word of error when nothing comes', async () => {
  await using fake = await FakeElevenLabsScribe.start({ idleLimitMs: 50 });
  const { told, closed } = await connect(fake);
  expect(await closed).toEqual([1000, Buffer.alloc(0)]);
  expect(told).toHaveLength(1);
});
