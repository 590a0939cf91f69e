import { once } from 'node:events';
import { encodeMulaw } from '../../../../src/base/audio/mulaw.js';
import {
  BotStoppedSpeakingFrame,
  CancelFrame,
  DtmfFrame,
  EndFrame,
  InputAudioFrame,
  InterruptionFrame,
  OutputAudioFrame,
} from '../../../../src/bot/pipeline/frames/index.js';
import { CALL_ID, media, START, STREAM_ID } from '../fake-stream.js';
import { seen, startPipeline, tone } from '../start-pipeline.js';
import { AUTH_ID, startVoiceApi } from '../voice-api.js';

test("the caller's audio and keys come in as frames", async () => {
  await using call = await startPipeline();
  call.stream.carrier.send(JSON.stringify(media(encodeMulaw(tone(20)))));
  call.stream.carrier.send(
    JSON.stringify({ event: 'dtmf', streamId: STREAM_ID, dtmf: { digit: '5', track: 'inbound' } }),
  );
  const [audio] = await seen(call.heard, InputAudioFrame, 1);
  expect(audio).toMatchObject({ sampleRate: 8_000 });
  expect(audio?.pcm).toHaveLength(160);
  expect(await seen(call.heard, DtmfFrame, 1)).toMatchObject([{ digit: '5' }]);
});

test("the caller's audio is resampled to the pipeline's rate", async () => {
  await using call = await startPipeline({ audioInSampleRate: 16_000 });
  for (let i = 0; i < 3; i += 1) call.stream.carrier.send(JSON.stringify(media(encodeMulaw(tone(20)), i + 1)));
  const frames = await seen(call.heard, InputAudioFrame, 3);
  expect(frames.map(({ sampleRate }) => sampleRate)).toEqual([16_000, 16_000, 16_000]);
  const samples = frames.reduce((sum, { pcm }) => sum + pcm.length, 0);
  expect(samples).toBeGreaterThanOrEqual(3 * 320 - 64); // the filter looks up to 4 ms ahead
});

test('the bot is heard as bare mu-law in 20 ms messages, whatever rate it speaks at', async () => {
  await using call = await startPipeline();
  call.task.queueFrame(new OutputAudioFrame(tone(100, 24_000), 24_000));
  call.task.queueFrame(new EndFrame());
  await call.wire.next(({ event }) => event === 'checkpoint');
  const audio = call.wire.sent.filter(({ event }) => event === 'playAudio');
  expect(audio).toHaveLength(5);
  for (const { media: sent } of audio) {
    expect(sent).toMatchObject({ contentType: 'audio/x-mulaw', sampleRate: 8_000 });
    expect(Buffer.from(sent?.payload ?? '', 'base64')).toHaveLength(160);
  }
});

test('the end waits for the carrier to have played the last word, then closes the stream', async () => {
  await using call = await startPipeline();
  let isOver = false;
  void call.run.then(() => {
    isOver = true;
  });
  call.task.queueFrame(new OutputAudioFrame(tone(60), 8_000));
  call.task.queueFrame(new EndFrame());
  const { name } = await call.wire.next(({ event }) => event === 'checkpoint');
  expect(isOver).toBe(false);
  call.stream.carrier.send(JSON.stringify({ event: 'playedStream', streamId: STREAM_ID, name }));
  const [code] = await once(call.stream.carrier, 'close');
  expect(code).toBe(1000);
  await call.run;
  expect(call.after.of(BotStoppedSpeakingFrame)).toMatchObject([{ heardMs: 60, wasInterrupted: false }]);
});

test('an interruption clears the carrier, and later audio follows the clear', async () => {
  await using call = await startPipeline();
  call.task.queueFrame(new OutputAudioFrame(tone(5_000), 8_000));
  await call.wire.next(({ event }) => event === 'playAudio');
  call.task.queueFrame(new InterruptionFrame());
  await call.wire.next(({ event }) => event === 'clearAudio');
  const before = call.wire.sent.length;
  call.task.queueFrame(new OutputAudioFrame(tone(20), 8_000));
  await call.wire.next((message) => call.wire.sent.indexOf(message) >= before && message.event === 'playAudio');
  expect(call.after.of(BotStoppedSpeakingFrame)).toMatchObject([{ wasInterrupted: true }]);
});

test('more audio than ten seconds makes the pipeline wait', async () => {
  await using call = await startPipeline();
  call.task.queueFrame(new OutputAudioFrame(tone(12_000), 8_000));
  call.task.queueFrame(new EndFrame());
  call.task.queueFrame(new InterruptionFrame());
  await once(call.stream.carrier, 'close');
  await call.run;
});

test('a message that is none is ignored', async () => {
  await using call = await startPipeline();
  for (const rubbish of ['', '{', 'null', '[]', '{"event":7}', '{"event":"media"}', '{"event":"start"}']) {
    call.stream.carrier.send(rubbish);
  }
  call.stream.carrier.send(Buffer.from([1, 2, 3]), { binary: true });
  call.stream.carrier.send(JSON.stringify(media(encodeMulaw(tone(20)))));
  await seen(call.heard, InputAudioFrame, 1);
  expect(call.heard.of(InputAudioFrame)).toHaveLength(1);
});

const startWith = (encoding: string, sampleRate: number) =>
  JSON.stringify({ ...START, start: { ...START.start, mediaFormat: { encoding, sampleRate } } });

test.each([8_000, 16_000, 24_000])('a stream that carries L16 at %d Hz does so both ways', async (rate) => {
  await using call = await startPipeline(
    { audioInSampleRate: rate, audioOutSampleRate: rate },
    undefined,
    startWith('audio/x-l16', rate),
  );
  const said = tone(20, rate);
  call.stream.carrier.send(JSON.stringify(media(new Uint8Array(said.buffer))));
  const [heard] = await seen(call.heard, InputAudioFrame, 1);
  expect(heard).toMatchObject({ sampleRate: rate });
  expect(heard?.pcm).toEqual(said);
  call.task.queueFrame(new OutputAudioFrame(said, rate));
  call.task.queueFrame(new OutputAudioFrame(tone(60, 48_000), 48_000));
  await call.wire.next(({ event }) => event === 'checkpoint');
  const audio = call.wire.sent.flatMap((message) => message.media ?? []);
  expect(new Set(audio.map(({ contentType, sampleRate }) => `${contentType} ${sampleRate}`))).toEqual(
    new Set([`audio/x-l16 ${rate}`]),
  );
  const payloads = audio.map(({ payload }) => Buffer.from(payload, 'base64'));
  expect(new Set(payloads.map(({ length }) => length))).toEqual(new Set([rate / 25]));
  expect(payloads[0]).toEqual(Buffer.from(said.buffer));
});

test('a stream whose start comes when the bot has been heard at another rate is refused', async () => {
  await using call = await startPipeline({}, undefined, '');
  call.task.queueFrame(new OutputAudioFrame(tone(20), 8_000));
  await call.wire.next(({ event }) => event === 'playAudio');
  call.stream.carrier.send(startWith('audio/x-l16', 16_000));
  await expect(call.run).rejects.toMatchObject({ code: 'VB_AUDIO_INVALID' });
});

test.each([
  ['audio/x-alaw', 8_000],
  ['audio/opus', 48_000],
])('a stream that carries %s at %d Hz is refused', async (encoding, sampleRate) => {
  await using call = await startPipeline({}, undefined, startWith(encoding, sampleRate));
  await expect(call.run).rejects.toMatchObject({ code: 'VB_STREAM_UNREADABLE' });
});

test('marks that come back because their audio was dropped say nothing of what was heard', async () => {
  await using call = await startPipeline({}, undefined, JSON.stringify(START), undefined, { confirmsClear: false });
  const said = (ms: number) => call.task.queueFrame(new OutputAudioFrame(tone(ms), 8_000));
  const returns = (name = '') =>
    call.stream.carrier.send(JSON.stringify({ event: 'playedStream', streamId: STREAM_ID, name }));
  said(5_000);
  const { name: first } = await call.wire.next(({ event }) => event === 'checkpoint');
  call.task.queueFrame(new InterruptionFrame());
  await call.wire.next(({ event }) => event === 'clearAudio');
  said(200);
  const { name: second } = await call.wire.next(({ event, name }) => event === 'checkpoint' && name !== first);
  returns(first);
  call.stream.carrier.send(JSON.stringify(media(encodeMulaw(tone(20)))));
  await seen(call.heard, InputAudioFrame, 1);
  expect(call.after.of(BotStoppedSpeakingFrame)).toMatchObject([{ wasInterrupted: true }]);
  returns(second);
  expect(await seen(call.after, BotStoppedSpeakingFrame, 2)).toMatchObject([
    {},
    { heardMs: 200, wasInterrupted: false },
  ]);
});

test('a second start in the middle of a call changes nothing', async () => {
  await using call = await startPipeline();
  call.stream.carrier.send(startWith('audio/opus', 48_000));
  call.stream.carrier.send(JSON.stringify(media(encodeMulaw(tone(20)))));
  await seen(call.heard, InputAudioFrame, 1);
});

test('a caller who leaves ends the pipeline without a hang-up', async () => {
  await using api = await startVoiceApi(() => 204);
  await using call = await startPipeline({}, api.url);
  const disconnected = once(call.transport, 'disconnected');
  call.stream.carrier.close(1000);
  await call.run;
  expect(await disconnected).toEqual([call.transport, { code: 1000 }]);
  expect(call.heard.of(CancelFrame)).toMatchObject([{ reason: 'call_ended' }]);
  expect(api.requests).toEqual([]);
});

describe('with credentials', () => {
  const hangUp = `DELETE /Account/${AUTH_ID}/Call/${CALL_ID}/`;

  test.each(['end', 'cancel'])('the call is ended at the carrier on %s', async (how) => {
    await using api = await startVoiceApi(() => 204);
    await using call = await startPipeline({}, api.url);
    if (how === 'end') call.task.queueFrame(new EndFrame());
    else void call.task.cancel();
    await call.run;
    expect(api.requests).toEqual([hangUp]);
  });

  test('what hangs up is loaded when the other party is put on hold, before others are joined: no hang-up interrupts their sound', async () => {
    await using api = await startVoiceApi(() => 204);
    await using call = await startPipeline({}, api.url);
    const { carrier } = call.serializer;
    const createRestClient = jest.fn(carrier.createRestClient);
    Object.assign(call.serializer, { carrier: { ...carrier, createRestClient } });
    call.transport.party.hold(undefined);
    expect(createRestClient).toHaveBeenCalledTimes(1);
    expect(api.requests).toEqual([]);
    call.task.queueFrame(new EndFrame());
    await call.run;
    expect(api.requests).toEqual([hangUp]);
  });

  test('the pipeline ends only after the carrier has confirmed', async () => {
    let isOver = false;
    await using api = await startVoiceApi(() => {
      expect(isOver).toBe(false);
      return 204;
    });
    await using call = await startPipeline({}, api.url);
    call.task.queueFrame(new EndFrame());
    await call.run;
    isOver = true;
    expect(api.requests).toHaveLength(1);
  });

  test('a call that is already over is no problem, a refused hang-up is a warning', async () => {
    let status = 404;
    await using api = await startVoiceApi(() => status);
    await using first = await startPipeline({}, api.url);
    first.transport.on('warning', () => {
      throw new Error('no warning expected');
    });
    await first.task.cancel();
    await first.run;

    status = 401;
    await using second = await startPipeline({}, api.url);
    const warned = once(second.transport, 'warning');
    await second.task.cancel();
    await second.run;
    const [, { error }] = (await warned) as [unknown, { error: Error }];
    expect(error).toMatchObject({ code: 'VB_CREDENTIALS_REFUSED' });
  });
});

test('without credentials only the stream is closed', async () => {
  await using call = await startPipeline();
  await call.task.cancel();
  await call.run;
  const [code] = await once(call.stream.carrier, 'close');
  expect(code).toBe(1000);
});
