import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { z } from 'zod';
import { defineTool } from '../../../../src/bot/conversation/tool.js';
import {
  CancelFrame,
  LLMResponseEndFrame,
  LLMResponseStartFrame,
  LLMTextFrame,
  TTSSpeakFrame,
} from '../../../../src/bot/pipeline/frames/index.js';
import { LLMService } from '../../../../src/bot/services/llm/index.js';
import { FakeLanguageModel, type FakeModelReply } from '../../../../src/lab/kit/index.js';
import { HastyClock } from '../../../hasty-clock.js';
import { LLMRig, until } from './llm-rig.js';

const weather = defineTool({
  name: 'weather',
  description: 'Tells the weather of a place',
  parameters: z.object({ place: z.string() }),
  execute: ({ place }) => ({ place, sky: 'clear' }),
});

test.each(['chat', 'responses', 'compatible'] as const)('pushes an answer as it arrives (%s)', async (kind) => {
  await using fake = await FakeLanguageModel.start({ replies: { text: ['Good', ' morning', '.'] } });
  const account = { baseURL: fake.url, apiKey: 'the-key' };
  const model =
    kind === 'compatible'
      ? createOpenAICompatible({ ...account, name: 'mine' })('fake')
      : createOpenAI(account)[kind]('fake');
  const rig = new LLMRig(fake, { system: 'You run a bakery.', options: { model } });
  await rig.ask();

  expect(rig.after.of(LLMTextFrame).map(({ text }) => text)).toEqual(['Good', ' morning', '.']);
  expect(rig.pushed.filter((name) => name !== 'LLMTextFrame')).toEqual([
    'LLMResponseStartFrame',
    'LLMResponseEndFrame',
  ]);
  const { response } = rig.after.of(LLMResponseStartFrame)[0] as LLMResponseStartFrame;
  expect(rig.after.of(LLMResponseEndFrame)[0]?.response).toBe(response);
  expect(rig.context.messages.at(-1)).toEqual({ role: 'assistant', content: 'Good morning.' });
  const { modelRequested = 0, firstToken = 0 } = response.turn.times;
  expect(modelRequested).toBeGreaterThan(0);
  expect(modelRequested).toBeLessThanOrEqual(fake.requests[0]?.receivedAt ?? 0);
  expect(firstToken).toBeGreaterThanOrEqual(fake.requests[0]?.receivedAt ?? 0);
  expect(fake.requests[0]?.messages).toMatchObject([
    { role: 'system', text: expect.stringMatching(/^You run a bakery\./) },
    { role: 'user', text: 'Hello?' },
  ]);
});

test('passes on what is not for it', async () => {
  await using fake = await FakeLanguageModel.start({ replies: {} });
  const rig = new LLMRig(fake);
  rig.service.receive(new TTSSpeakFrame('One moment.'), 'downstream');
  expect(rig.after.of(TTSSpeakFrame)).toHaveLength(1);
});

test('sends its settings with the request', async () => {
  await using fake = await FakeLanguageModel.start({ replies: { text: 'Yes.' } });
  const providerOptions = { openai: { user: 'bakery' } };
  const rig = new LLMRig(fake, { options: { temperature: 0.5, maxOutputTokens: 50, providerOptions } });
  await rig.ask();
  expect(fake.requests[0]?.body).toMatchObject({ temperature: 0.5, max_tokens: 50, user: 'bakery' });
});

test('offers the functions, with the shape of their input', async () => {
  await using fake = await FakeLanguageModel.start({ replies: { text: 'Yes.' } });
  await new LLMRig(fake, { tools: [weather] }).ask();
  expect(fake.requests[0]?.body.tools).toMatchObject([
    { function: { name: 'weather', parameters: { properties: { place: { type: 'string' } }, required: ['place'] } } },
  ]);
});

describe('an interruption', () => {
  test('closes the connection, and nothing more is pushed', async () => {
    await using fake = await FakeLanguageModel.start({ replies: { text: 'One two', hang: true } });
    const rig = new LLMRig(fake);
    const done = rig.ask();
    await until(() => rig.text === 'One two');
    rig.interrupt();
    await done;
    const pushed = rig.pushed.length;
    expect(await fake.requests[0]?.ended).toBe(true);
    expect(rig.pushed).toHaveLength(pushed);
    expect(rig.errors).toEqual([]);
  });

  test('before the first word leaves nothing behind', async () => {
    await using fake = await FakeLanguageModel.start({ replies: { hang: true } });
    const rig = new LLMRig(fake);
    const done = rig.ask();
    const request = await fake.request(0);
    rig.interrupt();
    await done;
    expect(await request.ended).toBe(true);
    expect(rig.pushed).toEqual(['InterruptionFrame']);
    expect(rig.context.messages).toHaveLength(1);
  });

  test('between two tries stops the trying', async () => {
    await using fake = await FakeLanguageModel.start({ replies: { status: 500 } });
    const rig = new LLMRig(fake);
    const done = rig.ask();
    await until(() => rig.errors.length === 1);
    rig.interrupt();
    await done;
    expect(rig.errors).toHaveLength(1);
    expect(fake.requests).toHaveLength(1);
  });

  test('ends the turn even of a model that does not listen', async () => {
    const deaf = {
      specificationVersion: 'v3',
      provider: 'deaf.chat',
      modelId: 'deaf',
      supportedUrls: {},
      doStream: jest.fn(() => new Promise<never>(() => {})),
    };
    const rig = new LLMRig({ url: 'http://127.0.0.1:9/v1' }, { options: { model: deaf } });
    const done = rig.ask();
    await until(() => deaf.doStream.mock.calls.length === 1);
    rig.interrupt();
    await done;
    expect(rig.errors).toEqual([]);
  });
});

test('a cancellation closes the connection', async () => {
  await using fake = await FakeLanguageModel.start({ replies: { text: 'One', hang: true } });
  const rig = new LLMRig(fake);
  const done = rig.ask();
  await until(() => rig.text === 'One');
  rig.before.receive(new CancelFrame(), 'downstream');
  await done;
  expect(await fake.requests[0]?.ended).toBe(true);
  expect(rig.errors).toEqual([]);
});

describe('when the model fails', () => {
  /** Runs one turn against these replies. */
  async function turn(replies: FakeModelReply[], options = {}) {
    using _clock = new HastyClock();
    await using fake = await FakeLanguageModel.start({ replies, apiKey: 'the-key' });
    const rig = new LLMRig(fake, { options });
    await rig.ask();
    const wereAborted = await Promise.all(fake.requests.map(({ ended }) => ended));
    const errors = rig.errors.map(({ code, isFinal, status, message }) => ({ code, isFinal, status, message }));
    return { rig, errors, requests: fake.requests, wereAborted };
  }
  const failed = { code: 'VB_PROVIDER_FAILED' };

  test('asks again after a 500', async () => {
    const { rig, errors } = await turn([{ status: 500, error: 'Out of order' }, { text: 'Here I am.' }]);
    expect(rig.text).toBe('Here I am.');
    expect(errors).toEqual([
      { ...failed, isFinal: false, status: 500, message: expect.stringContaining('OpenAI: 500, Out of order') },
    ]);
  });

  test('gives up after three in a row', async () => {
    const { rig, errors, requests } = await turn([{ status: 503 }]);
    expect(requests).toHaveLength(3);
    expect(errors.map(({ isFinal }) => isFinal)).toEqual([false, false, true]);
    expect(rig.pushed.filter((name) => name !== 'ErrorFrame')).toEqual([]);
  });

  test('tries again when a limit is reached, and says where to raise it', async () => {
    const { rig, requests } = await turn([{ status: 429, error: 'Rate limit reached' }]);
    expect(requests).toHaveLength(3);
    expect(rig.errors.at(-1)).toMatchObject({ isFinal: true, status: 429, hint: expect.stringContaining('limit') });
  });

  test('does not repeat a request that is wrong', async () => {
    const { errors, requests } = await turn([{ status: 400, error: 'No such parameter' }]);
    expect(requests).toHaveLength(1);
    expect(errors).toEqual([
      { ...failed, isFinal: true, status: 400, message: expect.stringContaining('No such parameter') },
    ]);
  });

  test('names the variable of a refused key, and never the key', async () => {
    const apiKey = 'sk-proj-1234567890abcdefghij';
    await using fake = await FakeLanguageModel.start({
      replies: { status: 401, error: `Incorrect API key provided: ${apiKey}.` },
    });
    const rig = new LLMRig(fake, { options: { model: createOpenAI({ baseURL: fake.url, apiKey }).chat('fake') } });
    await rig.ask();
    expect(rig.errors).toMatchObject([
      { code: 'VB_CREDENTIALS_REFUSED', isFinal: true, status: 401, hint: expect.stringContaining('OPENAI_API_KEY') },
    ]);
    expect(rig.errors[0]?.message).toContain('Incorrect API key provided: [redacted].');
  });

  test('keeps what the caller has said out of the error', async () => {
    const { rig } = await turn([{ status: 400, error: 'Bad' }]);
    const { inspect } = await import('node:util');
    expect(inspect(rig.errors[0], { depth: 10, showHidden: true })).not.toContain('Hello?');
  });

  test('says so when its server is down', async () => {
    using _clock = new HastyClock();
    const fake = await FakeLanguageModel.start({ replies: {} });
    const { url } = fake;
    await fake.close();
    const rig = new LLMRig({ url });
    await rig.ask();
    expect(rig.errors.map(({ isFinal }) => isFinal)).toEqual([false, false, true]);
    expect(rig.errors[0]?.message).toContain('ECONNREFUSED');
  });

  test('asks once more when the first word is slow, and gives up in time', async () => {
    const { errors, wereAborted } = await turn([{ hang: true }], { firstTokenTimeoutMs: 300 });
    expect(wereAborted).toEqual([true, true]);
    expect(errors.map(({ isFinal }) => isFinal)).toEqual([false, true]);
    expect(errors[0]?.message).toContain('no answer for 300 ms');
  });

  test('takes the second answer when the first is slow', async () => {
    const { rig, errors } = await turn([{ hang: true }, { text: 'There.' }], { firstTokenTimeoutMs: 300 });
    expect(rig.text).toBe('There.');
    expect(errors.map(({ isFinal }) => isFinal)).toEqual([false]);
  });

  test('lets a long answer take its time', async () => {
    const text = 'A word, and a word, and a word, and a word, and a word.';
    const { rig, errors } = await turn([{ text, tokenDelayMs: 40 }], { firstTokenTimeoutMs: 600 });
    expect(rig.text).toBe(text);
    expect(errors).toEqual([]);
  });

  test.each([
    ['breaks off', { breakOffAfter: 2 }, 'broke off', undefined],
    ['stalls', { text: 'We open', hang: true as const }, 'stopped in the middle', undefined],
    ['brings an error', { text: 'We open', error: 'Overloaded' }, 'Overloaded', 500], // ai 7 gives such an error a status
  ])('goes on with an answer whose stream %s', async (_, reply, words, status) => {
    const { rig, errors, requests } = await turn([{ text: 'We open at nine.', ...reply }, { text: ' at nine.' }], {
      firstTokenTimeoutMs: 400,
    });
    expect(rig.text).toBe('We open at nine.');
    expect(rig.after.of(LLMResponseEndFrame)).toHaveLength(2);
    expect(errors).toEqual([{ ...failed, isFinal: false, status, message: expect.stringContaining(words) }]);
    expect(requests[1]?.messages.slice(-2)).toMatchObject([
      { role: 'assistant', text: 'We open' },
      { role: 'user', text: expect.stringContaining('Go on from here') },
    ]);
  });

  test('gives up when an answer breaks off twice', async () => {
    const { rig, errors, requests } = await turn([{ text: 'We open', breakOffAfter: 1 }]);
    expect(requests).toHaveLength(2);
    expect(errors.map(({ isFinal }) => isFinal)).toEqual([false, true]);
    expect(rig.after.of(LLMResponseEndFrame)).toHaveLength(2);
  });

  test('writes nothing to the console', async () => {
    const spies = (['error', 'warn', 'log', 'info'] as const).map((kind) =>
      jest.spyOn(console, kind).mockImplementation(() => {}),
    );
    await turn([{ text: 'We', breakOffAfter: 1 }, { status: 500 }, { text: 'Yes.' }]);
    for (const spy of spies) {
      expect(spy).not.toHaveBeenCalled();
      spy.mockRestore();
    }
  });
});

test('refuses options that are out of range, all of them at once', () => {
  const model = 'gpt-4.1' as never;
  const create = () =>
    new LLMService({ model, temperature: 3, maxOutputTokens: 0, firstTokenTimeoutMs: 0, maxSteps: 0 });
  for (const words of ['model must', 'temperature', 'maxOutputTokens', 'firstTokenTimeoutMs', 'maxSteps']) {
    expect(create).toThrow(words);
  }
});

test('refuses to wait for ever: a timer of that length would be over at once', () => {
  const model = { specificationVersion: 'v3', provider: 'none', modelId: 'none', doStream: async () => ({}) };
  expect(() => new LLMService({ model, firstTokenTimeoutMs: Number.POSITIVE_INFINITY })).toThrow(
    'firstTokenTimeoutMs must be 1 to 120000, got Infinity',
  );
});
