import { once } from 'node:events';
import { CancelFrame, EndFrame } from '../../../src/bot/pipeline/frames/index.js';
import type { BotEndReason } from '../../../src/call/call.js';
import { HandLink } from './hand-link.js';
import { startPipeline } from './start-pipeline.js';
import { CALLER, DIALIN, startRoom } from './start-room.js';

const REASONS: readonly BotEndReason[] = ['bot_ended', 'provider_error', 'voicemail', 'screened'];

describe('on a media stream', () => {
  test.each(REASONS)(
    'the runner is told that the bot ends the call for %s before the stream closes',
    async (reason) => {
      await using call = await startPipeline();
      const link = new HandLink(call.stream.bot);
      let isOpenThen = false;
      link.onEnding = () => {
        isOpenThen = call.stream.bot.readyState === call.stream.bot.OPEN;
      };
      call.task.queueFrame(new EndFrame(reason));
      await call.run;
      expect(link.endings).toEqual([reason]);
      expect(isOpenThen).toBe(true);
    },
  );

  test('a bot that has no call any more ends nothing', async () => {
    await using call = await startPipeline();
    const link = new HandLink(call.stream.bot);
    call.stream.carrier.close(1000);
    await once(call.stream.bot, 'close');
    call.task.queueFrame(new EndFrame('provider_error'));
    await call.run;
    expect(link.endings).toEqual([]);
  });

  test('a pipeline that is cancelled gives no reason', async () => {
    await using call = await startPipeline();
    const link = new HandLink(call.stream.bot);
    call.task.queueFrame(new CancelFrame());
    await call.run;
    expect(link.endings).toEqual([]);
  });
});

describe('in a room', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  test.each(REASONS)('the runner is told that the bot ends the call for %s', async (reason) => {
    const call = await startRoom({ params: { dialinSettings: DIALIN }, past: { isForwarded: true } });
    call.room.comes(CALLER);
    await call.turn();
    call.task.queueFrame(new EndFrame(reason));
    await call.wait(100);
    await call.run;
    expect(call.link.types.filter((type) => type.startsWith('over'))).toEqual([`over ${reason}`]);
  });

  test('what the caller did first is what counts', async () => {
    const call = await startRoom({ params: { dialinSettings: DIALIN }, past: { isForwarded: true } });
    call.room.comes(CALLER);
    await call.turn();
    call.room.tell('dialin_stopped', { sessionId: CALLER.sessionId });
    call.task.queueFrame(new EndFrame('provider_error'));
    await call.wait(100);
    await call.run;
    expect(call.link.types.filter((type) => type.startsWith('over'))).toEqual(['over caller_hung_up']);
  });
});
