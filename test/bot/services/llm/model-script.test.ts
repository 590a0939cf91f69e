import { EventEmitter } from 'node:events';
import { z } from 'zod';
import type { ProviderError } from '../../../../src/base/provider-error.js';
import { LLMContext } from '../../../../src/bot/conversation/llm-context.js';
import { LLMContextFrame } from '../../../../src/bot/conversation/llm-context-frame.js';
import { defineTool } from '../../../../src/bot/conversation/tool.js';
import {
  ErrorFrame,
  InterruptionFrame,
  LLMTextFrame,
  StartFrame,
  Turn,
} from '../../../../src/bot/pipeline/frames/index.js';
import { type LanguageModel, LLMService } from '../../../../src/bot/services/llm/index.js';
import { SCRIPT_URL_VARIABLE, scriptUrl } from '../../../../src/bot/services/llm/model-script.js';
import { asCallId } from '../../../../src/call/call-id.js';
import { useStandIns } from '../../../../src/call/stand-ins.js';
import type { BotEntry } from '../../../../src/call/timeline.js';
import { HastyClock } from '../../../hasty-clock.js';
import { Recorder } from '../../pipeline/recorder.js';
import { until } from './llm-rig.js';
import { type ScriptAnswer, ScriptServer } from './script-server.js';

const booked: unknown[] = [];
const book = defineTool({
  name: 'book',
  description: 'Books a table.',
  parameters: z.object({ guests: z.number() }),
  execute: (input) => {
    booked.push(input);
    return 'booked';
  },
});

/** A service that was given a model of its own, in a call. */
function service(isCall = true) {
  const [before, after] = [new Recorder(), new Recorder()];
  const noted: BotEntry[] = [];
  const model = { specificationVersion: 'v3', provider: 'none', modelId: 'none', doStream: () => {} };
  const llm = new LLMService({ model: model as unknown as LanguageModel });
  before.link(llm);
  llm.link(after);
  const start = new StartFrame(8_000, 8_000);
  start.timeline = { note: (entry) => noted.push(entry), during: (_step, work) => work() };
  if (isCall) start.standIns = { callId: asCallId('call-1'), typed: new EventEmitter() };
  before.receive(start, 'downstream');
  const context = new LLMContext({ messages: [{ role: 'user', content: 'A table for two?' }], tools: [book] });
  const turn = new Turn(1);
  return {
    turn,
    noted,
    ask: async () => llm.process(new LLMContextFrame(context, turn), 'downstream'),
    interrupt: () => before.receive(new InterruptionFrame(), 'downstream'),
    said: () => after.of(LLMTextFrame).map(({ text }) => text),
    errors: () => after.of(ErrorFrame).map(({ error }) => error as ProviderError),
  };
}

beforeEach(() => useStandIns());
afterEach(() => {
  useStandIns(false);
  delete process.env[SCRIPT_URL_VARIABLE];
  booked.length = 0;
});

test('a script in another process says what the model says, and calls its functions, several at once', async () => {
  const calls = [2, 3].map((guests) => ({ name: 'book', input: { guests } }));
  await using script = await ScriptServer.start({ text: 'One moment.', calls }, { text: 'Done.' });
  const { ask, said, noted } = service();
  await ask();
  expect(said()).toEqual(['One moment.', 'Done.']);
  expect(booked).toEqual([{ guests: 2 }, { guests: 3 }]);
  expect(script.asked).toMatchObject([
    {
      callId: 'call-1',
      prompt: [{ role: 'system' }, { role: 'user', content: [{ type: 'text', text: 'A table for two?' }] }],
      tools: [{ type: 'function', name: 'book', description: 'Books a table.', inputSchema: { type: 'object' } }],
      toolChoice: { type: 'auto' },
    },
    { callId: 'call-1' },
  ]);
  expect(script.asked[1]?.prompt.at(-1)).toMatchObject({
    role: 'tool',
    content: [{ toolName: 'book', output: { value: 'booked' } }, { toolName: 'book' }],
  });
  expect(noted.find(({ type }) => type === 'model_asked')).toMatchObject({ model: 'script', provider: 'voicebot' });
});

test('a script makes the caller wait for the first word', async () => {
  await using _script = await ScriptServer.start({ text: 'Done.', delayMs: 60 });
  const { ask, said, turn } = service();
  await ask();
  expect(said()).toEqual(['Done.']);
  const { modelRequested = 0, firstToken = 0 } = turn.times;
  expect(firstToken - modelRequested).toBeGreaterThanOrEqual(59);
});

test.each<[string, ScriptAnswer]>([
  ['has not answered', 'never'],
  ['makes the caller wait', { text: 'Done.', delayMs: 600_000 }],
])('an interruption ends a request to a script that %s', async (_, answer) => {
  await using script = await ScriptServer.start(answer);
  const { ask, interrupt, said, errors } = service();
  const asked = ask();
  await script.isAsked(1);
  interrupt();
  await asked;
  if (answer === 'never') await until(() => script.aborted === 1);
  expect([said(), errors()]).toEqual([[], []]);
});

test.each<[string, ScriptAnswer, string]>([
  ['no', { status: 422, body: '{"error":"no line fits"}' }, '422 no line fits'],
  ['no JSON', { status: 200, body: 'Done.' }, 'the answer is not JSON'],
  [
    'something else',
    { status: 200, body: '{"text":1,"calls":[{"input":{}}],"wait":1}' },
    'the answer is not valid, text: Invalid input: expected string, received number; calls.0.name: Invalid input: expected string, received undefined; Unrecognized key: "wait"',
  ],
])('a script that answers %s is asked no more, and the model has failed', async (_, answer, words) => {
  await using script = await ScriptServer.start(answer);
  const { ask, errors } = service();
  await ask();
  expect(script.asked).toHaveLength(1);
  expect(errors()).toMatchObject([{ code: 'VB_PROVIDER_FAILED', isFinal: true, provider: 'voicebot' }]);
  expect(errors()[0]?.message).toContain(`the script for models: ${words}`);
});

test('a script that is broken is asked again, as a provider is, and one that is gone', async () => {
  using _clock = new HastyClock();
  const broken = { status: 500, body: '{"error":"sorry"}' };
  const script = await ScriptServer.start(broken, { text: 'Done.' });
  const { ask, errors, said } = service();
  await ask();
  expect(said()).toEqual(['Done.']);
  expect(errors()).toMatchObject([{ isFinal: false }]);
  await script[Symbol.asyncDispose]();
  await ask();
  expect(errors().map(({ isFinal }) => isFinal)).toEqual([false, false, false, true]);
  expect(errors().at(-1)?.message).toContain('the script for models: no answer');
});

test('a bot that no runner has started asks no script', async () => {
  await using script = await ScriptServer.start();
  const { ask, said } = service(false);
  await ask();
  expect(script.asked).toEqual([]);
  expect(said()).toEqual(['The function book says: booked.']);
});

test.each(['https://127.0.0.1:80/', 'http://example.com/', 'http://bot.localhost/', 'script'])(
  'a script at %s is refused',
  (url) => {
    process.env[SCRIPT_URL_VARIABLE] = url;
    expect(scriptUrl).toThrow('VOICEBOT_SCRIPT_URL must be an http:// address on this machine');
  },
);
