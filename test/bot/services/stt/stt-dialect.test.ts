import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import {
  EndFrame,
  ErrorFrame,
  InputAudioFrame,
  TranscriptionFrame,
} from '../../../../src/bot/pipeline/frames/index.js';
import { Pipeline, PipelineTask } from '../../../../src/bot/pipeline/index.js';
import { type SttDialect, SttService } from '../../../../src/bot/services/stt/index.js';
import { Recorder } from '../../pipeline/recorder.js';
import { until } from './start-stt.js';

/** A provider unlike any other: audio as base64 in JSON, words as bare text, no keep-alive, no times. */
const scribe = (baseUrl: string): SttDialect => ({
  account: {
    provider: { name: 'Scribe', keyVariable: 'K', urlVariable: 'U', defaultUrl: baseUrl, keysUrl: 'none' },
    apiKey: 'key',
    baseUrl,
  },
  format: () => ({ encoding: 'L16', sampleRate: 16_000 }),
  request: ({ sampleRate }) => ({ path: `/stream/${sampleRate}`, headers: { 'x-key': 'key' } }),
  encode: (audio) => JSON.stringify({ audio: Buffer.from(audio).toString('base64') }),
  farewell: 'bye',
  parse: (text) => (text ? { type: 'final', text, endsUtterance: true } : { type: 'other' }),
});

test('a message that a dialect throws on costs the connection, and its words are not told', async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const messages = ['the secret words', 'Hello.'];
  server.on('connection', (socket) => socket.send(messages.shift() ?? ''));
  const dialect: SttDialect = {
    ...scribe(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    parse: (text) => {
      if (text !== 'Hello.') throw new SyntaxError(text);
      return { type: 'final', text, endsUtterance: true };
    },
  };
  const heard = new Recorder();
  const task = new PipelineTask(new Pipeline([new SttService(dialect), heard]));
  task.on('problem', () => {});
  const run = task.run();
  await until(() => heard.of(TranscriptionFrame).length > 0);
  await task.cancel();
  await run;
  const [{ error } = { error: undefined }] = heard.of(ErrorFrame);
  expect(error?.message).toContain('Scribe: sent a message that cannot be read');
  expect(error?.message).not.toContain('secret');
  server.close();
});

test('a provider is one object', async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const connecting = once(server, 'connection');
  const heard = new Recorder();
  const stt = new SttService(scribe(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  const task = new PipelineTask(new Pipeline([stt, heard]), { audioInSampleRate: 16_000 });
  const run = task.run();
  task.queueFrame(new InputAudioFrame(Int16Array.of(1, -2), 16_000));
  const [socket, request] = await connecting;
  const messages: string[] = [];
  const gone = once(socket, 'close');
  socket.on('message', (data: Buffer) => {
    messages.push(String(data));
    if (messages.length === 1) socket.send('Words.');
    if (messages.length === 1) socket.send('');
  });
  await until(() => heard.of(TranscriptionFrame).length > 0);
  task.queueFrame(new EndFrame());
  await run;
  await gone;
  expect(request).toMatchObject({ url: '/stream/16000', headers: { 'x-key': 'key' } });
  expect(messages).toEqual([JSON.stringify({ audio: Buffer.from([1, 0, 254, 255]).toString('base64') }), 'bye']);
  expect(heard.of(TranscriptionFrame)).toMatchObject([{ text: 'Words.', endsUtterance: true }]);
  server.close();
});
