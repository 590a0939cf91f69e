import { once } from 'node:events';
import type { WebSocket } from 'ws';
import { encodeMulaw } from '../../../../src/base/audio/mulaw.js';
import { VoicebotError } from '../../../../src/base/errors.js';
import {
  BotStoppedSpeakingFrame,
  CallerJoinedFrame,
  CancelFrame,
  DtmfFrame,
  EndFrame,
  ErrorFrame,
  InputAudioFrame,
  InterruptionFrame,
  OutputAudioFrame,
} from '../../../../src/bot/pipeline/frames/index.js';
import { Pipeline, PipelineTask } from '../../../../src/bot/pipeline/index.js';
import { CarrierFrameSerializer } from '../../../../src/bot/transports/stream/carrier-frame-serializer.js';
import { WebSocketTransport } from '../../../../src/bot/transports/stream/websocket-transport.js';
import type { TransferOutcome } from '../../../../src/call/transfer-outcome.js';
import { Recorder } from '../../pipeline/recorder.js';
import { CALL_ID, listen, media, openStream, START, STREAM_ID } from '../fake-stream.js';
import { HandLink } from '../hand-link.js';
import { seen, startPipeline, tone, until } from '../start-pipeline.js';
import { AUTH_ID, startVoiceApi } from '../voice-api.js';

const OPERATOR = '+12025550101';
const SECOND_STREAM_ID = 'a0b1c2d3-0000-4444-8888-0123456789ab';
const fakeTimeouts = () =>
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance'] });

afterEach(() => {
  jest.useRealTimers();
});

/** A call in which a runner can transfer, with what its transport has said so far. */
async function linkedCall(apiUrl?: string) {
  const call = await startPipeline({}, apiUrl);
  const link = new HandLink(call.stream.bot);
  const events: string[] = [];
  call.transport.on('dialout_answered', () => events.push('dialout_answered'));
  call.transport.on('disconnected', (_, { code }) => events.push(`disconnected ${code}`));
  return { ...call, link, events };
}
type LinkedCall = Awaited<ReturnType<typeof linkedCall>>;

/** Starts a transfer and lets the carrier take it; the caller hears the destination ring. */
async function ringing(call: LinkedCall): Promise<Promise<TransferOutcome>[]> {
  const times = call.link.asked.length + 1;
  const transfer = call.transport.sipCallTransfer({ toEndPoint: OPERATOR });
  await call.link.isAsked(times);
  const closed = once(call.transport.websocket, 'close');
  call.link.accept();
  await closed;
  return [transfer]; // in an array: a bare promise would be awaited
}

const startOf = (streamId: string, callId = CALL_ID) =>
  JSON.stringify({ ...START, start: { ...START.start, streamId, callId } });

/** Acknowledges every mark as if it was played at once. */
const playAtOnce = (carrier: WebSocket, streamId = STREAM_ID) =>
  carrier.on('message', (data) => {
    const { event, name } = JSON.parse(String(data));
    if (event === 'checkpoint') carrier.send(JSON.stringify({ event: 'playedStream', streamId, name }));
  });

const cancelled = (call: LinkedCall) => call.heard.of(CancelFrame).map(({ reason }) => reason);

describe('a transfer is refused at once', () => {
  test.each(['', 'the operator', 'sip:operator@example.com', '911', '+0123456789', '+1202555010155555', undefined])(
    'to %j, which is no number',
    async (toEndPoint) => {
      await using call = await linkedCall();
      const refused = call.transport.sipCallTransfer({ toEndPoint: toEndPoint as string });
      await expect(refused).rejects.toMatchObject({ code: 'VB_REQUEST_INVALID' });
      expect(call.link.asked).toEqual([]);
    },
  );

  test('on a stream that no runner has let in, with the command that helps', async () => {
    await using call = await startPipeline();
    const refused = call.transport.sipCallTransfer({ toEndPoint: OPERATOR });
    await expect(refused).rejects.toMatchObject({
      code: 'VB_TRANSFER_FAILED',
      hint: expect.stringContaining('voicebot run'),
    });
  });

  test('when the stream is closed', async () => {
    await using call = await linkedCall();
    call.stream.carrier.close();
    await call.run;
    const refused = call.transport.sipCallTransfer({ toEndPoint: OPERATOR });
    await expect(refused).rejects.toMatchObject({ code: 'VB_STREAM_CLOSED' });
  });

  test('while one to another number is going on, before and after the carrier has taken it', async () => {
    await using call = await linkedCall();
    const again = () =>
      expect(call.transport.sipCallTransfer({ toEndPoint: '+12025550102' })).rejects.toMatchObject({
        code: 'VB_TRANSFER_FAILED',
      });
    const first = call.transport.sipCallTransfer({ toEndPoint: OPERATOR });
    await again();
    await call.link.isAsked();
    await again();
    call.link.accept();
    await once(call.stream.bot, 'close');
    await again();
    call.link.settle({ status: 'caller_left' });
    expect(await first).toEqual({ status: 'caller_left' });
    expect(call.link.asked).toHaveLength(1);
  });

  test('where the carrier cannot transfer', async () => {
    await using stream = await openStream();
    new HandLink(stream.bot);
    const serializer = new CarrierFrameSerializer({ streamId: STREAM_ID, callId: CALL_ID });
    const { carrier } = serializer;
    const capabilities = { ...carrier.capabilities, transfersCalls: false };
    Object.defineProperty(serializer, 'carrier', { value: { ...carrier, capabilities } });
    const transport = new WebSocketTransport(stream.bot, { serializer });
    await expect(transport.sipCallTransfer({ toEndPoint: OPERATOR })).rejects.toMatchObject({
      code: 'VB_CARRIER_UNSUPPORTED',
    });
  });
});

test.each([[undefined], [{ toEndPoint: OPERATOR, status: 'busy', detail: 'USER_BUSY' } as const]])(
  'a bot that takes over hears at its start of a transfer that came to nothing before it: %j',
  async (failed) => {
    await using stream = await openStream();
    const link = new HandLink(stream.bot);
    link.failedTransfer = failed;
    const serializer = new CarrierFrameSerializer({ streamId: STREAM_ID, callId: CALL_ID });
    const transport = new WebSocketTransport(stream.bot, { serializer });
    const told: unknown[] = [];
    transport.on('transfer_failed', (_, data) => told.push(data));
    const heard = new Recorder();
    const task = new PipelineTask(new Pipeline([transport.input(), heard, transport.output()]));
    const run = task.run();
    await seen(heard, CallerJoinedFrame, 1);
    expect(told).toEqual(failed ? [failed] : []);
    await task.cancel();
    await run;
  },
);
describe('a repeated transfer to the same number', () => {
  test('joins the first one, before and after the carrier has taken it', async () => {
    await using call = await linkedCall();
    const announce = new OutputAudioFrame(tone(100), 8_000);
    const first = call.transport.transfer(OPERATOR);
    const second = call.transport.transfer('+1 (202) 555-0101', { announce });
    await call.link.isAsked();
    call.link.accept();
    await once(call.stream.bot, 'close');
    const third = call.transport.sipCallTransfer({ toEndPoint: OPERATOR });
    call.link.settle({ status: 'answered', data: { toEndPoint: OPERATOR, sessionId: 'leg-2' } });
    const outcomes = await Promise.all([first, second, third]);
    expect(outcomes.map(({ status }) => status)).toEqual(['answered', 'answered', 'answered']);
    expect(call.link.asked).toHaveLength(1);
    expect(call.events).toEqual(['dialout_answered']);
    expect(call.wire.sent.filter(({ event }) => event === 'playAudio')).toEqual([]); // it is announced once
    await call.task.cancel();
  });

  test('is refused with the first one', async () => {
    await using call = await linkedCall();
    const refusal = new VoicebotError('VB_TARGET_REFUSED', 'premium rate');
    const transfers = [call.transport.transfer(OPERATOR), call.transport.transfer(OPERATOR)];
    const refused = transfers.map((transfer) => expect(transfer).rejects.toBe(refusal));
    await call.link.isAsked();
    call.link.refuse(refusal);
    await Promise.all(refused);
    await call.task.cancel();
  });
});

describe('what was said before', () => {
  test('is heard to its end, as the carrier confirms, before anything is asked', async () => {
    await using call = await linkedCall();
    call.task.queueFrame(new OutputAudioFrame(tone(100, 24_000), 24_000));
    const transfer = call.transport.sipCallTransfer({ toEndPoint: '1 (202) 555-0101' });
    const { name } = await call.wire.next(({ event }) => event === 'checkpoint');
    expect(call.wire.sent.filter(({ event }) => event === 'playAudio')).toHaveLength(5);
    expect(call.link.asked).toEqual([]);
    call.stream.carrier.send(JSON.stringify({ event: 'playedStream', streamId: STREAM_ID, name }));
    await call.link.isAsked();
    expect(call.link.asked).toEqual([OPERATOR]);
    expect(call.heard.seen.map(({ frame }) => frame)).toContainEqual(new BotStoppedSpeakingFrame(100, false));
    call.link.refuse(new Error('enough'));
    await expect(transfer).rejects.toThrow('enough');
  });

  test('is heard with the announcement of the transfer behind it', async () => {
    await using call = await linkedCall();
    playAtOnce(call.stream.carrier);
    call.task.queueFrame(new OutputAudioFrame(tone(40), 8_000));
    const announce = [new OutputAudioFrame(tone(40, 24_000), 24_000), new OutputAudioFrame(tone(20), 8_000)];
    const [transfer] = [call.transport.transfer(OPERATOR, { announce })];
    await call.link.isAsked();
    expect(call.wire.sent.map(({ event }) => event)).toEqual([...Array(5).fill('playAudio'), 'checkpoint']);
    expect(call.link.asked).toEqual([OPERATOR]);
    call.link.refuse(new Error('enough'));
    await expect(transfer).rejects.toThrow('enough');
  });

  test('has no announcement behind it when the transfer is refused at once', async () => {
    await using call = await startPipeline();
    const announce = new OutputAudioFrame(tone(40), 8_000);
    await expect(call.transport.transfer(OPERATOR, { announce })).rejects.toMatchObject({ code: 'VB_TRANSFER_FAILED' });
    await expect(call.transport.transfer('operator', { announce })).rejects.toMatchObject({
      code: 'VB_REQUEST_INVALID',
    });
    const closed = once(call.stream.carrier, 'close');
    call.task.queueFrame(new EndFrame());
    await closed;
    expect(call.wire.sent).toEqual([]);
  });

  test('is cut short by an interruption, which does not stop the transfer', async () => {
    await using call = await linkedCall();
    for (const ms of [12_000, 12_000]) call.task.queueFrame(new OutputAudioFrame(tone(ms), 8_000));
    const [transfer] = [call.transport.sipCallTransfer({ toEndPoint: OPERATOR })];
    await call.wire.next(({ event }) => event === 'playAudio');
    expect(call.link.asked).toEqual([]);
    call.task.queueFrame(new InterruptionFrame());
    await call.link.isAsked();
    expect(call.wire.sent.at(-1)?.event).not.toBe('checkpoint');
    call.link.refuse(new Error('enough'));
    await expect(transfer).rejects.toThrow('enough');
  });

  test('is waited for no longer than the caller is there', async () => {
    await using call = await linkedCall();
    call.task.queueFrame(new OutputAudioFrame(tone(12_000), 8_000));
    const transfer = call.transport.sipCallTransfer({ toEndPoint: OPERATOR });
    await call.wire.next(({ event }) => event === 'playAudio');
    call.stream.carrier.close(1000);
    expect(await transfer).toEqual({ status: 'caller_left' });
    await call.run;
    expect(call.link.asked).toEqual([]);
    expect(call.events).toEqual(['disconnected 1000']);
    expect(cancelled(call)).toEqual(['call_ended']);
  });

  test('is waited for no longer than the bot wants the call', async () => {
    await using call = await linkedCall();
    call.task.queueFrame(new OutputAudioFrame(tone(12_000), 8_000));
    const transfer = call.transport.sipCallTransfer({ toEndPoint: OPERATOR });
    await call.wire.next(({ event }) => event === 'playAudio');
    await call.task.cancel();
    expect(await transfer).toEqual({ status: 'caller_left' });
    expect(call.link.asked).toEqual([]);
  });
});

describe('asking the carrier', () => {
  test('comes before the stream is closed, with 1000', async () => {
    await using call = await linkedCall();
    const { bot, carrier } = call.stream;
    const transfer = call.transport.sipCallTransfer({ toEndPoint: OPERATOR });
    await call.link.isAsked();
    const audio = call.wire.next(({ event }) => event === 'playAudio');
    call.task.queueFrame(new OutputAudioFrame(tone(20), 8_000));
    await audio; // the caller still hears the bot
    expect([bot.readyState, carrier.readyState]).toEqual([bot.OPEN, carrier.OPEN]);
    call.link.accept();
    const [code] = await once(carrier, 'close');
    expect(code).toBe(1000);
    call.link.settle({ status: 'caller_left' });
    await transfer;
  });

  test('and being refused changes nothing', async () => {
    await using call = await linkedCall();
    playAtOnce(call.stream.carrier);
    const refusal = new VoicebotError('VB_TARGET_REFUSED', 'premium rate');
    const transfer = call.transport.sipCallTransfer({ toEndPoint: OPERATOR });
    await call.link.isAsked();
    call.link.refuse(refusal);
    await expect(transfer).rejects.toBe(refusal);
    call.task.queueFrame(new OutputAudioFrame(tone(20), 8_000));
    await call.wire.next(({ event }) => event === 'playAudio');
    call.stream.carrier.send(JSON.stringify(media(encodeMulaw(tone(20)))));
    await seen(call.heard, InputAudioFrame, 1);
    expect(call.events).toEqual([]);
    const [again] = await ringing(call);
    call.link.settle({ status: 'answered', data: { toEndPoint: OPERATOR, sessionId: 'leg' } });
    expect(await again).toMatchObject({ status: 'answered' });
    await call.task.cancel();
  });

  test('while the caller hangs up ends the call once the carrier has refused', async () => {
    await using call = await linkedCall();
    const transfer = call.transport.sipCallTransfer({ toEndPoint: OPERATOR });
    await call.link.isAsked();
    call.stream.carrier.close(1001);
    await once(call.stream.bot, 'close');
    expect(call.events).toEqual([]);
    call.link.refuse(new VoicebotError('VB_TRANSFER_FAILED', 'no such call'));
    expect(await transfer).toEqual({ status: 'caller_left' });
    await call.run;
    expect(call.events).toEqual(['disconnected 1001']);
    expect(cancelled(call)).toEqual(['call_ended']);
  });

  test('goes on when the carrier closes the stream itself before it answers', async () => {
    await using call = await linkedCall();
    const transfer = call.transport.sipCallTransfer({ toEndPoint: OPERATOR });
    await call.link.isAsked();
    call.stream.carrier.close(1000);
    await once(call.stream.bot, 'close');
    call.link.accept();
    call.link.settle({ status: 'answered', data: { toEndPoint: OPERATOR, sessionId: undefined } });
    expect(await transfer).toEqual({ status: 'answered', data: { toEndPoint: OPERATOR, sessionId: undefined } });
    expect(call.events).toEqual(['dialout_answered']);
    expect(cancelled(call)).toEqual([]);
    await call.task.cancel();
  });

  test('fails when nobody answers for half a minute, and a caller who comes back all the same is let go', async () => {
    await using call = await linkedCall();
    await using second = await openStream();
    fakeTimeouts();
    const transfer = call.transport.sipCallTransfer({ toEndPoint: OPERATOR });
    await call.link.isAsked();
    const failed = expect(transfer).rejects.toMatchObject({ code: 'VB_TRANSFER_FAILED' });
    await jest.advanceTimersByTimeAsync(30_000);
    await failed;
    expect(call.stream.bot.readyState).toBe(call.stream.bot.OPEN);
    call.link.accept();
    call.link.settle({ status: 'busy', detail: 'late', websocket: second.bot });
    await once(second.carrier, 'close');
    expect(call.transport.websocket).toBe(call.stream.bot);
  });
});

describe('a destination that answers', () => {
  test('is announced before the transfer resolves, and the pipeline ends without a hang-up', async () => {
    await using api = await startVoiceApi();
    await using call = await linkedCall(api.url);
    const data: unknown[] = [];
    call.transport.on('dialout_answered', (transport, answered) => {
      data.push(transport, answered);
      call.task.queueFrame(new EndFrame());
    });
    const [transfer] = await ringing(call);
    call.link.settle({ status: 'answered', data: { toEndPoint: OPERATOR, sessionId: 'leg-2' } });
    const answered = { toEndPoint: OPERATOR, sessionId: 'leg-2' };
    const outcome = await transfer;
    expect(data).toEqual([call.transport, answered]);
    expect(outcome).toEqual({ status: 'answered', data: answered });
    await call.run;
    await call.transport.hangUp();
    expect(call.after.of(EndFrame)).toHaveLength(1);
    expect(cancelled(call)).toEqual([]);
    expect(call.events).toEqual(['dialout_answered']);
    expect(api.requests).toEqual([]);
  });

  test('ends a pipeline that has not ended itself after five seconds', async () => {
    await using api = await startVoiceApi();
    await using call = await linkedCall(api.url);
    const [transfer] = await ringing(call);
    fakeTimeouts();
    call.link.settle({ status: 'answered', data: { toEndPoint: OPERATOR, sessionId: 'leg-2' } });
    await transfer;
    await jest.advanceTimersByTimeAsync(4_999);
    expect(cancelled(call)).toEqual([]);
    await jest.advanceTimersByTimeAsync(1);
    await call.run;
    expect(cancelled(call)).toEqual(['call_ended']);
    expect(call.events).toEqual(['dialout_answered']);
    expect(api.requests).toEqual([]);
  });

  test('may answer before our stream has finished closing', async () => {
    await using call = await linkedCall();
    const { bot, carrier } = call.stream;
    const transfer = call.transport.sipCallTransfer({ toEndPoint: OPERATOR });
    await call.link.isAsked();
    carrier.pause(); // its answer to our close is late
    call.link.accept();
    call.link.settle({ status: 'answered', data: { toEndPoint: OPERATOR, sessionId: 'leg-2' } });
    expect(await transfer).toMatchObject({ status: 'answered' });
    expect(bot.readyState).toBe(bot.CLOSING);
    carrier.resume();
    await once(bot, 'close');
    expect(call.events).toEqual(['dialout_answered']);
    expect(cancelled(call)).toEqual([]);
    await call.task.cancel();
  });
});

describe('a caller who comes back', () => {
  test.each(['busy', 'no_answer', 'rejected', 'failed'] as const)(
    'after %s is heard and spoken to in the same pipeline',
    async (status) => {
      await using call = await linkedCall();
      await using second = await openStream();
      const [transfer] = await ringing(call);
      call.task.queueFrame(new OutputAudioFrame(tone(2_000), 8_000)); // nobody hears this
      second.carrier.send(startOf(SECOND_STREAM_ID));
      second.carrier.send(JSON.stringify(media(encodeMulaw(tone(20)))));
      const wire = listen(second.carrier);
      call.link.settle({ status, detail: 'as the carrier said', websocket: second.bot });
      expect(await transfer).toEqual({ status, detail: 'as the carrier said' });
      expect(call.transport.websocket).toBe(second.bot);
      await seen(call.heard, InputAudioFrame, 1);
      second.carrier.send(JSON.stringify({ event: 'dtmf', dtmf: { digit: '7' } }));
      expect(await seen(call.heard, DtmfFrame, 1)).toMatchObject([{ digit: '7' }]);
      expect(wire.sent).toEqual([]);

      call.task.queueFrame(new OutputAudioFrame(tone(20), 8_000));
      const mark = await wire.next(({ event }) => event === 'checkpoint');
      expect(mark).toMatchObject({ streamId: SECOND_STREAM_ID });
      expect(wire.sent.filter(({ event }) => event === 'playAudio')).toHaveLength(1);
      call.task.queueFrame(new InterruptionFrame());
      const clear = await wire.next(({ event }) => event === 'clearAudio');
      expect(clear).toEqual({ event: 'clearAudio', streamId: SECOND_STREAM_ID });
      expect(call.events).toEqual([]);
      expect(cancelled(call)).toEqual([]);
    },
  );

  test('hears those whom they are joined with then', async () => {
    await using call = await linkedCall();
    await using second = await openStream();
    await using other = await startPipeline();
    const [transfer] = await ringing(call);
    second.carrier.send(startOf(SECOND_STREAM_ID));
    const wire = listen(second.carrier);
    call.link.settle({ status: 'busy', detail: '', websocket: second.bot });
    await transfer;
    await call.transport.party.hear([other.transport.party]);
    other.stream.carrier.send(JSON.stringify(media(encodeMulaw(tone(20)))));
    expect(await wire.next(({ event }) => event === 'playAudio')).toBeDefined();
  });

  test('owes nothing to the marks of the first stream, and hears an utterance from its beginning', async () => {
    await using call = await linkedCall();
    await using second = await openStream();
    playAtOnce(call.stream.carrier);
    call.task.queueFrame(new OutputAudioFrame(tone(40), 8_000));
    const [transfer] = await ringing(call);
    const oldMarks = call.wire.sent.filter(({ event }) => event === 'checkpoint').map(({ name }) => name);
    second.carrier.send(startOf(SECOND_STREAM_ID));
    const wire = listen(second.carrier);
    call.link.settle({ status: 'busy', detail: '', websocket: second.bot });
    await transfer;
    call.task.queueFrame(new OutputAudioFrame(tone(60), 8_000));
    const { name } = await wire.next(({ event }) => event === 'checkpoint');
    expect(oldMarks).not.toContain(name);
    const stopped = () => call.after.of(BotStoppedSpeakingFrame);
    const before = stopped().length;
    for (const old of oldMarks) second.carrier.send(JSON.stringify({ event: 'playedStream', name: old }));
    second.carrier.send(JSON.stringify({ event: 'dtmf', dtmf: { digit: '1' } }));
    await seen(call.heard, DtmfFrame, 1);
    expect(stopped()).toHaveLength(before);
    second.carrier.send(JSON.stringify({ event: 'playedStream', streamId: SECOND_STREAM_ID, name }));
    await until(() => stopped().length > before, 'the end of the utterance');
    expect(stopped().at(-1)).toMatchObject({ heardMs: 60, wasInterrupted: false });
  });

  test('can be transferred again, and then the destination answers', async () => {
    await using api = await startVoiceApi();
    await using call = await linkedCall(api.url);
    await using second = await openStream();
    const [first] = await ringing(call);
    second.carrier.send(startOf(SECOND_STREAM_ID));
    call.link.settle({ status: 'busy', detail: 'USER_BUSY', websocket: second.bot });
    expect(await first).toMatchObject({ status: 'busy' });

    const link = new HandLink(second.bot);
    playAtOnce(second.carrier, SECOND_STREAM_ID);
    call.task.queueFrame(new OutputAudioFrame(tone(40), 8_000));
    const [again] = await ringing({ ...call, link });
    link.settle({ status: 'answered', data: { toEndPoint: OPERATOR, sessionId: 'leg-3' } });
    expect(await again).toEqual({ status: 'answered', data: { toEndPoint: OPERATOR, sessionId: 'leg-3' } });
    call.task.queueFrame(new EndFrame());
    await call.run;
    expect(call.events).toEqual(['dialout_answered']);
    expect(api.requests).toEqual([]);
  });

  test('and then hangs up ends the pipeline, and the bot may hang up too', async () => {
    await using api = await startVoiceApi();
    for (const who of ['caller', 'bot']) {
      await using call = await linkedCall(api.url);
      await using second = await openStream();
      const [transfer] = await ringing(call);
      second.carrier.send(startOf(SECOND_STREAM_ID));
      call.link.settle({ status: 'rejected', detail: '', websocket: second.bot });
      await transfer;
      if (who === 'caller') second.carrier.close(1000);
      else call.task.queueFrame(new EndFrame());
      await call.run;
      await until(() => call.events.length > 0, 'the end of the call');
      expect(call.events).toEqual(['disconnected 1000']);
      expect(api.requests).toHaveLength(who === 'caller' ? 0 : 1);
    }
  });

  test('and is gone before being heard has left', async () => {
    await using call = await linkedCall();
    await using second = await openStream();
    const [transfer] = await ringing(call);
    call.link.settle({ status: 'busy', detail: '', websocket: second.bot });
    second.carrier.close(1000);
    expect(await transfer).toEqual({ status: 'caller_left' });
    await call.run;
    expect(call.events).toEqual(['disconnected 1000']);
    expect(cancelled(call)).toEqual(['call_ended']);
  });

  test('on a stream that does not introduce itself within ten seconds is let go', async () => {
    await using call = await linkedCall();
    await using second = await openStream();
    const [transfer] = await ringing(call);
    const letGo = once(second.carrier, 'close');
    fakeTimeouts();
    call.link.settle({ status: 'busy', detail: '', websocket: second.bot });
    await jest.advanceTimersByTimeAsync(10_000);
    expect(await transfer).toMatchObject({ status: 'failed', detail: expect.stringContaining('10000 ms') });
    await call.run;
    await letGo;
    expect(cancelled(call)).toEqual(['call_ended']);
  });

  test('on the stream of another call is no caller of ours', async () => {
    await using call = await linkedCall();
    await using second = await openStream();
    const [transfer] = await ringing(call);
    const letGo = once(second.carrier, 'close');
    second.carrier.send(startOf(SECOND_STREAM_ID, 'ffffffff-6b5e-4d7c-9f21-3a8e5b9d0c44'));
    call.link.settle({ status: 'busy', detail: '', websocket: second.bot });
    expect(await transfer).toMatchObject({ status: 'failed', detail: expect.stringContaining('another call') });
    await call.run;
    await letGo;
    expect(cancelled(call)).toEqual(['call_ended']);
  });

  test('on a stream that cannot be decoded fails the pipeline, as at the start', async () => {
    await using call = await linkedCall();
    await using second = await openStream();
    const [transfer] = await ringing(call);
    const mediaFormat = { encoding: 'audio/x-alaw', sampleRate: 8_000 };
    const start = { ...START.start, streamId: SECOND_STREAM_ID, mediaFormat };
    second.carrier.send(JSON.stringify({ ...START, start }));
    call.link.settle({ status: 'busy', detail: '', websocket: second.bot });
    const failed = expect(call.run).rejects.toMatchObject({ code: 'VB_STREAM_UNREADABLE' });
    expect(await transfer).toMatchObject({ status: 'busy' });
    await failed;
  });
});

describe('a transfer without a caller or an outcome', () => {
  test('resolves when the caller leaves, and ends the pipeline', async () => {
    await using api = await startVoiceApi();
    await using call = await linkedCall(api.url);
    const [transfer] = await ringing(call);
    expect(call.events).toEqual([]);
    call.link.settle({ status: 'caller_left' });
    expect(await transfer).toEqual({ status: 'caller_left' });
    await call.run;
    expect(call.events).toEqual(['disconnected 1000']);
    expect(cancelled(call)).toEqual(['call_ended']);
    expect(api.requests).toEqual([]);
  });

  test('fails when the runner loses it', async () => {
    await using call = await linkedCall();
    const [transfer] = await ringing(call);
    call.link.lose(new Error('the runner is gone'));
    expect(await transfer).toEqual({ status: 'failed', detail: 'the runner is gone' });
    await call.run;
    expect(cancelled(call)).toEqual(['call_ended']);
  });

  test('fails when nothing is heard of it for two and a half minutes', async () => {
    await using call = await linkedCall();
    const transfer = call.transport.sipCallTransfer({ toEndPoint: OPERATOR });
    await call.link.isAsked();
    fakeTimeouts();
    const closed = once(call.stream.bot, 'close');
    call.link.accept();
    await closed;
    await jest.advanceTimersByTimeAsync(149_999);
    expect(cancelled(call)).toEqual([]);
    await jest.advanceTimersByTimeAsync(1);
    expect(await transfer).toMatchObject({ status: 'failed' });
    await call.run;
    expect(cancelled(call)).toEqual(['call_ended']);
  });
});

describe('a bot that ends the call while the destination rings', () => {
  const hangUp = `DELETE /Account/${AUTH_ID}/Call/${CALL_ID}/`;

  test.each(['an EndFrame', 'cancel()', 'hangUp()'])('by %s ends it at the carrier, once', async (how) => {
    await using api = await startVoiceApi();
    await using call = await linkedCall(api.url);
    const [transfer] = await ringing(call);
    if (how === 'an EndFrame') call.task.queueFrame(new EndFrame());
    else if (how === 'cancel()') void call.task.cancel();
    else void call.transport.hangUp();
    expect(await transfer).toEqual({ status: 'caller_left' });
    await call.run;
    expect(api.requests).toEqual([hangUp]);
    expect(call.events).toEqual(['disconnected 1000']);
    call.link.settle({ status: 'answered', data: { toEndPoint: OPERATOR, sessionId: 'too late' } });
    await new Promise((resolve) => setImmediate(resolve));
    expect(call.events).toEqual(['disconnected 1000']);
  });

  test('without credentials lets go, and closes the stream of a caller who comes back', async () => {
    await using call = await linkedCall();
    await using second = await openStream();
    const [transfer] = await ringing(call);
    call.task.queueFrame(new EndFrame());
    expect(await transfer).toEqual({ status: 'caller_left' });
    await call.run;
    call.link.settle({ status: 'busy', detail: '', websocket: second.bot });
    const [code] = await once(second.carrier, 'close');
    expect(code).toBe(1000);
  });

  test('while the carrier is being asked ends it too', async () => {
    await using api = await startVoiceApi();
    await using call = await linkedCall(api.url);
    const transfer = call.transport.sipCallTransfer({ toEndPoint: OPERATOR });
    await call.link.isAsked();
    call.task.queueFrame(new EndFrame());
    expect(await transfer).toEqual({ status: 'caller_left' });
    await call.run;
    expect(api.requests).toEqual([hangUp]);
    await until(() => call.events.length > 0, 'the end of the stream');
    expect(call.events).toEqual(['disconnected 1000']);
  });

  test('while the caller comes back ends it too', async () => {
    await using api = await startVoiceApi();
    await using call = await linkedCall(api.url);
    await using second = await openStream();
    const [transfer] = await ringing(call);
    const letGo = once(second.carrier, 'close');
    call.link.settle({ status: 'busy', detail: '', websocket: second.bot });
    await until(() => second.bot.listenerCount('message') > 0, 'reading the new stream');
    call.task.queueFrame(new EndFrame());
    expect(await transfer).toEqual({ status: 'caller_left' });
    await call.run;
    await letGo;
    expect(api.requests).toEqual([hangUp]);
  });
});

describe('a pipeline that fails for good', () => {
  const failing = (call: LinkedCall) => {
    const failure = new Error('broken');
    const failed = expect(call.run).rejects.toBe(failure);
    call.heard.receive(new ErrorFrame(failure, true), 'upstream');
    return failed;
  };

  test('while the destination rings hangs nobody up, and gives a returning caller to the next bot', async () => {
    await using api = await startVoiceApi();
    await using call = await linkedCall(api.url);
    await using second = await openStream();
    const [transfer] = await ringing(call);
    await failing(call);
    expect(await transfer).toMatchObject({ status: 'failed' });
    call.link.settle({ status: 'busy', detail: '', websocket: second.bot });
    await once(second.carrier, 'close');
    expect(api.requests).toEqual([]);
  });

  test('leaves a caller who can still be transferred', async () => {
    await using api = await startVoiceApi();
    await using call = await linkedCall(api.url);
    await failing(call);
    const [transfer] = await ringing(call);
    call.link.settle({ status: 'answered', data: { toEndPoint: OPERATOR, sessionId: 'leg-2' } });
    expect(await transfer).toMatchObject({ status: 'answered' });
    expect(api.requests).toEqual([]);
  });
});
