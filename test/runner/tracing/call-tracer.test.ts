import * as api from '@opentelemetry/api';
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node';
import type { BotEntry } from '../../../src/call/timeline.js';
import { CallTracer } from '../../../src/runner/tracing/call-tracer.js';
import { Tracing } from '../../../src/runner/tracing/tracing.js';
import { type SeenSpan, SpanTree } from './span-tree.js';

const CALL = {
  id: 'call-1',
  direction: 'inbound',
  isWithheld: false,
  from: '+12025550142',
  to: '+12025550100',
  attempt: 1,
} as const;
const PARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

const msOf = ([seconds, nanos]: ReadableSpan['startTime']) => seconds * 1_000 + nanos / 1e6;

const seen = (span: ReadableSpan): SeenSpan => ({
  name: span.name,
  id: span.spanContext().spanId,
  traceId: span.spanContext().traceId,
  parentId: span.parentSpanContext?.spanId,
  kind: span.kind,
  attributes: span.attributes,
  events: span.events.map(({ name }) => name),
  startedAt: msOf(span.startTime),
  endedAt: msOf(span.endTime),
  isError: span.status.code === api.SpanStatusCode.ERROR,
});

const exporter = new InMemorySpanExporter();
let start: number;

beforeEach(() => {
  start = Date.now();
  exporter.reset();
  new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register();
});
afterEach(() => {
  for (const { disable } of [api.trace, api.context, api.propagation].map((part) => ({
    disable: () => part.disable(),
  })))
    disable();
});

const tree = () => new SpanTree(exporter.getFinishedSpans().map(seen));

function begin({ showsContent = false, traceparent }: { showsContent?: boolean; traceparent?: string } = {}) {
  const tracer = CallTracer.begin(api, { call: CALL, transport: 'carrier', traceparent, showsContent }, start);
  if (!tracer) throw new Error('nobody takes spans');
  return tracer;
}

/** Notes entries at these milliseconds of the call. */
function note(tracer: CallTracer, ...entries: Array<[ms: number, entry: BotEntry]>): void {
  for (const [ms, entry] of entries) tracer.note({ at: start + ms, source: 'bot', bot: 1, ...entry });
}

const TURN: Array<[ms: number, entry: BotEntry]> = [
  [0, { type: 'service', does: 'speech_to_text', provider: 'Deepgram', model: 'nova-3' }],
  [0, { type: 'service', does: 'text_to_speech', provider: 'cartesia', model: 'sonic-3.5' }],
  [50, { type: 'caller_joined' }],
  [700, { type: 'said', speaker: 'caller', text: 'Are you open on Sunday?' }],
  [710, { type: 'turn_started', turn: 1, startedAt: 0, finalTranscriptMs: 100 }],
  [720, { type: 'model_asked', turn: 1, response: 7, model: 'gpt-4.1-mini', provider: 'openai.chat' }],
  [
    900,
    {
      type: 'model_answered',
      turn: 1,
      response: 7,
      ms: 180,
      inputTokens: 90,
      outputTokens: 12,
      finishReason: 'tool_calls',
    },
  ],
  [901, { type: 'tool_called', turn: 1, call: 'a', name: 'openingHours', input: { day: 'Sunday' } }],
  [951, { type: 'tool_returned', call: 'a', name: 'openingHours', output: '8 to 12', isError: false, ms: 50 }],
  [952, { type: 'model_asked', turn: 1, response: 8, model: 'gpt-4.1-mini', provider: 'openai.chat' }],
  [1_200, { type: 'voice_asked', utterance: 2, turn: 1 }],
  [1_300, { type: 'model_answered', turn: 1, response: 8, ms: 348, firstTokenMs: 200, finishReason: 'stop' }],
  [1_500, { type: 'voice_answered', utterance: 2, ms: 300, firstAudioMs: 100, outcome: 'said' }],
];

const started = (entry: BotEntry): BotEntry =>
  entry.type === 'turn_started' ? { ...entry, startedAt: start + 600 } : entry;
const ended = (): BotEntry => ({
  type: 'turn_ended',
  startedAt: start + 600,
  turn: 1,
  since: 'caller_stopped',
  finalTranscriptMs: 100,
  modelRequestedMs: 120,
  firstTokenMs: 552,
  speechRequestedMs: 600,
  firstAudioMs: 700,
  firstReleasedMs: 720,
  wasInterrupted: false,
});

function converse(tracer: CallTracer): void {
  note(tracer, ...TURN.map(([ms, entry]): [number, BotEntry] => [ms, started(entry)]), [3_000, ended()]);
}

test('a turn is a span from the end of the caller’s words, with those of its services and functions below it', () => {
  const tracer = begin();
  converse(tracer);
  tracer.end(undefined, start + 4_000);
  const spans = tree();
  const call = spans.one('voicebot.call');
  const turn = spans.one('voicebot.turn');
  expect(call.parentId).toBeUndefined();
  expect(spans.childrenOf(call).map(({ name }) => name)).toEqual(['voicebot.setup', 'voicebot.turn']);
  expect(spans.childrenOf(turn).map(({ name }) => name)).toEqual([
    'speech_to_text nova-3',
    'chat gpt-4.1-mini',
    'execute_tool openingHours',
    'chat gpt-4.1-mini',
    'text_to_speech sonic-3.5',
  ]);
  const times = ({ startedAt, endedAt }: SeenSpan) => [startedAt - start, endedAt - start].map(Math.round);
  expect(times(turn)).toEqual([600, 3_000]);
  expect(times(spans.one('voicebot.setup'))[1]).toBe(50);
  expect(times(spans.one('speech_to_text nova-3'))).toEqual([600, 700]);
  expect(spans.all('chat gpt-4.1-mini').map(times)).toEqual([
    [720, 900],
    [952, 1_300],
  ]);
  expect(times(spans.one('execute_tool openingHours'))).toEqual([901, 951]);
  expect(times(spans.one('text_to_speech sonic-3.5'))).toEqual([1_200, 1_500]);
  expect(times(call)[1]).toBe(4_000);
});

test('attributes have the names of the semantic conventions', () => {
  const tracer = begin();
  converse(tracer);
  tracer.end();
  const spans = tree();
  const [first, second] = spans.all('chat gpt-4.1-mini');
  expect(first?.kind).toBe(api.SpanKind.CLIENT);
  expect(first?.attributes).toEqual({
    'gen_ai.conversation.id': 'call-1',
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'openai',
    'gen_ai.request.model': 'gpt-4.1-mini',
    'gen_ai.request.stream': true,
    'gen_ai.usage.input_tokens': 90,
    'gen_ai.usage.output_tokens': 12,
    'gen_ai.response.finish_reasons': ['tool_calls'],
  });
  expect(second?.attributes).toMatchObject({ 'gen_ai.response.time_to_first_chunk': 0.2 });
  expect(spans.one('execute_tool openingHours').attributes).toEqual({
    'gen_ai.conversation.id': 'call-1',
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'openingHours',
    'gen_ai.tool.type': 'function',
    'gen_ai.tool.call.id': 'a',
  });
  expect(spans.one('speech_to_text nova-3').attributes).toMatchObject({ 'gen_ai.provider.name': 'deepgram' });
  expect(spans.one('text_to_speech sonic-3.5').attributes).toMatchObject({ 'gen_ai.output.type': 'speech' });
  expect(spans.one('voicebot.turn')).toMatchObject({
    attributes: { 'voicebot.turn.number': 1, 'voicebot.turn.time_to_first_audio': 0.72 },
    events: ['voicebot.first_token', 'voicebot.first_audio', 'voicebot.first_heard'],
  });
  expect(spans.one('voicebot.call')).toMatchObject({
    kind: api.SpanKind.SERVER,
    attributes: { 'voicebot.call.direction': 'inbound', 'voicebot.call.attempt': 1, 'voicebot.transport': 'carrier' },
    isError: false,
  });
});

test('neither words nor numbers are in a span, unless they are asked for', () => {
  for (const showsContent of [false, true]) {
    exporter.reset();
    const tracer = begin({ showsContent });
    converse(tracer);
    note(tracer, [3_500, { type: 'transfer_asked', to: '+12025550199' }]);
    tracer.end();
    const all = JSON.stringify(
      exporter.getFinishedSpans().map(({ name, attributes, events, status }) => [name, attributes, events, status]),
    );
    for (const secret of ['Sunday', '8 to 12', '+12025550142', '+12025550100', '+12025550199'])
      expect([secret, all.includes(secret)]).toEqual([secret, showsContent]);
  }
});

test.each([
  ['OpenAI', 'openai'],
  ['Google', 'gcp.gemini'],
  ['Google Vertex', 'gcp.vertex_ai'],
  ['google.vertex.chat', 'gcp.vertex_ai'],
  ['xAI', 'x_ai'],
])('a model of %s is one of %s in the conventions', (provider, name) => {
  const tracer = begin();
  note(tracer, [10, { type: 'turn_started', turn: 1 }]);
  note(tracer, [20, { type: 'model_asked', turn: 1, response: 1, model: 'm', provider }]);
  tracer.end();
  expect(tree().one('chat m').attributes['gen_ai.provider.name']).toBe(name);
});

test('a failure is the status of its span, with its class', () => {
  const tracer = begin();
  note(
    tracer,
    [10, { type: 'turn_started', turn: 1 }],
    [20, { type: 'model_asked', turn: 1, response: 1, model: 'm', provider: 'openai.chat' }],
    [30, { type: 'model_answered', turn: 1, response: 1, ms: 10, error: 'words', errorType: 'VB_PROVIDER_FAILED' }],
    [40, { type: 'tool_called', turn: 1, call: 'b', name: 'slow', input: {} }],
    [50, { type: 'tool_returned', call: 'b', name: 'slow', output: 'x', isError: true, ms: 10, errorType: 'timeout' }],
    [60, { type: 'voice_asked', utterance: 1 }],
    [70, { type: 'voice_answered', utterance: 1, ms: 10, outcome: 'failed' }],
    [80, { type: 'transfer_asked', to: '+12025550199' }],
    [90, { type: 'transfer_over', to: '+12025550199', status: 'busy' }],
  );
  tracer.end('TypeError');
  const failed = tree().spans.filter(({ isError }) => isError);
  expect(failed.map(({ name, attributes }) => [name, attributes['error.type']])).toEqual([
    ['chat m', 'VB_PROVIDER_FAILED'],
    ['execute_tool slow', 'timeout'],
    ['text_to_speech', '_OTHER'],
    ['voicebot.transfer', 'busy'],
    ['voicebot.call', 'TypeError'],
  ]);
});

test('what is still open ends with the call', () => {
  const tracer = begin();
  note(
    tracer,
    [10, { type: 'turn_started', turn: 1 }],
    [20, { type: 'model_asked', turn: 1, response: 1, model: 'm', provider: 'x' }],
  );
  tracer.end(undefined, start + 500);
  const spans = tree();
  expect(spans.spans.map(({ name }) => name).sort()).toEqual([
    'chat m',
    'voicebot.call',
    'voicebot.setup',
    'voicebot.turn',
  ]);
  expect(spans.spans.map(({ endedAt }) => Math.round(endedAt - start))).toEqual([500, 500, 500, 500]);
});

test('spans of a bot hang below its call, its requests and its functions, also after a while', async () => {
  const tracer = begin();
  const own = async (name: string) => {
    await new Promise(setImmediate);
    api.trace.getTracer('bot').startSpan(name).end();
  };
  await tracer.run(() => own('in onCall'));
  note(
    tracer,
    [10, { type: 'turn_started', turn: 1 }],
    [20, { type: 'model_asked', turn: 1, response: 1, model: 'm', provider: 'x' }],
    [40, { type: 'tool_called', turn: 1, call: 'b', name: 'hours', input: {} }],
  );
  await tracer.during({ call: 'b' }, () => own('in a function'));
  await tracer.during({ response: 1 }, () => own('in a request'));
  await tracer.during({ call: 'unknown' }, () => own('in nothing'));
  const transfer = async () => note(tracer, [50, { type: 'transfer_asked', to: '+12025550199' }]);
  await tracer.during({ call: 'b' }, transfer);
  tracer.end();
  const spans = tree();
  const path = (name: string) => spans.pathOf(spans.one(name)).join(' > ');
  expect(path('in onCall')).toBe('voicebot.call > in onCall');
  expect(path('in a function')).toBe('voicebot.call > voicebot.turn > execute_tool hours > in a function');
  expect(path('in a request')).toBe('voicebot.call > voicebot.turn > chat m > in a request');
  expect(path('voicebot.transfer')).toBe('voicebot.call > voicebot.turn > execute_tool hours > voicebot.transfer');
  expect(path('in nothing')).toBe('in nothing');
});

test('a call goes on with the trace of whoever has started it, and another bot with that of the first', () => {
  const first = begin({ traceparent: PARENT });
  first.end('Error');
  const second = begin({ traceparent: first.traceparent });
  second.end();
  const [one, two] = tree().all('voicebot.call');
  expect(one).toMatchObject({ traceId: PARENT.split('-')[1], parentId: PARENT.split('-')[2] });
  expect(two).toMatchObject({ traceId: one?.traceId, parentId: one?.id });
});

test.each([
  'nonsense',
  PARENT.replace('0af7651916cd43dd8448eb211c80319c', '0'.repeat(32)),
  PARENT.replace('b7ad6b7169203331', '0'.repeat(16)),
  PARENT.replace(/^00/, 'ff'),
  PARENT.toUpperCase(),
])('a traceparent %s begins a trace', (traceparent) => {
  begin({ traceparent }).end();
  expect(tree().one('voicebot.call').parentId).toBeUndefined();
});

test('without an SDK there are no spans', async () => {
  expect(await Tracing.load()).toBeInstanceOf(Tracing);
  api.trace.disable();
  expect(await Tracing.load()).toBeUndefined();
  expect(new Tracing(api, false).begin({ call: CALL, transport: 'rooms' })).toBeUndefined();
});
