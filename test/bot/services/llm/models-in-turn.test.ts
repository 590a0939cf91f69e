import { createOpenAI } from '@ai-sdk/openai';
import 'ai'; // beforehand: while Node reads files, a hasty clock runs ahead
import { deferred } from '../../../../src/base/async/deferred.js';
import type { Tool } from '../../../../src/bot/conversation/tool.js';
import { TTSSpeakFrame, Turn } from '../../../../src/bot/pipeline/frames/index.js';
import { LLMService } from '../../../../src/bot/services/llm/index.js';
import type { LLMServiceOptions } from '../../../../src/bot/services/llm/llm-service-options.js';
import type { AskedModel } from '../../../../src/bot/services/llm/model-choice.js';
import { modelFailure } from '../../../../src/bot/services/llm/model-error.js';
import type { ModelPart } from '../../../../src/bot/services/llm/model-request.js';
import { type AskedHow, ModelsInTurn } from '../../../../src/bot/services/llm/models-in-turn.js';
import { ServiceHealth, sharedHealth } from '../../../../src/bot/services/service-health.js';
import type { BotEntry } from '../../../../src/call/timeline.js';
import type { FakeModelScript } from '../../../../src/lab/kit/fake-language-model.js';
import type { FakeModelReply } from '../../../../src/lab/kit/fake-model-reply.js';
import { FakeLanguageModel } from '../../../../src/lab/kit/index.js';
import { hurried } from '../../../hasty-clock.js';
import { LLMRig } from './llm-rig.js';

hurried();

let count = 0;

/** Two models that are asked in turn, and a conversation with them. */
class Two implements AsyncDisposable {
  readonly notes: BotEntry[] = [];
  readonly rig: LLMRig;

  private constructor(
    readonly first: FakeLanguageModel,
    readonly second: FakeLanguageModel,
    options: Partial<LLMServiceOptions>,
    tools: readonly Tool[],
  ) {
    count += 1; // the health of a model is that of the whole process
    const models = [first, second].map(({ url }, index) => ({
      model: createOpenAI({ baseURL: url, apiKey: 'the-key' }).chat(`fake-${count}-${index + 1}`),
      ...options,
      ...(index > 0 && { hedgeAfterMs: 60_000 }), // on a busy machine it is not to be joined
    }));
    const note = (entry: BotEntry) => void this.notes.push(entry);
    this.rig = new LLMRig(first, { models, tools, timeline: { note, during: (_, work) => work() } });
  }

  static async start(
    first: FakeModelScript,
    second: FakeModelScript,
    options: Partial<LLMServiceOptions> = {},
    tools: readonly Tool[] = [],
  ): Promise<Two> {
    const fakes = [first, second].map((replies) => FakeLanguageModel.start({ replies }));
    const [one, other] = (await Promise.all(fakes)) as [FakeLanguageModel, FakeLanguageModel];
    return new Two(one, other, options, tools);
  }

  get asked(): [number, number] {
    return [this.first.requests.length, this.second.requests.length];
  }

  get switches() {
    return this.notes.filter((note) => note.type === 'service_switched');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.first.close(), this.second.close()]);
    for (const state of sharedHealth.failing) sharedHealth.works(state);
  }
}

test('a model that answers in time is asked alone', async () => {
  await using two = await Two.start({ text: 'We open at nine.' }, { text: 'Never said.' });
  await two.rig.ask();
  expect(two.rig.text).toBe('We open at nine.');
  expect([two.asked, two.rig.errors, two.switches]).toEqual([[1, 0], [], []]);
});

test.each([
  ['429', { status: 429, error: 'Slow down.' }],
  ['503', { status: 503, error: 'Overloaded.' }],
  ['500', { status: 500, error: 'Oops.' }],
  ['a refused key', { status: 401, error: 'Incorrect API key provided.' }],
  ['an error in its stream', { error: 'Overloaded' }],
  ['an empty stream that breaks', { breakOffAfter: 0 }],
])('after %s the next model is asked at once, and the switch is told', async (_, reply) => {
  await using two = await Two.start(reply, { text: 'We open at nine.' }, { hedgeAfterMs: 60_000 });
  await two.rig.ask();
  expect(two.rig.text).toBe('We open at nine.');
  expect(two.asked).toEqual([1, 1]);
  expect(two.rig.errors).toMatchObject([{ provider: 'OpenAI' }]);
  const [from, to] = [{ model: `fake-${count}-1` }, { model: `fake-${count}-2` }];
  expect(two.switches).toMatchObject([{ does: 'language_model', from, to, turn: 1 }]);
  const kinds = two.notes.map(({ type }) => type).filter((type) => type.startsWith('model'));
  expect(kinds).toEqual(['model_asked', 'model_answered', 'model_asked', 'model_answered']);
});

test('a key that is refused ends no call while another model answers', async () => {
  await using two = await Two.start({ status: 401, error: 'Incorrect API key provided.' }, { text: 'Hello.' });
  await two.rig.ask();
  expect(two.rig.text).toBe('Hello.');
  expect(two.rig.errors.filter(({ isFinal }) => isFinal)).toEqual([]);
});

test('a model whose server is gone is followed by the next', async () => {
  await using two = await Two.start({}, { text: 'Hello.' });
  await two.first.close();
  await two.rig.ask();
  expect(two.rig.text).toBe('Hello.');
});

test('one that takes too long is joined by the next, and broken off when that one answers first', async () => {
  await using two = await Two.start({ hang: true }, { text: 'We open at nine.' }, { hedgeAfterMs: 60 });
  await two.rig.ask();
  expect(two.rig.text).toBe('We open at nine.');
  await expect(two.first.requests[0]?.ended).resolves.toBe(true);
  expect(two.switches).toMatchObject([{ why: expect.stringMatching(/OpenAI: no answer within \d+ ms/) }]);
  expect(two.rig.errors).toEqual([]);
});

test('one that was joined and still answers first is kept, and the next is broken off', async () => {
  await using two = await Two.start({ text: 'From the first.', delayMs: 300 }, { hang: true }, { hedgeAfterMs: 60 });
  await two.rig.ask();
  expect(two.rig.text).toBe('From the first.');
  await expect(two.second.requests[0]?.ended).resolves.toBe(true);
  expect([two.asked, two.switches]).toEqual([[1, 1], []]);
});

test('an answer that breaks off is gone on with by the next model, which is shown what was said', async () => {
  await using two = await Two.start({ text: 'We open at nine.', breakOffAfter: 2 }, { text: ' at nine.' });
  await two.rig.ask();
  expect(two.rig.text).toBe('We open at nine.');
  expect(two.asked).toEqual([1, 1]);
  expect(two.second.requests[0]?.messages.slice(-2)).toMatchObject([
    { role: 'assistant', text: 'We open' },
    { role: 'user', text: expect.stringContaining('Go on from here') },
  ]);
});

test('an answer that stops in the middle is gone on with by the next model, not before a pause would be long', async () => {
  await using two = await Two.start({ text: 'We open', hang: true }, { text: ' at nine.' }, { hedgeAfterMs: 60 });
  await two.rig.ask();
  expect(two.rig.text).toBe('We open at nine.');
  expect(two.rig.errors).toMatchObject([
    { message: expect.stringContaining('OpenAI: the answer stopped in the middle for 700 ms') },
  ]);
});

test('a function that two models call runs once, and the answer to it may be that of the other', async () => {
  let runs = 0;
  const clock: Tool = {
    name: 'clock',
    description: 'Tells the time',
    parameters: { type: 'object', properties: {} },
    execute: () => {
      runs += 1;
      return 'ten past nine';
    },
  };
  const call = { toolCalls: [{ name: 'clock', input: {} }] };
  await using two = await Two.start(
    (messages) => (messages.at(-1)?.role === 'tool' ? { status: 503 } : { ...call, delayMs: 100 }),
    (messages) => (messages.at(-1)?.role === 'tool' ? { text: 'It is ten past nine.' } : { ...call, delayMs: 80 }),
    { hedgeAfterMs: 50 },
    [clock],
  );
  await two.rig.ask();
  expect(two.rig.text).toBe('It is ten past nine.');
  expect([two.asked, runs]).toEqual([[2, 2], 1]);
  expect(two.second.requests.at(-1)?.messages.at(-1)).toMatchObject({ role: 'tool', text: 'ten past nine' });
});

describe('in the next turns', () => {
  test('one that has failed is not asked first, until it has answered a probe', async () => {
    let isWell = false;
    await using two = await Two.start(() => (isWell ? { text: 'First.' } : { status: 503 }), { text: 'Second.' });
    await two.rig.ask();
    await two.rig.ask();
    expect([two.rig.text, two.asked]).toEqual(['Second.Second.', [1, 2]]);
    isWell = true;
    for (const state of sharedHealth.failing) sharedHealth.works(state); // as after the probe
    await two.rig.ask();
    expect([two.rig.text, two.asked]).toEqual(['Second.Second.First.', [2, 2]]);
  });

  test('one that hangs is waited for twice, and then asked last', async () => {
    await using two = await Two.start({ hang: true }, { text: 'Yes.' }, { hedgeAfterMs: 50 });
    for (let turn = 0; turn < 4; turn += 1) await two.rig.ask();
    expect([two.rig.text, two.asked]).toEqual(['Yes.Yes.Yes.Yes.', [2, 4]]);
    expect(sharedHealth.failing).toMatchObject([{ model: `fake-${count}-1`, isWell: false }]);
  });
});

describe('where a model refuses what was said', () => {
  const refusal = { status: 400, error: 'Blocked by content_filter.' };

  test('the next is asked, and no model is taken for one that fails', async () => {
    await using two = await Two.start(refusal, { text: 'With pleasure.' });
    await two.rig.ask();
    expect(two.rig.text).toBe('With pleasure.');
    expect(sharedHealth.failing).toEqual([]);
  });

  test('the bot says so when all refuse, or the others fail, and the call goes on', async () => {
    for (const other of [refusal, { status: 503 }]) {
      await using two = await Two.start(refusal, other);
      await two.rig.ask();
      expect(two.rig.after.of(TTSSpeakFrame).map(({ text }) => text)).toEqual([
        expect.stringContaining('cannot answer'),
      ]);
      expect(two.rig.errors.filter(({ isFinal }) => isFinal)).toEqual([]);
    }
  });
});

test('all are given up when none works', async () => {
  await using two = await Two.start({ status: 500 }, { status: 503 });
  await two.rig.ask();
  expect(two.rig.errors.filter(({ isFinal }) => isFinal)).toHaveLength(1);
  expect(two.asked[0]).toBeGreaterThan(2);
  expect(two.asked[1]).toBeGreaterThan(2);
});

test('an interruption breaks off all that were asked', async () => {
  await using two = await Two.start({ hang: true }, { hang: true }, { hedgeAfterMs: 50 });
  const done = two.rig.ask();
  await two.second.request(0);
  two.rig.interrupt();
  await done;
  const ended = [two.first, two.second].map(({ requests }) => requests[0]?.ended);
  await expect(Promise.all(ended)).resolves.toEqual([true, true]);
  expect(two.rig.pushed.filter((name) => name.startsWith('LLM'))).toEqual([]);
});

test('a vendor that says when to ask again is not probed before', async () => {
  const failed = jest.spyOn(sharedHealth, 'failed');
  await using two = await Two.start({ status: 429, retryAfterS: 30 }, { text: 'Yes.' });
  await two.rig.ask();
  expect(failed.mock.calls.map(([, , , afterMs]) => afterMs)).toEqual([30_000]);
  failed.mockRestore();
});

describe('of models that are asked together', () => {
  const part = (text: string): ModelPart => ({ type: 'text', text });
  const failed: ModelPart = { type: 'failed', failure: modelFailure('gone' as never, 'gone'), wasSlow: false };

  /** What each model brings, in the order in which they are asked; and what each was asked with. */
  async function ask(hedgeAfterMs: number, ...replies: Array<() => Promise<ModelPart>>) {
    count += 1;
    const all = replies.map((_, index): AskedModel => {
      const name = { does: 'language_model', provider: 'OpenAI', model: `scripted-${count}-${index + 1}` } as const;
      return {
        name,
        options: { firstTokenTimeoutMs: 10_000, hedgeAfterMs } as AskedModel['options'],
        thinksFirst: false,
      };
    });
    const notes: BotEntry[] = [];
    const timeline = () => ({
      note: (entry: BotEntry) => void notes.push(entry),
      during: <T>(_: unknown, work: () => T) => work(),
    });
    const health = new ServiceHealth();
    const models = new ModelsInTurn(
      all,
      { ai: () => Promise.reject(new Error('none')), timeline, tell: () => {} },
      health,
    );
    const hows: AskedHow[] = [];
    const texts: string[] = [];
    const answer = models.answer(new Turn(1), new AbortController().signal, async function* (model, how) {
      hows.push(how);
      yield await (replies[all.indexOf(model)] as () => Promise<ModelPart>)();
    });
    for await (const one of answer) if (one.type === 'text') texts.push(one.text);
    const switches = notes.flatMap((note) =>
      note.type === 'service_switched' ? [[note.from.model, note.to.model]] : [],
    );
    return { texts, switches, hows, names: all.map(({ name }) => name.model) };
  }

  test('one that was only asked beside the one that answers, and failed, was not replaced by it', async () => {
    const beside = deferred<void>();
    const first = () => beside.promise.then(() => new Promise(setImmediate)).then(() => part('Yes.'));
    const second = async () => {
      beside.resolve();
      return failed;
    };
    expect(await ask(50, first, second)).toMatchObject({ texts: ['Yes.'], switches: [] });
  });

  test('each may pause for as long as a pause takes, and the last for as long as one without others', async () => {
    const { hows, switches, names } = await ask(
      60,
      async () => failed,
      async () => part('Yes.'),
    );
    expect(hows.map(({ stallMs }) => stallMs)).toEqual([700, undefined]);
    expect(switches).toEqual([names]);
    const slow = await ask(
      60_000,
      async () => part('Yes.'),
      async () => failed,
    );
    expect(slow.hows.map(({ stallMs }) => stallMs)).toEqual([5_000]);
  });
});

test('one that has answered a probe is as good as any: being late once is no failure', async () => {
  const probes = jest.spyOn(sharedHealth, 'probeWith');
  let isProbed = false;
  const first = (): FakeModelReply => (isProbed ? { text: 'Well.' } : { hang: true });
  await using two = await Two.start(first, { text: 'Yes.' }, { hedgeAfterMs: 50 });
  const probe = probes.mock.calls.find(([{ model }]) => model === `fake-${count}-1`)?.[1];
  probes.mockRestore();
  await two.rig.ask();
  isProbed = true;
  await probe?.();
  isProbed = false;
  await two.rig.ask();
  expect([two.rig.text, two.asked, sharedHealth.failing]).toEqual(['Yes.Yes.', [3, 2], []]);
});

test('a list is refused for the options of all of its models at once', () => {
  const model = createOpenAI({ apiKey: 'k' }).chat('m');
  const create = () => new LLMService([{ model, temperature: 9 }, { model, hedgeAfterMs: 1 }, 'gpt' as never]);
  for (const words of [
    'model 1: temperature must be 0 to 2, got 9',
    'model 2: hedgeAfterMs must be 50 to 60000, got 1',
    'model 3: model must be a language model of the ai package',
  ]) {
    expect(create).toThrow(words);
  }
  expect(() => new LLMService([])).toThrow('a list of models must have one at least');
});
