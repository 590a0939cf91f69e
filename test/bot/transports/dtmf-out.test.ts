import { DtmfDetector } from '../../../src/base/audio/dtmf.js';
import { levelDb } from '../../../src/base/audio/level.js';
import { decodeMulaw } from '../../../src/base/audio/mulaw.js';
import {
  BotStartedSpeakingFrame,
  BotStoppedSpeakingFrame,
  InterruptionFrame,
  OutputAudioFrame,
  OutputDtmfFrame,
} from '../../../src/bot/pipeline/frames/index.js';
import { hurried } from '../../hasty-clock.js';
import { START, STREAM_ID } from './fake-stream.js';
import { startPipeline, tone } from './start-pipeline.js';

hurried();

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

describe('where the carrier’s streams carry no keys', () => {
  const withoutKeys = () => startPipeline({}, undefined, JSON.stringify(START), undefined, { pressesKeys: false });
  const heardOf = ({ wire }: Call) => {
    const payloads = wire.sent.flatMap(({ media }) => (media ? [Buffer.from(media.payload, 'base64')] : []));
    return decodeMulaw(Buffer.concat(payloads));
  };
  /** The carrier says of every mark that it has been played. */
  const acknowledge = ({ stream }: Call) =>
    stream.carrier.on('message', (data) => {
      const { event, name } = JSON.parse(String(data));
      if (event === 'checkpoint')
        stream.carrier.send(JSON.stringify({ event: 'playedStream', streamId: STREAM_ID, name }));
    });

  test('their tones are heard, all sixteen, 100 ms each and 100 ms apart, at the level of a telephone', async () => {
    await using call = await withoutKeys();
    acknowledge(call);
    await call.transport.sendDtmf('12*#');
    await wireIsIdle(call);
    const pcm = heardOf(call);
    expect(new DtmfDetector(8_000).process(pcm)).toEqual(['1', '2', '*', '#']);
    expect(pcm).toHaveLength(4 * 1_600);
    expect(levelDb(pcm.subarray(0, 800))).toBeCloseTo(-10, 0);
    expect(levelDb(pcm.subarray(800, 1_600))).toBeLessThan(-60);
    expect(call.wire.sent.map(({ event }) => event)).not.toContain('sendDTMF');
  });

  test('they wait for what was said before, are nobody’s speech, and what is said next waits for them', async () => {
    await using call = await withoutKeys();
    acknowledge(call);
    call.task.queueFrame(new OutputAudioFrame(tone(100), 8_000));
    call.task.queueFrame(new OutputDtmfFrame('5'));
    call.task.queueFrame(new OutputAudioFrame(tone(100), 8_000));
    await call.transport.sendDtmf('9');
    const pcm = heardOf(call);
    expect(pcm).toHaveLength(800 + 1_600 + 800 + 1_600);
    expect(new DtmfDetector(8_000).process(pcm)).toEqual(['5', '9']);
    expect(new DtmfDetector(8_000).process(pcm.subarray(800, 2_400))).toEqual(['5']);
    expect(call.after.of(BotStartedSpeakingFrame)).toHaveLength(2);
    expect(call.after.of(BotStoppedSpeakingFrame).map(({ heardMs }) => heardMs)).toEqual([100, 100]);
  });

  test('an interruption drops what is said before them, and none of them', async () => {
    await using call = await withoutKeys();
    acknowledge(call);
    call.task.queueFrame(new OutputAudioFrame(tone(5_000), 8_000));
    const pressed = call.transport.sendDtmf('42');
    await call.wire.next(({ event }) => event === 'playAudio');
    call.task.queueFrame(new InterruptionFrame());
    await call.wire.next(({ event }) => event === 'clearAudio');
    call.task.queueFrame(new InterruptionFrame());
    await pressed;
    const frames = call.wire.sent.slice(
      0,
      call.wire.sent.findIndex(({ event }) => event === 'clearAudio'),
    );
    const before = frames.filter(({ media }) => media).length * 160;
    expect(before).toBeLessThan(5_000 * 8);
    expect(new DtmfDetector(8_000).process(heardOf(call).subarray(before))).toEqual(['4', '2']);
    expect(call.wire.sent.filter(({ event }) => event === 'clearAudio')).toHaveLength(1);
  });

  test.each(['', '1 2', '12x', '1'.repeat(65)])('%j are no keys', async (digits) => {
    await using call = await withoutKeys();
    await expect(call.transport.sendDtmf(digits)).rejects.toMatchObject({ code: 'VB_REQUEST_INVALID' });
    const problem = new Promise((resolve) => call.task.once('problem', resolve));
    call.task.queueFrame(new OutputDtmfFrame(digits));
    expect(await problem).toMatchObject({ code: 'VB_REQUEST_INVALID' });
    await wireIsIdle(call);
    expect(call.wire.sent).toEqual([]);
  });

  test('they are refused when the stream closes before they are heard, and after', async () => {
    await using call = await withoutKeys();
    const pressed = call.transport.sendDtmf('1234567890');
    await call.wire.next(({ event }) => event === 'playAudio');
    call.stream.carrier.close();
    await expect(pressed).rejects.toMatchObject({ code: 'VB_STREAM_CLOSED' });
    await call.run;
    await expect(call.transport.sendDtmf('1')).rejects.toMatchObject({ code: 'VB_STREAM_CLOSED' });
  });
});
