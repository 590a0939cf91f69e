import {
  BotStartedSpeakingFrame,
  BotStoppedSpeakingFrame,
  CancelFrame,
  DataFrame,
  DtmfFrame,
  EndFrame,
  ErrorFrame,
  type Frame,
  type FrameDirection,
  InputAudioFrame,
  InterimTranscriptionFrame,
  StartFrame,
  TranscriptionFrame,
  UserStartedSpeakingFrame,
  UserStoppedSpeakingFrame,
  UserWordsFrame,
} from '../../../src/bot/pipeline/frames/index.js';
import { FrameProcessor, Pipeline, PipelineTask } from '../../../src/bot/pipeline/index.js';
import { Recorder } from './recorder.js';

afterEach(() => {
  jest.useRealTimers();
});

class Note extends DataFrame {}

class CleanedUp extends Recorder {
  cleanups = 0;
  override cleanup(): void {
    this.cleanups += 1;
  }
}

test('run() resolves when the end frame has come out, after what was queued before it', async () => {
  const processor = new CleanedUp();
  const task = new PipelineTask(new Pipeline([processor]));
  const run = task.run();
  task.queueFrame(new Note());
  task.queueFrame(new EndFrame());
  await run;
  expect(processor.seen.map(({ frame }) => frame.constructor.name)).toEqual(['StartFrame', 'Note', 'EndFrame']);
  expect(processor.cleanups).toBe(1);
});

test('the start frame carries the sample rates', async () => {
  const processor = new Recorder();
  const task = new PipelineTask(new Pipeline([processor]), { audioInSampleRate: 16_000, audioOutSampleRate: 24_000 });
  task.queueFrame(new EndFrame());
  await task.run();
  expect(processor.of(StartFrame)).toMatchObject([{ audioInSampleRate: 16_000, audioOutSampleRate: 24_000 }]);
});

test('cancel() ends at once, even while a processor is busy', async () => {
  class Stuck extends FrameProcessor {
    override process(frame: Frame, direction: FrameDirection): void | Promise<void> {
      if (frame instanceof Note) return new Promise(() => {});
      this.push(frame, direction);
    }
  }
  const task = new PipelineTask(new Pipeline([new Stuck()]));
  const run = task.run();
  task.queueFrame(new Note());
  await task.cancel();
  await run;
});

test('an aborted signal cancels, before or after the start', async () => {
  const abort = new AbortController();
  const processor = new Recorder();
  const run = new PipelineTask(new Pipeline([processor]), { signal: abort.signal }).run();
  abort.abort();
  await run;
  await new PipelineTask(new Pipeline([new Recorder()]), { signal: abort.signal }).run();
  expect(processor.of(CancelFrame)).toMatchObject([{ reason: 'cancelled' }]);
});

test('a failing processor is reported and the pipeline goes on', async () => {
  class Faulty extends Recorder {
    override process(frame: Frame, direction: FrameDirection): void {
      if (frame instanceof Note) throw new Error('broken');
      super.process(frame, direction);
    }
  }
  const problems: Array<[string, string | undefined]> = [];
  const task = new PipelineTask(new Pipeline([new Recorder(), new Faulty()]));
  task.on('problem', (error, source) => problems.push([error.message, source]));
  const run = task.run();
  task.queueFrame(new Note());
  task.queueFrame(new EndFrame());
  await run;
  expect(problems).toEqual([['broken', 'Faulty']]);
});

test('a fatal error ends the task with that error and leaves the call for another bot', async () => {
  const fatal = new Error('no way on');
  class Fatal extends FrameProcessor {
    override process(frame: Frame, direction: FrameDirection): void {
      if (frame instanceof Note) this.push(new ErrorFrame(fatal, true), 'upstream');
      else this.push(frame, direction);
    }
  }
  const last = new CleanedUp();
  const task = new PipelineTask(new Pipeline([new Fatal(), last]));
  const run = task.run();
  task.queueFrame(new Note());
  await expect(run).rejects.toBe(fatal);
  expect(last.of(CancelFrame)).toMatchObject([{ reason: 'failed' }]);
  expect(last.cleanups).toBe(1);
});

test('run() may be called once, cancel() not before it', async () => {
  const task = new PipelineTask(new Pipeline([]));
  await expect(task.cancel()).rejects.toMatchObject({ code: 'VB_PIPELINE_FAILED' });
  task.queueFrame(new EndFrame());
  await task.run();
  await expect(task.run()).rejects.toMatchObject({ code: 'VB_PIPELINE_FAILED' });
});

test('every bad option is named at once', () => {
  const options = { audioInSampleRate: 11_025, audioOutSampleRate: 0, idleTimeoutMs: -1 };
  expect(() => new PipelineTask(new Pipeline([]), options)).toThrow(
    /audioInSampleRate.*11025.*audioOutSampleRate.*idleTimeoutMs/,
  );
});

describe('the idle limit', () => {
  const start = (idleTimeoutMs: number) => {
    jest.useFakeTimers();
    const processor = new Recorder();
    const task = new PipelineTask(new Pipeline([processor]), { idleTimeoutMs });
    return { processor, task, run: task.run() };
  };

  test('cancels when nobody speaks; caller audio alone is no activity', async () => {
    const { processor, task, run } = start(1_000);
    let isIdle = false;
    task.on('idle', () => {
      isIdle = true;
    });
    await jest.advanceTimersByTimeAsync(600);
    task.queueFrame(new InputAudioFrame(new Int16Array(160), 8_000));
    await jest.advanceTimersByTimeAsync(400);
    await run;
    expect(isIdle).toBe(true);
    expect(processor.of(CancelFrame)).toMatchObject([{ reason: 'idle' }]);
  });

  test.each([
    ['a voice', () => [new UserStartedSpeakingFrame(), new UserStoppedSpeakingFrame()]],
    ['words that are none', () => [new TranscriptionFrame(' '), new InterimTranscriptionFrame('')]],
  ])('is not put off by %s: it may be noise', async (_title, frames) => {
    const { processor, task, run } = start(1_000);
    for (let ms = 0; ms < 1_000; ms += 100) {
      for (const frame of frames()) task.queueFrame(frame);
      await jest.advanceTimersByTimeAsync(100);
    }
    await run;
    expect(processor.of(CancelFrame)).toMatchObject([{ reason: 'idle' }]);
  });

  test.each([
    ['final words', () => new TranscriptionFrame('Yes.')],
    ['words that may change', () => new InterimTranscriptionFrame('Yes')],
    ['words that a conversation has kept', () => new UserWordsFrame()],
  ])('starts anew with %s', async (_title, words) => {
    const { processor, task, run } = start(1_000);
    await jest.advanceTimersByTimeAsync(900);
    task.queueFrame(words());
    await jest.advanceTimersByTimeAsync(900);
    expect(processor.of(CancelFrame)).toEqual([]);
    await jest.advanceTimersByTimeAsync(100);
    await run;
  });

  test('starts anew with every key, and waits while the bot speaks', async () => {
    const { processor, task, run } = start(1_000);
    await jest.advanceTimersByTimeAsync(600);
    task.queueFrame(new DtmfFrame('1'));
    await jest.advanceTimersByTimeAsync(600);
    task.queueFrame(new BotStartedSpeakingFrame());
    await jest.advanceTimersByTimeAsync(5_000);
    task.queueFrame(new BotStoppedSpeakingFrame(5_000, false));
    await jest.advanceTimersByTimeAsync(900);
    expect(processor.of(CancelFrame)).toEqual([]);
    await jest.advanceTimersByTimeAsync(100);
    await run;
    expect(processor.of(CancelFrame)).toHaveLength(1);
  });

  test('of 0 never ends a call', async () => {
    const { processor, task, run } = start(0);
    await jest.advanceTimersByTimeAsync(24 * 3_600_000);
    expect(processor.of(CancelFrame)).toEqual([]);
    task.queueFrame(new EndFrame());
    await run;
  });
});
