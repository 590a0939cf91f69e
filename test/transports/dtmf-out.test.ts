import { InterruptionFrame, OutputAudioFrame, OutputDtmfFrame } from '../../src/pipeline/frames/index.js';
import { STREAM_ID } from './fake-stream.js';
import { startPipeline, tone } from './start-pipeline.js';

const isDtmf = ({ event }: { event: string }) => event === 'sendDTMF';
type Call = Awaited<ReturnType<typeof startPipeline>>;

/** Resolves when everything the bot has sent has reached the carrier. */
async function wireIsIdle({ stream }: Call): Promise<void> {
  await new Promise<void>((resolve) => {
    stream.carrier.once('pong', () => resolve());
    stream.carrier.ping();
  });
}

test('keys are sent at once, behind the audio that is on its way and ahead of what waits', async () => {
  await using call = await startPipeline();
  call.task.queueFrame(new OutputAudioFrame(tone(1_000), 8_000));
  await call.transport.sendDtmf('12*#');
  expect(await call.wire.next(isDtmf)).toEqual({ event: 'sendDTMF', dtmf: '12*#' });
  const events = call.wire.sent.map(({ event }) => event);
  expect(events.indexOf('sendDTMF')).toBe(5); // the lead of 100 ms
});

test.each(['', '1 2', '12x', '+1', '1'.repeat(65)])('%j are no keys', async (digits) => {
  await using call = await startPipeline();
  await expect(call.transport.sendDtmf(digits)).rejects.toMatchObject({ code: 'VB_REQUEST_INVALID' });
  await wireIsIdle(call);
  expect(call.wire.sent).toEqual([]);
});

test('keys on a closed stream are refused', async () => {
  await using call = await startPipeline();
  call.stream.carrier.close();
  await call.run;
  await expect(call.transport.sendDtmf('1')).rejects.toMatchObject({ code: 'VB_STREAM_CLOSED' });
});

test('keys are refused where the stream cannot carry them', async () => {
  await using call = await startPipeline();
  call.serializer.encodeDtmf = () => undefined;
  await expect(call.transport.sendDtmf('1')).rejects.toMatchObject({ code: 'VB_CARRIER_UNSUPPORTED' });
});

describe('a frame of keys', () => {
  test('is sent when what was said before has been heard, and before what is said next', async () => {
    await using call = await startPipeline();
    call.task.queueFrame(new OutputAudioFrame(tone(60), 8_000));
    call.task.queueFrame(new OutputDtmfFrame('42'));
    call.task.queueFrame(new OutputAudioFrame(tone(20), 8_000));
    const { name } = await call.wire.next(({ event }) => event === 'checkpoint');
    await wireIsIdle(call);
    expect(call.wire.sent.map(({ event }) => event)).toEqual([...Array(3).fill('playAudio'), 'checkpoint']);
    call.stream.carrier.send(JSON.stringify({ event: 'playedStream', streamId: STREAM_ID, name }));
    await call.wire.next(({ event, name: other }) => event === 'checkpoint' && other !== name);
    const events = call.wire.sent.map(({ event }) => event);
    expect(events.slice(4)).toEqual(['sendDTMF', 'playAudio', 'checkpoint']);
  });

  test('is dropped by an interruption', async () => {
    await using call = await startPipeline();
    call.task.queueFrame(new OutputAudioFrame(tone(2_000), 8_000));
    call.task.queueFrame(new OutputDtmfFrame('42'));
    await call.wire.next(({ event }) => event === 'playAudio');
    call.task.queueFrame(new InterruptionFrame());
    call.task.queueFrame(new OutputDtmfFrame('7'));
    expect(await call.wire.next(isDtmf)).toEqual({ event: 'sendDTMF', dtmf: '7' });
    expect(call.wire.sent.filter(isDtmf)).toHaveLength(1);
  });

  test('with what is no key is a problem that the pipeline survives', async () => {
    await using call = await startPipeline();
    const problem = new Promise((resolve) => call.task.once('problem', resolve));
    call.task.queueFrame(new OutputDtmfFrame('x'));
    expect(await problem).toMatchObject({ code: 'VB_REQUEST_INVALID' });
    call.task.queueFrame(new OutputDtmfFrame('1'));
    await call.wire.next(isDtmf);
  });
});
