import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PACKAGE_ROOT } from '../../cli/voicebot.js';
import { isAlive, until } from '../../e2e/processes.js';
import { ANSWERS_AND_TALKS, BUSY, END, scriptedModel, TRANSFER } from '../../templates/scripted-model.js';
import { TemplateUnderTest } from '../../templates/template-under-test.js';
import { OtlpReceiver } from './otlp-receiver.js';
import type { SeenSpan } from './span-tree.js';

const LIMIT_MS = 60_000;
const PARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const PACKAGES = ['voicebot', '@opentelemetry/api', '@opentelemetry/sdk-node', '@ai-sdk/openai', 'ai', 'zod'];

/** The bot of docs/deployment.md. */
const EXAMPLE =
  /```ts\n([\s\S]*?)```/.exec(readFileSync(join(PACKAGE_ROOT, 'docs', 'deployment.md'), 'utf8'))?.[1] ?? '';
/** The same, whose first bot fails when the caller is there. */
const FAILING = EXAMPLE.replace('await talk.ended;', `if (call.attempt === 1) throw new TypeError('as planned');\n$&`);

let project: string;
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'voicebot-traces-'));
  for (const name of PACKAGES) {
    const link = join(project, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(name === 'voicebot' ? PACKAGE_ROOT : join(PACKAGE_ROOT, 'node_modules', name), link);
  }
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
});
afterEach(() => rmSync(project, { recursive: true }));

async function run(code: string, receiver: OtlpReceiver, texts: readonly string[] = []): Promise<TemplateUnderTest> {
  const file = join(project, 'bot.ts');
  writeFileSync(file, code);
  return TemplateUnderTest.start(file, {
    transport: 'carrier',
    texts,
    replies: scriptedModel({
      Sunday: { toolCalls: [{ name: 'opening_hours', input: { day: 'Sunday' } }] },
      person: TRANSFER,
      Goodbye: END,
    }),
    environment: { ...receiver.environment, OPERATOR_NUMBER: BUSY },
  });
}

test(
  'the example of the documentation sends the spans of a conversation',
  async () => {
    await using receiver = await OtlpReceiver.start();
    await using template = await run(EXAMPLE, receiver, [
      'Are you open on Sunday?',
      'Can I talk to a person?',
      'Goodbye.',
    ]);
    await using caller = await template.caller();
    await template.says('this is Bluebird Bakery');
    await caller.says();
    await template.says('The result is closed.');
    await caller.begins(); // the voice is asked before the answer is heard
    await caller.says();
    await template.says('The result is');
    await template.says('busy');
    await caller.begins();
    await caller.says();
    await template.says('Goodbye!');
    expect(await template.ended()).toMatchObject({ endReason: 'bot_ended' });

    await receiver.calls(1);
    await until(() => receiver.tree.all('voicebot.turn').length >= 3, 'the turns'); // in requests of their own
    const { tree } = receiver;
    process.stderr.write(`${tree}\n`);
    const call = tree.one('voicebot.call');
    const children = (span: SeenSpan) => tree.childrenOf(span).map(({ name }) => name);
    expect(children(call)).toEqual([
      'voicebot.setup',
      'text_to_speech sonic-3.5',
      'voicebot.turn',
      'voicebot.turn',
      'voicebot.turn',
    ]);
    const [hours, person, goodbye] = tree.all('voicebot.turn') as [SeenSpan, SeenSpan, SeenSpan];
    expect(children(hours)).toEqual([
      'speech_to_text nova-3',
      'chat gpt-4.1-mini',
      'execute_tool opening_hours',
      'chat gpt-4.1-mini',
      'text_to_speech sonic-3.5',
    ]);
    expect(children(person)).toContain('execute_tool transfer_call');
    expect(children(goodbye)).toEqual(['speech_to_text nova-3', 'chat gpt-4.1-mini', 'execute_tool end_call']);
    const pathOf = (name: string) => tree.pathOf(tree.one(name)).join(' > ');
    expect(pathOf('read the calendar')).toBe(
      'voicebot.call > voicebot.turn > execute_tool opening_hours > read the calendar',
    );
    expect(pathOf('voicebot.transfer')).toBe(
      'voicebot.call > voicebot.turn > execute_tool transfer_call > voicebot.transfer',
    );
    expect(tree.one('voicebot.transfer')).toMatchObject({ isError: true, attributes: { 'error.type': 'busy' } });
    expect(new Set(tree.spans.map(({ traceId }) => traceId)).size).toBe(1);
    const [chat] = tree.all('chat gpt-4.1-mini');
    expect(chat?.attributes).toMatchObject({
      'gen_ai.provider.name': 'openai',
      'gen_ai.response.finish_reasons': ['tool-calls'],
      'gen_ai.usage.input_tokens': expect.any(Number),
    });
    for (const { attributes } of [hours, person])
      expect(attributes).toMatchObject({ 'voicebot.turn.time_to_first_audio': expect.any(Number) });
    for (const span of tree.spans) {
      const parent = tree.spans.find(({ id }) => id === span.parentId) ?? span;
      expect([span.name, span.startedAt >= parent.startedAt - 1, span.endedAt >= span.startedAt]).toEqual([
        span.name,
        true,
        true,
      ]);
    }
    expect(receiver.received).toContain('"bakery"');
    expect(receiver.received).not.toMatch(/Sunday|Goodbye|seven to six|\+1202/);
  },
  LIMIT_MS,
);

test(
  'both bots of a dialled call are below the span of whoever has dialled',
  async () => {
    await using receiver = await OtlpReceiver.start();
    await using template = await run(FAILING, receiver, ['Goodbye.']);
    await template.dial(ANSWERS_AND_TALKS, {}, { traceparent: PARENT });
    expect(await template.ended(30_000)).toMatchObject({ attempt: 2 });
    const calls = (await receiver.calls(2)).all('voicebot.call');
    const [, traceId, parentId] = PARENT.split('-');
    for (const call of calls) expect(call).toMatchObject({ traceId, parentId });
    const byAttempt = calls.map(({ attributes, isError }) => [
      attributes['voicebot.call.attempt'],
      attributes['error.type'],
      isError,
    ]);
    expect(byAttempt.sort()).toEqual([
      [1, 'TypeError', true],
      [2, undefined, false],
    ]);
  },
  LIMIT_MS,
);

test(
  'a runner that stops sends the spans of its last call',
  async () => {
    await using receiver = await OtlpReceiver.start();
    await using template = await run(EXAMPLE, receiver);
    await using _caller = await template.caller();
    await template.says('this is Bluebird Bakery');
    await template.served.runner.stop({ drainMs: 0 });
    expect(receiver.tree.all('voicebot.call')).toHaveLength(1);
  },
  LIMIT_MS,
);

test(
  'a collector that does not answer keeps neither the call nor the process of its bot',
  async () => {
    await using receiver = await OtlpReceiver.start(true);
    const code = EXAMPLE.replace('await talk.ended;', 'console.log("pid", process.pid);\n$&');
    await using template = await run(code, receiver);
    await using caller = await template.caller();
    await template.says('this is Bluebird Bakery');
    await until(() => template.output.includes('pid '), 'its pid');
    caller.hangUp();
    expect(await template.ended()).toMatchObject({ endReason: 'caller_hung_up' });
    const [, pid] = /pid (\d+)/.exec(template.output) ?? [];
    await until(() => !isAlive(Number(pid)), 'the bot ends');
  },
  LIMIT_MS,
);
