import { z } from 'zod';
import { deferred } from '../../../../src/base/async/deferred.js';
import type { Tool } from '../../../../src/bot/conversation/tool.js';
import {
  CancelFrame,
  EndFrame,
  ErrorFrame,
  FunctionCallsEndedFrame,
  FunctionCallsStartedFrame,
  LLMResponseEndFrame,
  LLMResponseStartFrame,
  LLMRunFrame,
} from '../../../../src/bot/pipeline/frames/index.js';
import { FakeLanguageModel, type FakeModelReply } from '../../../../src/lab/kit/index.js';
import { LLMRig, until } from './llm-rig.js';

const weather: Tool<{ place: string }> = {
  name: 'weather',
  description: 'Tells the weather of a place',
  parameters: z.object({ place: z.string() }),
  execute: ({ place }) => ({ place, sky: 'clear' }),
};
const callWeather: FakeModelReply = { toolCalls: [{ name: 'weather', input: { place: 'Bern' } }] };

test('runs what the model calls, and has it answer to the result in the same turn', async () => {
  await using fake = await FakeLanguageModel.start({
    replies: (messages) =>
      messages.at(-1)?.role === 'tool' ? { text: 'A clear sky.' } : { ...callWeather, text: 'Let me see.' },
  });
  const rig = new LLMRig(fake, { tools: [weather as Tool] });
  await rig.ask();

  expect(rig.pushed.filter((name) => name !== 'LLMTextFrame')).toEqual([
    'LLMResponseStartFrame',
    'LLMResponseEndFrame',
    'FunctionCallsStartedFrame',
    'FunctionCallsEndedFrame',
    'LLMResponseStartFrame',
    'LLMResponseEndFrame',
  ]);
  expect(rig.before.of(FunctionCallsStartedFrame)).toHaveLength(1);
  expect(rig.before.of(FunctionCallsEndedFrame)).toHaveLength(1);
  const [first, second] = rig.after.of(LLMResponseStartFrame).map(({ response }) => response);
  expect(first?.turn).toBe(second?.turn);
  expect(first?.id).not.toBe(second?.id);
  expect(rig.context.messages.slice(1)).toMatchObject([
    { role: 'assistant', content: 'Let me see.' },
    { role: 'assistant', content: '', toolCalls: [{ name: 'weather', input: { place: 'Bern' } }] },
    { role: 'tool', results: [{ output: { place: 'Bern', sky: 'clear' }, isError: false }] },
    { role: 'assistant', content: 'A clear sky.' },
  ]);
  const shown = fake.requests[1]?.messages ?? [];
  expect(shown.slice(-2)).toMatchObject([
    { role: 'assistant', text: 'Let me see.', toolCalls: [{ name: 'weather', input: { place: 'Bern' } }] },
    { role: 'tool', text: '{"place":"Bern","sky":"clear"}', toolCallId: shown.at(-2)?.toolCalls[0]?.id },
  ]);
});

test('runs several calls of one answer', async () => {
  const places = ['Bern', 'Basel'];
  const toolCalls = places.map((place) => ({ name: 'weather', input: { place } }));
  await using fake = await FakeLanguageModel.start({ replies: [{ toolCalls }, { text: 'Clear in both.' }] });
  const rig = new LLMRig(fake, { tools: [weather as Tool] });
  await rig.ask();
  expect(rig.after.of(FunctionCallsEndedFrame)[0]?.results.map(({ output }) => output)).toEqual(
    places.map((place) => ({ place, sky: 'clear' })),
  );
  expect(fake.requests[1]?.messages.filter(({ role }) => role === 'tool')).toHaveLength(2);
  expect(rig.text).toBe('Clear in both.');
});

test.each([
  ['that it cannot read as JSON', '{"place": "Be', 'does not fit'],
  ['that do not fit', { place: 7 }, 'place: '],
  ['of a function that is not there', undefined, 'there is no function'],
])('tells the model of calls %s', async (_, input, words) => {
  const call = input === undefined ? { name: 'oven', input: {} } : { name: 'weather', input };
  await using fake = await FakeLanguageModel.start({ replies: [{ toolCalls: [call] }, { text: 'I cannot.' }] });
  const rig = new LLMRig(fake, { tools: [weather as Tool] });
  await rig.ask();
  expect(fake.requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', text: expect.stringContaining(words) });
  expect(rig.text).toBe('I cannot.');
  expect(rig.errors).toEqual([]);
});

test('the call goes on when a function hangs or throws', async () => {
  const tools: Tool[] = [
    { ...weather, name: 'hangs', timeoutMs: 50, parameters: z.object({}), execute: () => new Promise(() => {}) },
    {
      ...weather,
      name: 'throws',
      parameters: z.object({}),
      execute: () => {
        throw new Error('no flour');
      },
    },
  ];
  const toolCalls = tools.map(({ name }) => ({ name, input: {} }));
  await using fake = await FakeLanguageModel.start({ replies: [{ toolCalls }, { text: 'I cannot find out.' }] });
  const rig = new LLMRig(fake, { tools });
  await rig.ask();
  expect(fake.requests[1]?.messages.slice(-2)).toMatchObject([
    { text: expect.stringContaining('no result within 50 ms') },
    { text: expect.stringContaining('no flour') },
  ]);
  expect(rig.text).toBe('I cannot find out.');
  expect(rig.before.of(ErrorFrame).map(({ isFatal, source }) => ({ isFatal, source }))).toEqual([
    { isFatal: false, source: 'function throws' },
    { isFatal: false, source: 'function hangs' },
  ]);
});

test('has the model answer in words at the last step', async () => {
  await using fake = await FakeLanguageModel.start({
    replies: (_, { body }) => (body.tool_choice === 'none' ? { text: 'Enough.' } : callWeather),
  });
  const rig = new LLMRig(fake, { tools: [weather as Tool], options: { maxSteps: 3 } });
  await rig.ask();
  expect(fake.requests).toHaveLength(3);
  expect(rig.text).toBe('Enough.');
  expect(rig.errors).toEqual([]);
});

test('gives up on a model that does nothing but call functions, and holds no call without a result', async () => {
  await using fake = await FakeLanguageModel.start({ replies: callWeather });
  const rig = new LLMRig(fake, { tools: [weather as Tool], options: { maxSteps: 3 } });
  await rig.ask();
  expect(rig.errors.at(-1)).toMatchObject({ isFinal: true });
  expect(rig.context.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'tool']);
});

test('takes the words of an answer that calls functions at the last step', async () => {
  await using fake = await FakeLanguageModel.start({ replies: { ...callWeather, text: 'Let me see.' } });
  const rig = new LLMRig(fake, { tools: [weather as Tool], options: { maxSteps: 1 } });
  await rig.ask();
  expect(rig.text).toBe('Let me see.');
  expect(rig.errors).toEqual([]);
  expect(rig.after.of(FunctionCallsStartedFrame)).toEqual([]);
});

test('drops the calls of an answer that breaks off before its end', async () => {
  await using fake = await FakeLanguageModel.start({
    replies: [{ ...callWeather, text: 'Let me see.', error: 'Overloaded' }, { text: 'I cannot.' }],
  });
  const rig = new LLMRig(fake, { tools: [weather as Tool] });
  await rig.ask();
  expect(rig.after.of(FunctionCallsStartedFrame)).toEqual([]);
  expect(rig.after.of(LLMResponseEndFrame)).toHaveLength(2);
});

test('does not ask the model again after a function that ends the turn', async () => {
  const tools: Tool[] = [{ ...weather, parameters: z.any(), execute: (_, { endTurn }) => endTurn() }];
  await using fake = await FakeLanguageModel.start({ replies: callWeather });
  await new LLMRig(fake, { tools }).ask();
  expect(fake.requests).toHaveLength(1);
});

test('an interruption lets the turn go while a function runs, and its result has the model asked later', async () => {
  const result = deferred<string>();
  const tools: Tool[] = [
    { ...weather, parameters: z.any(), survivesInterruption: true, execute: () => result.promise },
  ];
  await using fake = await FakeLanguageModel.start({ replies: [callWeather, { text: 'I am on it.' }] });
  const rig = new LLMRig(fake, { tools });
  const done = rig.ask();
  await until(() => rig.after.of(FunctionCallsStartedFrame).length === 1);
  rig.interrupt();
  await done;
  rig.context.addCallerWords('Are you there?');
  await rig.ask();
  expect(fake.requests[1]?.messages).toContainEqual(
    expect.objectContaining({ role: 'tool', text: expect.stringContaining('still running') }),
  );
  expect(rig.text).toBe('I am on it.');
  result.resolve('rain');
  await until(() => rig.before.of(LLMRunFrame).length === 1);
  expect(rig.context.messages).toContainEqual(
    expect.objectContaining({ role: 'tool', results: [expect.objectContaining({ output: 'rain' })] }),
  );
});

test.each(['cancellation', 'cleanup'] as const)('%s aborts what runs', async (end) => {
  let signal: AbortSignal | undefined;
  const tools: Tool[] = [
    {
      ...weather,
      parameters: z.any(),
      survivesInterruption: true,
      execute: (_, context) => {
        signal = context.signal;
        return new Promise(() => {});
      },
    },
  ];
  await using fake = await FakeLanguageModel.start({ replies: [callWeather] });
  const rig = new LLMRig(fake, { tools });
  const done = rig.ask();
  await until(() => signal !== undefined);
  rig.interrupt();
  await done;
  expect(signal?.aborted).toBe(false);
  if (end === 'cleanup') rig.service.cleanup();
  else rig.before.receive(new CancelFrame(), 'downstream');
  expect(signal?.aborted).toBe(true);
  await until(() => rig.after.of(FunctionCallsEndedFrame).length === 1);
  expect(rig.before.of(LLMRunFrame)).toEqual([]);
});

describe('an end of the pipeline', () => {
  async function withSurvivor() {
    const booking = deferred<string>();
    let signal: AbortSignal | undefined;
    const book: Tool = {
      ...weather,
      parameters: z.any(),
      survivesInterruption: true,
      execute: (_, context) => {
        signal = context.signal;
        return booking.promise;
      },
    };
    const fake = await FakeLanguageModel.start({ replies: [callWeather] });
    const rig = new LLMRig(fake, { tools: [book] });
    const done = rig.ask();
    await until(() => signal !== undefined);
    rig.interrupt();
    await done;
    return { rig, booking, isAborted: () => signal?.aborted, [Symbol.asyncDispose]: () => fake.close() };
  }

  test('waits until a function that goes on has returned', async () => {
    await using it = await withSurvivor();
    it.rig.before.receive(new EndFrame(), 'downstream');
    expect(it.rig.after.of(EndFrame)).toEqual([]);
    it.booking.resolve('booked');
    await until(() => it.rig.after.of(EndFrame).length === 1);
    expect(it.rig.context.messages.at(-1)).toMatchObject({ role: 'tool', results: [{ output: 'booked' }] });
    expect(it.isAborted()).toBe(false);
  });

  test('does not wait when nothing runs', async () => {
    await using fake = await FakeLanguageModel.start({ replies: {} });
    const rig = new LLMRig(fake);
    rig.before.receive(new EndFrame(), 'downstream');
    expect(rig.after.of(EndFrame)).toHaveLength(1);
  });

  test('that comes of the caller hanging up waits for nothing, also not when another end is waiting', async () => {
    await using it = await withSurvivor();
    it.rig.before.receive(new EndFrame(), 'downstream');
    it.rig.before.receive(new CancelFrame(), 'downstream');
    expect(it.rig.after.of(CancelFrame)).toHaveLength(1);
    expect(it.isAborted()).toBe(true);
  });
});
