import { deferred } from '../../../src/base/async/deferred.js';
import { MAX_WAITING_INPUT_MS, MAX_WAITING_OUTPUT_MS } from '../../../src/bot/pipeline/frame-queue.js';
import {
  CancelFrame,
  DataFrame,
  DtmfFrame,
  EndFrame,
  ErrorFrame,
  type Frame,
  type FrameDirection,
  InputAudioFrame,
  InterruptionFrame,
  OutputAudioFrame,
  StartFrame,
  UserStartedSpeakingFrame,
} from '../../../src/bot/pipeline/frames/index.js';
import { FrameProcessor } from '../../../src/bot/pipeline/index.js';
import { Recorder } from './recorder.js';

class Note extends DataFrame {
  constructor(readonly text: string) {
    super();
  }
}

/** Works on each note until told to go on, then passes it on unless the work was aborted. */
class SlowWorker extends FrameProcessor {
  readonly started: string[] = [];
  readonly aborted: string[] = [];
  goOn = deferred();

  override process(frame: Frame, direction: FrameDirection): void | Promise<void> {
    if (frame instanceof Note) return this.#work(frame, direction);
    this.push(frame, direction);
  }

  async #work(frame: Note, direction: FrameDirection): Promise<void> {
    const { signal } = this;
    this.started.push(frame.text);
    await Promise.race([
      this.goOn.promise,
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    ]).catch((error: unknown) => {
      this.aborted.push(frame.text);
      throw error;
    });
    this.push(frame, direction);
  }

  interruptNow(): void {
    this.interrupt();
  }
}

function chain(...processors: FrameProcessor[]): { head: FrameProcessor; before: Recorder; after: Recorder } {
  const [before, after] = [new Recorder(), new Recorder()];
  const all = [before, ...processors, after];
  all.reduce((previous, next) => {
    previous.link(next);
    return next;
  });
  before.receive(new StartFrame(8_000, 8_000), 'downstream');
  return { head: before, before, after };
}

const texts = (recorder: Recorder) => recorder.of(Note).map(({ text }) => text);
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('a frame crosses processors that return nothing within the same turn', () => {
  const { head, after } = chain(new Recorder(), new Recorder(), new Recorder());
  head.receive(new Note('now'), 'downstream');
  expect(texts(after)).toEqual(['now']);
});

test('data frames wait for an earlier one and stay in order', async () => {
  const worker = new SlowWorker();
  const { head, after } = chain(worker);
  for (const text of ['1', '2', '3']) head.receive(new Note(text), 'downstream');
  await settled();
  expect(worker.started).toEqual(['1']);
  worker.goOn.resolve();
  await settled();
  expect(texts(after)).toEqual(['1', '2', '3']);
});

test('a system frame overtakes data that is being worked on', async () => {
  const { head, after } = chain(new SlowWorker());
  head.receive(new Note('slow'), 'downstream');
  head.receive(new UserStartedSpeakingFrame(), 'downstream');
  await settled();
  expect(after.of(UserStartedSpeakingFrame)).toHaveLength(1);
  expect(texts(after)).toEqual([]);
});

test('one direction does not wait for the other', async () => {
  const { head, before, after } = chain(new SlowWorker());
  head.receive(new Note('down'), 'downstream');
  after.receive(new EndFrame(), 'upstream');
  await settled();
  expect(before.of(EndFrame)).toHaveLength(1);
});

test('frames pushed back to a processor from within its own work wait their turn', () => {
  const order: string[] = [];
  class Bouncer extends FrameProcessor {
    override process(frame: Frame): void {
      if (!(frame instanceof Note)) return;
      order.push(`begin ${frame.text}`);
      if (frame.text === 'a') this.receive(new Note('b'), 'downstream');
      order.push(`end ${frame.text}`);
    }
  }
  const { head } = chain(new Bouncer());
  head.receive(new Note('a'), 'downstream');
  expect(order).toEqual(['begin a', 'end a', 'begin b', 'end b']);
});

test('data waits until the start frame has been handled', async () => {
  const ready = deferred();
  class SlowStarter extends Recorder {
    override async process(frame: Frame, direction: FrameDirection): Promise<void> {
      if (frame instanceof StartFrame) await ready.promise;
      super.process(frame, direction);
    }
  }
  const { head, after } = chain(new SlowStarter());
  head.receive(new Note('early'), 'downstream');
  await settled();
  expect(texts(after)).toEqual([]);
  ready.resolve();
  await settled();
  expect(texts(after)).toEqual(['early']);
  expect(after.seen[0]?.frame).toBeInstanceOf(StartFrame);
});

describe('an interruption', () => {
  test('drops what waits, aborts what is in flight, and keeps keys, caller audio and the end', async () => {
    const worker = new SlowWorker();
    const { head, after, before } = chain(worker);
    head.receive(new Note('in flight'), 'downstream');
    head.receive(new OutputAudioFrame(new Int16Array(160), 8_000), 'downstream');
    head.receive(new DtmfFrame('5'), 'downstream');
    head.receive(new InputAudioFrame(new Int16Array(160), 8_000), 'downstream');
    head.receive(new EndFrame(), 'downstream');
    head.receive(new InterruptionFrame(), 'downstream');
    await settled();
    expect(worker.aborted).toEqual(['in flight']);
    const arrived = after.seen.map(({ frame }) => frame.constructor.name);
    expect(arrived).toEqual(['StartFrame', 'InterruptionFrame', 'DtmfFrame', 'InputAudioFrame', 'EndFrame']);
    expect(before.of(ErrorFrame)).toEqual([]);
  });

  test('that a processor starts reaches its neighbours on both sides and its own queue', async () => {
    const worker = new SlowWorker();
    const { head, before, after } = chain(worker);
    head.receive(new Note('in flight'), 'downstream');
    head.receive(new Note('waiting'), 'downstream');
    worker.interruptNow();
    await settled();
    expect(before.of(InterruptionFrame)).toHaveLength(1);
    expect(after.of(InterruptionFrame)).toHaveLength(1);
    expect(worker.started).toEqual(['in flight']);
  });

  test('leaves a fresh signal for the work that follows', async () => {
    const worker = new SlowWorker();
    const { head, after } = chain(worker);
    head.receive(new Note('first'), 'downstream');
    worker.interruptNow();
    await settled();
    worker.goOn.resolve();
    head.receive(new Note('second'), 'downstream');
    await settled();
    expect(texts(after)).toEqual(['second']);
  });
});

describe('an error', () => {
  class Faulty extends FrameProcessor {
    override process(frame: Frame, direction: FrameDirection): void | Promise<void> {
      if (frame instanceof Note && frame.text === 'throw') throw new TypeError('thrown');
      if (frame instanceof Note && frame.text === 'reject') return Promise.reject(new RangeError('rejected'));
      this.push(frame, direction);
    }
  }

  test.each([
    ['throw', 'thrown'],
    ['reject', 'rejected'],
  ])('from a %s becomes an error frame upstream and later frames go on', async (kind, message) => {
    const { head, before, after } = chain(new Faulty());
    head.receive(new Note(kind), 'downstream');
    head.receive(new Note('next'), 'downstream');
    await settled();
    const [frame] = before.of(ErrorFrame);
    expect(frame?.error.message).toBe(message);
    expect(frame?.isFatal).toBe(false);
    expect(frame?.source).toBe('Faulty');
    expect(texts(after)).toEqual(['next']);
  });
});

test('a cancelled processor takes no more data', () => {
  const { head, after } = chain(new Recorder());
  head.receive(new CancelFrame(), 'downstream');
  head.receive(new Note('late'), 'downstream');
  expect(texts(after)).toEqual([]);
});

test('caller audio that waits too long is dropped oldest first', async () => {
  const worker = new SlowWorker();
  const { head, after } = chain(worker);
  head.receive(new Note('busy'), 'downstream');
  const kept = MAX_WAITING_INPUT_MS / 1_000;
  for (let second = 0; second < kept + 5; second += 1) {
    head.receive(new InputAudioFrame(new Int16Array(8_000).fill(second), 8_000), 'downstream');
  }
  worker.goOn.resolve();
  await settled();
  expect(after.of(InputAudioFrame).map(({ pcm }) => pcm[0])).toEqual(Array.from({ length: kept }, (_, at) => at + 5));
});

test('bot audio that waits too long is dropped oldest first, but never the only frame', async () => {
  const worker = new SlowWorker();
  const { head, after } = chain(worker);
  head.receive(new Note('busy'), 'downstream');
  head.receive(new OutputAudioFrame(new Int16Array(8), 8), 'downstream');
  head.receive(new OutputAudioFrame(new Int16Array((2 * MAX_WAITING_OUTPUT_MS) / 1_000), 1), 'downstream');
  worker.goOn.resolve();
  await settled();
  expect(after.of(OutputAudioFrame).map(({ sampleRate }) => sampleRate)).toEqual([1]);
});
