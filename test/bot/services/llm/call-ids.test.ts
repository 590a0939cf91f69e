import { deferred } from '../../../../src/base/async/deferred.js';
import { LLMContext } from '../../../../src/bot/conversation/llm-context.js';
import { defineTool } from '../../../../src/bot/conversation/tool.js';
import { FunctionCallsEndedFrame, FunctionCallsStartedFrame } from '../../../../src/bot/pipeline/frames/index.js';
import { uniqueCallId } from '../../../../src/bot/services/llm/call-ids.js';
import type { LanguageModel } from '../../../../src/bot/services/llm/language-model.js';
import { LLMRig, until } from './llm-rig.js';

test("keeps the model's own identifiers while they are new", () => {
  const context = new LLMContext();
  expect(['call_0', 'toolu_01A-b'].map((id) => uniqueCallId(context, id))).toEqual(['call_0', 'toolu_01A-b']);
});

test('gives another in place of one that came before, in the conversation or in what it began with', () => {
  const context = new LLMContext({
    messages: [{ role: 'assistant', content: '', toolCalls: [{ id: 'old', name: 'a', input: {} }] }],
  });
  const ids = ['old', 'call_0', 'call_0', 'call_0'].map((id) => uniqueCallId(context, id));
  expect(new Set(ids).size).toBe(4);
  expect(ids.filter((id) => id !== 'call_0').every((id) => /^[a-z0-9]{9}$/.test(id))).toBe(true);
  expect(uniqueCallId(new LLMContext(), 'call_0')).toBe('call_0');
});

test.each(['', 'functions.weather:0', 'x'.repeat(65)])(
  'gives another in place of %j, which some providers refuse',
  (id) => {
    expect(uniqueCallId(new LLMContext(), id)).toMatch(/^[a-z0-9]{9}$/);
  },
);

/** A model that counts its calls anew in every answer. @param answers names of functions, or texts in quotes */
function forgetful(...answers: string[]): LanguageModel {
  const parts = (answer: string) => [
    { type: 'stream-start', warnings: [] },
    ...(answer.startsWith('"')
      ? [
          { type: 'text-start', id: '0' },
          { type: 'text-delta', id: '0', delta: answer },
          { type: 'text-end', id: '0' },
        ]
      : [{ type: 'tool-call', toolCallId: 'call_0', toolName: answer, input: '{}' }]),
    { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage: { inputTokens: {}, outputTokens: {} } },
  ];
  const model = {
    specificationVersion: 'v3',
    provider: 'forgetful.chat',
    modelId: 'forgetful',
    supportedUrls: {},
    doStream: async () => ({ stream: ReadableStream.from(parts(answers.shift() ?? '"Yes."')) }),
  };
  return model;
}

test('the late result of a function that survived is that of its own call, whatever identifiers the model gives', async () => {
  const late = deferred<string>();
  const parameters = { type: 'object' } as const;
  const slow = defineTool({
    name: 'slow',
    description: 'x',
    parameters,
    survivesInterruption: true,
    execute: () => late.promise,
  });
  const fast = defineTool({ name: 'fast', description: 'x', parameters, execute: () => 'fast result' });
  const model = forgetful('slow', 'fast', '"Done."');
  const rig = new LLMRig({ url: 'http://127.0.0.1:9/v1' }, { tools: [slow, fast], options: { model } });
  const first = rig.ask();
  await until(() => rig.after.of(FunctionCallsStartedFrame).length === 1);
  rig.interrupt();
  await first;
  rig.context.addCallerWords('And the fast one.');
  await rig.ask();
  late.resolve('slow result');
  await until(() => rig.after.of(FunctionCallsEndedFrame).length === 2);
  const results = rig.context.messages.flatMap((message) => (message.role === 'tool' ? message.results : []));
  expect(results.map(({ name, output }) => ({ name, output }))).toEqual([
    { name: 'slow', output: 'slow result' },
    { name: 'fast', output: 'fast result' },
  ]);
});
