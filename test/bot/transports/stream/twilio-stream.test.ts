import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { DtmfDetector } from '../../../../src/base/audio/dtmf.js';
import { decodeMulaw, encodeMulaw } from '../../../../src/base/audio/mulaw.js';
import {
  BotStoppedSpeakingFrame,
  CancelFrame,
  ErrorFrame,
  InputAudioFrame,
  InterruptionFrame,
  OutputAudioFrame,
} from '../../../../src/bot/pipeline/frames/index.js';
import { Pipeline, PipelineTask } from '../../../../src/bot/pipeline/index.js';
import { CarrierFrameSerializer } from '../../../../src/bot/transports/stream/carrier-frame-serializer.js';
import { parseTelephonyWebSocket } from '../../../../src/bot/transports/stream/parse-telephony-websocket.js';
import { WebSocketTransport } from '../../../../src/bot/transports/stream/websocket-transport.js';
import { hurried } from '../../../hasty-clock.js';
import { Recorder } from '../../pipeline/recorder.js';
import { openStream } from '../fake-stream.js';
import { seen, tone, until } from '../start-pipeline.js';

hurried();

const fixture = (name: string) =>
  readFileSync(new URL(`../../../fixtures/twilio/${name}.json`, import.meta.url), 'utf8');
const { streamSid } = JSON.parse(fixture('start'));

interface FromBot {
  readonly event: string;
  readonly streamSid: string;
  readonly media?: { payload: string };
  readonly mark?: { name: string };
}

/** A running pipeline on a stream whose carrier holds what the bot says for ever, and gives marks back at a clear (carrier reference 7.1). */
async function startCall(isPlayed = false) {
  const stream = await openStream();
  const { carrier } = stream;
  const sent: FromBot[] = [];
  const waiting: string[] = [];
  const mark = (name: string) => carrier.send(JSON.stringify({ event: 'mark', streamSid, mark: { name } }));
  carrier.on('message', (data) => {
    const message: FromBot = JSON.parse(String(data));
    sent.push(message);
    if (message.mark && isPlayed) mark(message.mark.name);
    else if (message.mark) waiting.push(message.mark.name);
    else if (message.event === 'clear') for (const name of waiting.splice(0)) mark(name);
  });
  for (const name of ['connected', 'start']) carrier.send(fixture(name));
  const [name, { stream_id: streamId, call_id: callId }] = await parseTelephonyWebSocket(stream.bot);
  const serializer = new CarrierFrameSerializer({ carrier: name, streamId, callId });
  const transport = new WebSocketTransport(stream.bot, { serializer });
  const heard = new Recorder();
  const after = new Recorder();
  const task = new PipelineTask(new Pipeline([transport.input(), heard, transport.output(), after]));
  const run = task.run();
  return { carrier, sent, transport, heard, after, task, run, [Symbol.asyncDispose]: stream[Symbol.asyncDispose] };
}

const caller = (more: object = {}) =>
  JSON.stringify({
    event: 'media',
    sequenceNumber: '3',
    media: {
      track: 'inbound',
      chunk: '1',
      timestamp: '20',
      payload: Buffer.from(encodeMulaw(tone(20))).toString('base64'),
    },
    streamSid,
    ...more,
  });

test('keys are tones in the audio', async () => {
  await using call = await startCall(true);
  await call.transport.sendDtmf('0123456789*#ABCD');
  const payloads = call.sent.flatMap(({ media }) => (media ? [Buffer.from(media.payload, 'base64')] : []));
  expect(new DtmfDetector(8_000).process(decodeMulaw(Buffer.concat(payloads))).join('')).toBe('0123456789*#ABCD');
  expect(new Set(call.sent.map((message) => message.streamSid))).toEqual(new Set([streamSid]));
});

test('marks that a clear gives back end nothing that is said after it', async () => {
  await using call = await startCall();
  call.task.queueFrame(new OutputAudioFrame(tone(3_000), 8_000));
  await until(() => call.sent.some(({ mark }) => mark), 'a mark is on its way');
  call.task.queueFrame(new InterruptionFrame());
  call.task.queueFrame(new OutputAudioFrame(tone(100), 8_000));
  await until(
    () => call.sent.at(-1)?.event === 'mark' && call.sent.some(({ event }) => event === 'clear'),
    'more is said',
  );
  call.carrier.send(caller());
  await seen(call.heard, InputAudioFrame, 1);
  expect(call.after.of(BotStoppedSpeakingFrame)).toMatchObject([{ wasInterrupted: true }]);
});

test('messages out of order, twice, unknown, damaged and of other dialects end nothing', async () => {
  await using call = await startCall();
  const foreign = [
    '{"event":"clearedAudio"}',
    '{"event":"playedStream","name":"m1"}',
    '{"event":"media","stream_id":"x"}',
  ];
  const other = [
    caller({ sequenceNumber: '2' }),
    caller({ sequenceNumber: '2' }),
    fixture('start'),
    fixture('connected'),
  ];
  for (const message of ['', '{', '[]', ...foreign, ...other, '{"event":"dtmf"}']) call.carrier.send(message);
  call.carrier.send(caller({ sequenceNumber: '1' }));
  await seen(call.heard, InputAudioFrame, 3);
  expect(call.heard.of(ErrorFrame)).toEqual([]);
});

test('a caller who hangs up is told by stop and the end of the stream, and that is no error', async () => {
  await using call = await startCall();
  const disconnected = once(call.transport, 'disconnected');
  call.carrier.send(fixture('stop'));
  call.carrier.close(1000);
  expect(await disconnected).toMatchObject([{}, { code: 1000 }]);
  await call.run;
  expect(call.after.of(CancelFrame)).toMatchObject([{ reason: 'call_ended' }]);
});
