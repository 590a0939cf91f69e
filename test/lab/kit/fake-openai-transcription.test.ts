import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { createOpenAI } from '@ai-sdk/openai';
import { experimental_streamTranscribe as streamTranscribe } from 'ai';
import OpenAI from 'openai';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import { WebSocket } from 'ws';
import { FakeOpenAITranscription } from '../../../src/lab/kit/index.js';

function speech(ms: number): Uint8Array {
  const pcm = Int16Array.from({ length: ms * 24 }, (_, i) => 8_000 * Math.sin(i / 4));
  return new Uint8Array(pcm.buffer);
}

const silence = (ms: number) => new Uint8Array(ms * 48);

test('tells @ai-sdk/openai words piece by piece, and completes them when it commits', async () => {
  await using fake = await FakeOpenAITranscription.start({ apiKey: 'test', texts: ['A table for two'] });
  const openai = createOpenAI({ apiKey: 'test', baseURL: fake.url, webSocket: WebSocket as never });
  const result = streamTranscribe({
    model: openai.transcription('gpt-live-transcribe'),
    audio: new ReadableStream({
      start(controller) {
        for (const chunk of [silence(200), speech(900)]) controller.enqueue(chunk);
        controller.close();
      },
    }),
    inputAudioFormat: { type: 'audio/pcm', rate: 24_000 },
  });
  const deltas: string[] = [];
  for await (const part of result.fullStream) if (part.type === 'transcript-delta') deltas.push(part.delta);
  expect(deltas).toEqual(['A', ' table', ' for', ' two']);
  expect(await result.text).toBe('A table for two');
  expect(fake.session.messages).toEqual(['session.update', 'input_audio_buffer.commit']);
});

/** OpenAI's client insists on TLS in the address; the connection under it is a plain one. */
const plainly = {
  createConnection: ({ host, port }: { host: string; port: number }) => connectTcp({ host, port }),
} as never;

test("finds the ends of utterances for the vendor's own client, and tells it what is wrong", async () => {
  await using fake = await FakeOpenAITranscription.start({ texts: ['One', 'Two'] });
  const client = new OpenAI({ apiKey: 'test', baseURL: fake.url.replace('http', 'https') });
  const realtime = new OpenAIRealtimeWS({ intent: 'transcription', options: plainly }, client);
  const told: Array<Record<string, unknown>> = [];
  realtime.on('error', () => {});
  realtime.on('event', (event) => told.push({ ...event }));
  const send = (message: object) => realtime.send(message as never);
  await once(realtime.socket, 'open');
  const transcription = { model: 'gpt-4o-transcribe', language: 'en' };
  send({ type: 'session.update', session: { type: 'transcription', audio: { input: { transcription } } } });
  for (const audio of [speech(300), silence(600), speech(300), silence(600)]) {
    send({ type: 'input_audio_buffer.append', audio: Buffer.from(audio).toString('base64') });
  }
  send({ type: 'input_audio_buffer.commit' });
  send({ type: 'response.create' });
  send({ type: 'input_audio_buffer.clear' });
  await fake.session.received('input_audio_buffer.clear');
  const closed = once(realtime.socket, 'close');
  fake.session.close();
  await closed;
  const of = (type: string) => told.filter((one) => one.type === type);
  expect(told[0]?.type).toBe('session.created');
  expect(of('session.updated')).toHaveLength(1);
  const completed = of('conversation.item.input_audio_transcription.completed');
  expect(completed.map(({ transcript, item_id }) => [item_id, transcript])).toEqual([
    ['item_0', 'One'],
    ['item_1', 'Two'],
  ]);
  expect(of('error').map(({ error }) => (error as { code: string }).code)).toEqual([
    'input_audio_buffer_commit_empty',
    'invalid_value',
  ]);
});
