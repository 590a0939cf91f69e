import { z } from 'zod';
import { deferred } from '../../../../src/base/async/deferred.js';
import { LLMContext } from '../../../../src/bot/conversation/llm-context.js';
import type { Tool, ToolContext } from '../../../../src/bot/conversation/tool.js';
import { transferTool } from '../../../../src/bot/conversation/transfer-tool.js';
import {
  EndFrame,
  ErrorFrame,
  type Frame,
  FunctionCallsEndedFrame,
  FunctionCallsStartedFrame,
  LLMRunFrame,
  type ToolCall,
  type ToolResult,
  TTSSpeakFrame,
  Turn,
} from '../../../../src/bot/pipeline/frames/index.js';
import { END_WAIT_MS, FunctionRunner } from '../../../../src/bot/services/llm/function-runner.js';

type Execute = (input: unknown, context: ToolContext) => unknown;

const tool = (name: string, execute: Execute, more: Partial<Tool> = {}): Tool => ({
  name,
  description: name,
  parameters: z.object({}),
  execute,
  ...more,
});

const callOf = (name: string, input: unknown = {}): ToolCall => ({ id: `id-${name}`, name, input });
const never: Execute = () => new Promise(() => {});

/** A runner whose frames are kept, and a turn that can be interrupted. */
class RunnerRig {
  readonly pushed: Frame[] = [];
  readonly context: LLMContext;
  work = new AbortController();
  readonly runner = new FunctionRunner({
    push: (frame) => this.pushed.push(frame),
    broadcast: (create) => this.pushed.push(create()),
    signal: () => this.work.signal,
  });

  constructor(...tools: Tool[]) {
    this.context = new LLMContext({ tools });
  }

  run(...calls: ToolCall[]): Promise<boolean> {
    return this.runWith(calls, false);
  }

  runWith(calls: ToolCall[], hasSpoken: boolean): Promise<boolean> {
    const turn = new Turn(1);
    this.context.addToolCalls(this.context.beginResponse(turn), calls);
    return this.runner.run({ context: this.context, turn, calls, hasSpoken, signal: this.work.signal });
  }

  interrupt(): void {
    this.work.abort();
    this.work = new AbortController();
  }

  of<T extends Frame>(kind: abstract new (...args: never[]) => T): T[] {
    return this.pushed.flatMap((frame) => (frame instanceof kind ? [frame] : []));
  }

  /** Resolves when the functions have been told to have ended. */
  async ended(): Promise<readonly ToolResult[]> {
    const { results } = await waitFor(() => this.of(FunctionCallsEndedFrame)[0]);
    return results;
  }

  /** What the model is shown of the results. */
  get results(): ToolResult[] {
    return this.context.messages.flatMap((message) => (message.role === 'tool' ? message.results : []));
  }
}

afterEach(() => jest.useRealTimers());

test('gives the model the result, and has it go on', async () => {
  const rig = new RunnerRig(tool('time', () => ({ hour: 9 })));
  expect(await rig.run(callOf('time'))).toBe(true);
  expect(rig.results).toEqual([{ callId: 'id-time', name: 'time', output: { hour: 9 }, isError: false }]);
  expect(rig.pushed).toEqual([expect.any(FunctionCallsStartedFrame), expect.any(FunctionCallsEndedFrame)]);
});

test('runs the calls of one answer at once, and waits for all', async () => {
  const both = deferred();
  let running = 0;
  const meet: Execute = async () => {
    running += 1;
    if (running === 2) both.resolve();
    await both.promise;
    return running;
  };
  const rig = new RunnerRig(tool('a', meet), tool('b', meet));
  expect(await rig.run(callOf('a'), callOf('b'))).toBe(true);
  expect(rig.results.map(({ output }) => output)).toEqual([2, 2]);
  expect(rig.of(FunctionCallsStartedFrame)).toHaveLength(1);
  expect(rig.of(FunctionCallsEndedFrame)).toHaveLength(1);
});

test('mutes the caller when one of the functions wants it', async () => {
  const rig = new RunnerRig(
    tool('a', () => 1),
    tool('b', () => 1, { mutesCaller: true }),
  );
  await rig.run(callOf('a'), callOf('b'));
  await rig.run(callOf('a'));
  expect(rig.of(FunctionCallsStartedFrame).map(({ mutesCaller }) => mutesCaller)).toEqual([true, false]);
});

test('gives the function the checked input', async () => {
  const parameters = z.object({ count: z.string().transform(Number), unit: z.string().default('loaves') });
  const rig = new RunnerRig(tool('order', (input) => input, { parameters }));
  await rig.run(callOf('order', { count: '3' }));
  expect(rig.results[0]?.output).toEqual({ count: 3, unit: 'loaves' });
});

test('gives the function what the model gave where there is only a JSON Schema', async () => {
  const rig = new RunnerRig(tool('order', (input) => input, { parameters: { type: 'object' } }));
  await rig.run(callOf('order', { count: 'three' }));
  expect(rig.results[0]?.output).toEqual({ count: 'three' });
});

test('tells the model what does not fit in its input, and does not call the function', async () => {
  const execute = jest.fn<ReturnType<Execute>, Parameters<Execute>>();
  const parameters = z.object({ count: z.number(), to: z.object({ name: z.string() }) });
  const rig = new RunnerRig(tool('order', execute, { parameters, sayWhileRunning: 'One moment.' }));
  expect(await rig.run(callOf('order', { count: 'three', to: {} }))).toBe(true);
  expect(rig.results).toMatchObject([{ isError: true, output: expect.stringMatching(/count: .*; to\.name: /) }]);
  expect(execute).not.toHaveBeenCalled();
  expect(rig.of(TTSSpeakFrame)).toEqual([]);
});

test('tells the model which functions there are when it calls another', async () => {
  const rig = new RunnerRig(
    tool('a', () => 1),
    tool('b', () => 1),
  );
  await rig.run(callOf('c'));
  expect(rig.results).toMatchObject([{ isError: true, output: 'there is no function c; the functions are a, b' }]);
});

test.each([
  [
    'throws',
    () => {
      throw new Error('no flour');
    },
  ],
  [
    'rejects',
    async () => {
      throw new Error('no flour');
    },
  ],
  [
    'throws a text',
    () => {
      throw 'no flour';
    },
  ],
])('tells the model, and the developer, when a function %s', async (_, execute) => {
  const rig = new RunnerRig(tool('bake', execute));
  expect(await rig.run(callOf('bake'))).toBe(true);
  expect(rig.results).toMatchObject([{ isError: true, output: 'no flour' }]);
  expect(rig.of(ErrorFrame)).toMatchObject([
    { isFatal: false, source: 'function bake', error: { message: 'no flour' } },
  ]);
});

test('goes on when a function throws what cannot even be written', async () => {
  const rig = new RunnerRig(
    tool('bake', () => {
      throw Object.create(null);
    }),
  );
  expect(await rig.run(callOf('bake'))).toBe(true);
  expect(rig.results).toMatchObject([{ isError: true, output: 'it threw something that is no error' }]);
});

test('tells the model when a function hangs, and aborts its signal', async () => {
  jest.useFakeTimers();
  let signal: AbortSignal | undefined;
  const hang: Execute = (_, context) => {
    signal = context.signal;
    return new Promise(() => {});
  };
  const rig = new RunnerRig(tool('a', hang), tool('b', hang, { timeoutMs: 500 }));
  const done = rig.run(callOf('a'), callOf('b'));
  await jest.advanceTimersByTimeAsync(9_999);
  expect(rig.results).toMatchObject([
    { output: expect.stringContaining('still running') },
    { output: 'no result within 500 ms', isError: true },
  ]);
  await jest.advanceTimersByTimeAsync(1);
  expect(await done).toBe(true);
  expect(rig.results[0]).toMatchObject({ output: 'no result within 10000 ms', isError: true });
  expect(signal?.aborted).toBe(true);
  expect(rig.of(ErrorFrame)).toHaveLength(2);
});

test('a result that comes after the limit changes nothing', async () => {
  jest.useFakeTimers();
  const late = deferred<string>();
  const rig = new RunnerRig(tool('a', () => late.promise, { timeoutMs: 10 }));
  const done = rig.run(callOf('a'));
  await jest.advanceTimersByTimeAsync(10);
  late.resolve('late');
  await done;
  await jest.advanceTimersByTimeAsync(10);
  expect(rig.results).toMatchObject([{ output: 'no result within 10 ms' }]);
  expect(rig.of(FunctionCallsEndedFrame)).toHaveLength(1);
});

test('makes JSON of what is none', async () => {
  const cyclic: Record<string, unknown> = {};
  cyclic.self = cyclic;
  const rig = new RunnerRig(
    tool('nothing', () => undefined),
    tool('date', () => ({ at: new Date(0), left: undefined })),
    tool('function', () => () => {}),
    tool('cyclic', () => cyclic),
    tool('bigint', () => 1n),
  );
  await rig.run(...['nothing', 'date', 'function', 'cyclic', 'bigint'].map((name) => callOf(name)));
  const cannot = 'the result cannot be written as JSON';
  expect(rig.results.map(({ output }) => output)).toEqual([
    null,
    { at: '1970-01-01T00:00:00.000Z' },
    null,
    cannot,
    cannot,
  ]);
  expect(rig.results.map(({ isError }) => isError)).toEqual([false, false, false, true, true]);
});

describe('what a function says', () => {
  test('is behind what was said before, and resolves when it is on its way', async () => {
    const order: string[] = [];
    const speak: Execute = async (_, { say, spoken }) => {
      await say('I look it up.');
      order.push('said');
      await spoken();
      order.push('spoken');
    };
    const rig = new RunnerRig(tool('a', speak));
    const done = rig.run(callOf('a'));
    for (const text of ['I look it up.', '']) {
      const frame = await waitFor(() => rig.of(TTSSpeakFrame).find((speech) => speech.text === text));
      order.push(`pushed ${JSON.stringify(text)}`);
      frame.settle();
    }
    await done;
    expect(order).toEqual(['pushed "I look it up."', 'said', 'pushed ""', 'spoken']);
  });

  test('does not hold up a surviving function when the caller interrupts it', async () => {
    const speak: Execute = async (_, { say }) => {
      await say('I look it up.');
      return 'looked up';
    };
    const rig = new RunnerRig(tool('a', speak, { survivesInterruption: true }));
    const done = rig.run(callOf('a'));
    await waitFor(() => rig.of(TTSSpeakFrame)[0]);
    rig.interrupt();
    expect(await done).toBe(false);
    expect(await rig.ended()).toMatchObject([{ output: 'looked up' }]);
  });

  test('is not said after it has been cancelled', async () => {
    const begun = deferred();
    const goOn = deferred();
    const over = deferred();
    const speak: Execute = async (_, { say, spoken, endCall }) => {
      begun.resolve();
      await goOn.promise;
      await say('Too late.');
      await spoken();
      endCall();
      over.resolve();
    };
    const rig = new RunnerRig(tool('a', speak));
    const done = rig.run(callOf('a'));
    await begun.promise;
    rig.interrupt();
    await done;
    goOn.resolve();
    await over.promise;
    expect(rig.of(TTSSpeakFrame)).toEqual([]);
    expect(rig.of(EndFrame)).toEqual([]);
  });

  test('while it runs is said once for all calls, and not when the model has spoken', async () => {
    const more = { sayWhileRunning: 'One moment.' };
    const tools = [tool('a', () => 1, more), tool('b', () => 1, more)];
    const rig = new RunnerRig(...tools);
    await rig.run(callOf('a'), callOf('b'));
    expect(rig.of(TTSSpeakFrame).map(({ text }) => text)).toEqual(['One moment.']);
    await rig.runWith([callOf('a')], true);
    expect(rig.of(TTSSpeakFrame)).toHaveLength(1);
  });
});

test('a function can end the turn', async () => {
  const rig = new RunnerRig(
    tool('a', (_, { endTurn }) => endTurn()),
    tool('b', () => 1),
  );
  expect(await rig.run(callOf('a'), callOf('b'))).toBe(false);
  expect(rig.of(FunctionCallsEndedFrame)).toHaveLength(1);
});

test('a function can end the call, once, behind what it says', async () => {
  const bye: Execute = (_, { say, endCall }) => {
    void say('Good-bye.');
    endCall('voicemail');
    endCall();
  };
  const rig = new RunnerRig(tool('a', bye));
  expect(await rig.run(callOf('a'))).toBe(false);
  await waitFor(() => rig.of(EndFrame)[0]);
  expect(rig.pushed.filter((frame) => frame instanceof TTSSpeakFrame || frame instanceof EndFrame)).toEqual([
    expect.objectContaining({ text: 'Good-bye.' }),
    expect.objectContaining({ reason: 'voicemail' }),
  ]);
});

test('a function that has returned leaves its signal alone, and says nothing more', async () => {
  let context: ToolContext | undefined;
  const rig = new RunnerRig(
    tool('a', (_, given) => {
      context = given;
    }),
  );
  await rig.run(callOf('a'));
  rig.interrupt();
  rig.runner.close();
  expect(context?.signal.aborted).toBe(false);
  await context?.say('More.');
  context?.endCall();
  expect(rig.of(TTSSpeakFrame)).toEqual([]);
  expect(rig.of(EndFrame)).toEqual([]);
});

describe('an interruption', () => {
  test('stops the clock of what it cancels', async () => {
    jest.useFakeTimers();
    const rig = new RunnerRig(tool('a', never));
    const done = rig.run(callOf('a'));
    await jest.advanceTimersByTimeAsync(1);
    rig.interrupt();
    await done;
    expect(jest.getTimerCount()).toBe(0);
    expect(rig.of(ErrorFrame)).toEqual([]);
  });

  test('cancels what does not survive it, at once', async () => {
    let signal: AbortSignal | undefined;
    const rig = new RunnerRig(
      tool('a', (_, context) => {
        signal = context.signal;
        return new Promise(() => {});
      }),
    );
    const done = rig.run(callOf('a'));
    await waitFor(() => signal);
    rig.interrupt();
    expect(await done).toBe(false);
    expect(signal?.aborted).toBe(true);
    expect(await rig.ended()).toEqual([
      { callId: 'id-a', name: 'a', output: 'cancelled: the caller spoke', isError: true },
    ]);
    expect(rig.results).toMatchObject([{ output: 'cancelled: the caller spoke' }]);
    expect(rig.of(LLMRunFrame)).toEqual([]);
  });

  test('lets a function that survives it go on, and the model is asked when it returns', async () => {
    const transfer = deferred<string>();
    const rig = new RunnerRig(
      tool('a', () => transfer.promise, { survivesInterruption: true }),
      tool('b', never),
    );
    const done = rig.run(callOf('a'), callOf('b'));
    rig.interrupt();
    expect(await done).toBe(false);
    expect(rig.of(FunctionCallsEndedFrame)).toEqual([]);
    expect(rig.results).toMatchObject([
      { output: expect.stringContaining('still running') },
      { output: 'cancelled: the caller spoke' },
    ]);
    transfer.resolve('moved');
    await rig.ended();
    expect(rig.results[0]).toMatchObject({ output: 'moved', isError: false });
    expect(rig.pushed.slice(-2)).toEqual([expect.any(FunctionCallsEndedFrame), expect.any(LLMRunFrame)]);
  });

  test('does not have the model asked by a survivor that ends the turn', async () => {
    const goOn = deferred();
    const survive: Execute = async (_, { endTurn }) => {
      await goOn.promise;
      endTurn();
    };
    const rig = new RunnerRig(tool('a', survive, { survivesInterruption: true }));
    const done = rig.run(callOf('a'));
    rig.interrupt();
    await done;
    goOn.resolve();
    await rig.ended();
    expect(rig.of(LLMRunFrame)).toEqual([]);
  });

  test('does not call a function that has not begun', async () => {
    const execute = jest.fn<ReturnType<Execute>, Parameters<Execute>>();
    const rig = new RunnerRig(tool('a', execute));
    const done = rig.run(callOf('a'));
    rig.interrupt();
    await done;
    await rig.ended();
    expect(execute).not.toHaveBeenCalled();
  });

  test('keeps the result of a function that had returned before', async () => {
    const rig = new RunnerRig(
      tool('a', () => 'done'),
      tool('b', never),
    );
    const done = rig.run(callOf('a'), callOf('b'));
    await waitFor(() => rig.results.find(({ output }) => output === 'done'));
    rig.interrupt();
    await done;
    expect(await rig.ended()).toMatchObject([{ output: 'done' }, { output: 'cancelled: the caller spoke' }]);
  });
});

test('closing cancels everything, survivors too, and starts nothing more', async () => {
  let signal: AbortSignal | undefined;
  const survive: Execute = (_, context) => {
    signal = context.signal;
    return new Promise(() => {});
  };
  const rig = new RunnerRig(tool('a', survive, { survivesInterruption: true }));
  const done = rig.run(callOf('a'));
  await waitFor(() => signal);
  rig.interrupt();
  await done;
  rig.runner.close();
  rig.runner.close();
  expect(signal?.aborted).toBe(true);
  expect(await rig.ended()).toMatchObject([{ output: 'cancelled: the call is over' }]);
  expect(rig.of(LLMRunFrame)).toEqual([]);
  expect(await rig.run(callOf('a'))).toBe(false);
  expect(rig.of(FunctionCallsStartedFrame)).toHaveLength(1);
});

describe('the end of the call', () => {
  const ends = tool('end', (_, { endCall }) => endCall());

  test.each([
    ['in front', ['end', 'book']],
    ['behind', ['book', 'end']],
  ])('waits for another function of the same answer that is called %s', async (_, names) => {
    const booking = deferred<string>();
    let signal: AbortSignal | undefined;
    const book: Execute = (_input, context) => {
      signal = context.signal;
      return booking.promise;
    };
    const rig = new RunnerRig(ends, tool('book', book));
    const done = rig.run(...names.map((name) => callOf(name)));
    await waitFor(() => rig.results.find(({ name, output }) => name === 'end' && output === null));
    expect(rig.of(EndFrame)).toEqual([]);
    booking.resolve('booked');
    expect(await done).toBe(false);
    await waitFor(() => rig.of(EndFrame)[0]);
    expect(signal?.aborted).toBe(false);
    expect(rig.results.find(({ name }) => name === 'book')).toMatchObject({ output: 'booked', isError: false });
  });

  test('waits for what the function itself still does, and for what another says', async () => {
    const [saved, told] = [deferred(), deferred()];
    const save: Execute = async (_, { endCall }) => {
      endCall('voicemail');
      await saved.promise;
    };
    const tell: Execute = async (_, { say }) => {
      await told.promise;
      void say('It is booked.');
    };
    const rig = new RunnerRig(tool('save', save), tool('tell', tell));
    const done = rig.run(callOf('save'), callOf('tell'));
    told.resolve();
    await waitFor(() => rig.of(TTSSpeakFrame)[0]);
    expect(rig.of(EndFrame)).toEqual([]);
    saved.resolve();
    await done;
    await waitFor(() => rig.of(EndFrame)[0]);
    expect(
      rig.pushed.flatMap((frame) =>
        frame instanceof TTSSpeakFrame ? 'said' : frame instanceof EndFrame ? frame.reason : [],
      ),
    ).toEqual(['said', 'voicemail']);
  });

  test('waits for a function of an earlier answer that has survived an interruption', async () => {
    const booking = deferred();
    const rig = new RunnerRig(
      ends,
      tool('book', () => booking.promise, { survivesInterruption: true }),
    );
    const first = rig.run(callOf('book'));
    rig.interrupt();
    await first;
    await rig.run(callOf('end'));
    await waitFor(() => rig.results.find(({ name, output }) => name === 'end' && output === null));
    expect(rig.of(EndFrame)).toEqual([]);
    booking.resolve();
    await waitFor(() => rig.of(EndFrame)[0]);
  });

  test('waits ten seconds at most', async () => {
    jest.useFakeTimers();
    const rig = new RunnerRig(ends, tool('hang', never, { timeoutMs: 60_000 }));
    void rig.run(callOf('end'), callOf('hang'));
    await jest.advanceTimersByTimeAsync(END_WAIT_MS - 1);
    expect(rig.of(EndFrame)).toEqual([]);
    await jest.advanceTimersByTimeAsync(1);
    expect(rig.of(EndFrame)).toHaveLength(1);
    rig.runner.close();
    expect(END_WAIT_MS).toBe(10_000);
  });

  test('does not wait when the caller hangs up, and leaves no timer', async () => {
    jest.useFakeTimers();
    const rig = new RunnerRig(ends, tool('hang', never));
    const done = rig.run(callOf('end'), callOf('hang'));
    await jest.advanceTimersByTimeAsync(1);
    rig.runner.close();
    await done;
    await jest.advanceTimersByTimeAsync(1);
    expect(rig.results).toMatchObject([{ output: null }, { output: 'cancelled: the call is over' }]);
    expect([rig.of(EndFrame), jest.getTimerCount()]).toEqual([[], 0]);
  });

  test('that comes from elsewhere finds out what runs', async () => {
    const booking = deferred();
    const rig = new RunnerRig(tool('book', () => booking.promise, { survivesInterruption: true }));
    expect(rig.runner.underWay()).toBeUndefined();
    const done = rig.run(callOf('book'));
    rig.interrupt();
    await done;
    const work = rig.runner.underWay();
    expect(work).toBeInstanceOf(Promise);
    booking.resolve();
    await work;
    await rig.ended();
    expect(rig.runner.underWay()).toBeUndefined();
  });

  test('that a function wants does not wait for that function, nor for one that waits for the end as well', async () => {
    const found: unknown[] = [];
    const over = deferred();
    const hangUp: Execute = async () => {
      await Promise.resolve();
      found.push(rig.runner.underWay());
      await over.promise;
    };
    const rig = new RunnerRig(tool('a', hangUp), tool('b', hangUp));
    const done = rig.run(callOf('a'), callOf('b'));
    await waitFor(() => found[1] ?? (found.length === 2 ? 'nothing' : undefined));
    expect(found).toEqual([expect.any(Promise), undefined]);
    over.resolve();
    await done;
    await found[0];
  });

  test('does not wait for a transfer, which ends with the call', async () => {
    const transfer = transferTool({
      to: '+12025550101',
      transport: { transfer: () => new Promise(() => {}) },
    });
    const rig = new RunnerRig(transfer);
    void rig.run(callOf(transfer.name));
    const place = await waitFor(() => rig.of(TTSSpeakFrame)[0]);
    place.settle();
    expect(rig.runner.underWay()).toBeUndefined();
    rig.runner.close();
  });
});

/** @throws Error when there is nothing within five seconds */
async function waitFor<T>(find: () => T | undefined): Promise<T> {
  for (const deadline = performance.now() + 5_000; performance.now() < deadline; ) {
    const found = find();
    if (found !== undefined) return found;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error(`never found: ${find}`);
}
