import { createOpenAI } from '@ai-sdk/openai';
import type { BotEntry, CallTimeline } from '../../../../src/call/timeline.js';
import type { ServiceUsage } from '../../../../src/call/usage.js';
import { FakeLanguageModel, type FakeModelReply } from '../../../../src/lab/kit/index.js';
import { LLMRig, until } from './llm-rig.js';

/** What was used, in the order in which it was told. */
class Used implements CallTimeline {
  readonly all: ServiceUsage[] = [];
  readonly types: string[] = [];

  note(entry: BotEntry): void {
    this.types.push(entry.type);
    if (entry.type === 'usage') this.all.push(...entry.used);
  }

  during<Result>(_: unknown, work: () => Result): Result {
    return work();
  }
}

const usage = { input: 1_000, cached: 600, output: 40 };

test.each(['chat', 'responses'] as const)('tokens are told as the vendor counts them (%s)', async (kind) => {
  await using fake = await FakeLanguageModel.start({ replies: { text: 'Good morning.', usage } });
  const timeline = new Used();
  const model = createOpenAI({ baseURL: fake.url, apiKey: 'the-key' })[kind]('gpt-5-mini');
  const rig = new LLMRig(fake, { options: { model }, timeline });
  await rig.ask();
  await rig.ask();
  const told = {
    does: 'language_model',
    provider: 'OpenAI',
    model: 'gpt-5-mini',
    units: { input_token: 400, cached_input_token: 600, cache_write_token: 0, output_token: 40 },
  };
  expect(timeline.all).toEqual([told, told]);
});

test('each model of a list is told by its own name', async () => {
  await using broken = await FakeLanguageModel.start({ replies: { status: 500, error: 'away' } });
  await using fake = await FakeLanguageModel.start({ replies: { text: 'Yes.', usage } });
  const timeline = new Used();
  const models = [
    createOpenAI({ baseURL: broken.url, apiKey: 'a' }).chat('first'),
    createOpenAI({ baseURL: fake.url, apiKey: 'b' }).chat('second'),
  ];
  await new LLMRig(fake, { models, timeline }).ask();
  expect(timeline.all).toMatchObject([{ model: 'second', units: { output_token: 40 } }]);
});

test('an answer that is broken off is estimated, and said to be', async () => {
  const reply: FakeModelReply = { text: 'one two three four five six seven', hang: true };
  await using fake = await FakeLanguageModel.start({ replies: reply });
  const timeline = new Used();
  const rig = new LLMRig(fake, { system: 'x'.repeat(4_000), timeline });
  const asked = rig.ask();
  await until(() => rig.text.includes('seven'));
  rig.interrupt();
  await asked;
  await until(() => timeline.all.length > 0);
  const [told] = timeline.all;
  expect(told).toMatchObject({ model: 'fake', isEstimated: true });
  expect(told?.units.input_token).toBeGreaterThan(1_000);
  expect(told?.units.output_token).toBeGreaterThanOrEqual(7);
});

test('a request that was refused costs nothing', async () => {
  await using fake = await FakeLanguageModel.start({ replies: { status: 401, error: 'no' } });
  const timeline = new Used();
  await new LLMRig(fake, { timeline }).ask();
  expect(timeline.types).toContain('model_answered');
  expect(timeline.all).toEqual([]);
});
