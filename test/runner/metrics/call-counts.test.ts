import prometheus from 'prom-client';
import { asCallId } from '../../../src/call/call-id.js';
import type { TimelineEntry } from '../../../src/call/timeline.js';
import { CallRegistry } from '../../../src/runner/calls/life/call-registry.js';
import { CallCounts } from '../../../src/runner/metrics/call-counts.js';
import { MetricSet } from '../../../src/runner/metrics/metric-set.js';
import { readExposition, sampleOf } from './exposition.js';

const ID = asCallId('call-1');

let registry: CallRegistry;
let counts: CallCounts;
let set: MetricSet;
beforeEach(() => {
  jest.useFakeTimers({ now: 1_000_000 });
  registry = new CallRegistry();
  set = new MetricSet(prometheus);
  counts = new CallCounts(set, registry);
  registry.on('change', (record) => counts.changed(record));
});
afterEach(() => jest.useRealTimers());

const open = (direction: 'inbound' | 'outbound' = 'inbound', id = ID) =>
  registry.open({ id, direction, from: '+12025550142', to: '+12025550100', state: 'starting' });
const note = (entry: TimelineEntry) => counts.noted(ID, { at: Date.now(), source: 'bot', bot: 1, ...entry });
const text = () => set.registry.metrics();

test('a call is timed until its bot is connected, and until its first audio, once', async () => {
  open('outbound');
  jest.advanceTimersByTime(4_000);
  registry.update(ID, { answeredAt: Date.now() });
  jest.advanceTimersByTime(100);
  registry.update(ID, { state: 'connected' });
  jest.advanceTimersByTime(300);
  for (let n = 0; n < 3; n += 1) note({ type: 'speech_started', speaker: 'bot' });
  note({ type: 'speech_started', speaker: 'caller' });
  registry.update(ID, { state: 'transferring' });
  registry.update(ID, { state: 'connected' });
  jest.advanceTimersByTime(60_000);
  registry.end(ID, 'bot_ended');
  const exposed = await text();
  const sum = (name: string, labels: string) => [
    sampleOf(exposed, `voicebot_${name}_sum{${labels}}`),
    sampleOf(exposed, `voicebot_${name}_count{${labels}}`),
  ];
  expect(sum('call_setup_seconds', 'direction="outbound",until="connected"')).toEqual([4.1, 1]);
  expect(sum('call_setup_seconds', 'direction="outbound",until="first_audio"')).toEqual([4.4, 1]);
  expect(sum('call_greeting_seconds', 'direction="outbound"')).toEqual([0.4, 1]);
  expect(sum('call_duration_seconds', 'direction="outbound"')).toEqual([60.3, 1]);
  expect(sum('call_duration_seconds', 'direction="inbound"')).toEqual([0, 0]);
  expect(sampleOf(exposed, 'voicebot_calls_ended_total{direction="outbound",end_reason="bot_ended"}')).toBe(1);
});

test('live calls are those of now; bots that were replaced are counted', async () => {
  open();
  registry.update(ID, { attempt: 2 });
  registry.update(ID, { state: 'connected' });
  registry.update(ID, { attempt: 3 });
  open('outbound', asCallId('call-2'));
  registry.end(asCallId('call-2'), 'busy');
  const exposed = await text();
  expect(sampleOf(exposed, 'voicebot_calls_live{direction="inbound",state="connected"}')).toBe(1);
  expect(sampleOf(exposed, 'voicebot_calls_live{direction="outbound",state="starting"}')).toBe(0);
  expect(sampleOf(exposed, 'voicebot_bots_replaced_total')).toBe(2);
});

test('a turn is timed as a whole and step by step; steps that were not taken are left out', async () => {
  const turn = { type: 'turn_ended', turn: 1, startedAt: 1, wasInterrupted: false } as const;
  note({
    ...turn,
    since: 'caller_stopped',
    finalTranscriptMs: 200,
    modelRequestedMs: 210,
    firstTokenMs: 510,
    speechRequestedMs: 600,
    firstAudioMs: 800,
    firstReleasedMs: 825,
  });
  note({ ...turn, since: 'model_requested', modelRequestedMs: 0, firstTokenMs: 300, wasInterrupted: true });
  const exposed = await text();
  const step = (name: string) => [
    sampleOf(exposed, `voicebot_turn_step_seconds_sum{step="${name}"}`),
    sampleOf(exposed, `voicebot_turn_step_seconds_count{step="${name}"}`),
  ];
  expect(step('transcript')).toEqual([0.2, 1]);
  expect(step('request')).toEqual([0.01, 1]);
  expect(step('model')).toEqual([0.6, 2]);
  expect(step('sentence')).toEqual([0.09, 1]);
  expect(step('voice')).toEqual([0.2, 1]);
  expect(step('release')).toEqual([0.025, 1]);
  expect(sampleOf(exposed, 'voicebot_turn_latency_seconds_sum{since="caller_stopped"}')).toBe(0.825);
  expect(sampleOf(exposed, 'voicebot_turn_latency_seconds_count{since="model_requested"}')).toBe(0);
  expect(sampleOf(exposed, 'voicebot_turns_total{interrupted="true"}')).toBe(1);
});

test('audio, models, tools and transfers are counted', async () => {
  note({ type: 'speech_stopped', speaker: 'bot', heardMs: 1_500 });
  note({ type: 'speech_stopped', speaker: 'caller' });
  note({ type: 'audio_gap', ms: 140, frames: 3 });
  const answered = { type: 'model_answered', turn: 1, response: 1, ms: 400 } as const;
  note({ ...answered, inputTokens: 120, outputTokens: 30 });
  note({ ...answered, error: 'no quota' });
  note({ type: 'tool_returned', call: 'c', name: 'hours', output: 'closed', isError: true, ms: 3 });
  note({ type: 'transfer_over', to: '+12025550111', status: 'busy' });
  const exposed = await text();
  const values = {
    bot_speech_seconds_total: 1.5,
    audio_gap_seconds_sum: 0.14,
    audio_gap_seconds_count: 1,
    frames_late_total: 3,
    'model_answers_total{outcome="ok"}': 1,
    'model_answers_total{outcome="failed"}': 1,
    'model_tokens_total{kind="input"}': 120,
    'model_tokens_total{kind="output"}': 30,
    'tool_calls_total{outcome="failed"}': 1,
    'transfers_total{outcome="busy"}': 1,
  };
  for (const [name, value] of Object.entries(values))
    expect([name, sampleOf(exposed, `voicebot_${name}`)]).toEqual([name, value]);
});

describe('whatever a bot or a provider says', () => {
  const HOSTILE = [
    '+12025550142',
    'x"} 1\nevil{a="b',
    '__proto__',
    'constructor',
    'a'.repeat(10_000),
    '',
    '\u0000',
    '🤖',
  ];
  const NUMBERS = [Number.NaN, Number.POSITIVE_INFINITY, -1, '7', null, {}, [], 1e300];

  test('is in no label and adds no sample beyond `other`; what is no amount counts for nothing', async () => {
    open();
    const before = readExposition(await text());
    const say = (entry: object) => counts.noted(ID, { at: 1, source: 'bot', bot: 1, ...entry } as never);
    for (const word of HOSTILE) {
      say({ type: word });
      say({ type: 'transfer_over', to: word, status: word });
      say({ type: 'turn_ended', since: word, wasInterrupted: word, firstReleasedMs: 1 });
      say({ type: 'model_answered', model: word, error: word });
      say({ type: 'tool_returned', name: word, isError: word });
      say({ type: 'speech_stopped', speaker: word, heardMs: 5 });
      counts.changed({
        ...registry.list()[0],
        id: asCallId(word),
        state: 'ended',
        endReason: word,
        direction: word,
      } as never);
    }
    for (const amount of NUMBERS) {
      say({ type: 'audio_gap', ms: amount, frames: amount });
      say({ type: 'speech_stopped', speaker: 'bot', heardMs: amount });
      say({ type: 'model_answered', inputTokens: amount, outputTokens: amount });
      say({ type: 'turn_ended', since: 'caller_stopped', finalTranscriptMs: amount, firstReleasedMs: amount });
      say({ type: 'speech_started', speaker: 'bot', at: amount });
    }
    const exposed = await text();
    const after = readExposition(exposed);
    expect([...after.keys()]).toEqual([...before.keys()]);
    for (const [name, { samples }] of after) {
      const known = before.get(name)?.samples;
      const others = [...samples.keys()].filter((key) => !known?.has(key));
      expect(others.filter((key) => !key.includes('="other"'))).toEqual([]);
      for (const value of samples.values()) expect(value).toBeGreaterThanOrEqual(0);
      expect([...samples.values()].every(Number.isFinite)).toBe(true);
    }
    expect(exposed).not.toMatch(/2025550|evil|aaaa|🤖|proto/);
    expect(sampleOf(exposed, 'voicebot_transfers_total{outcome="other"}')).toBe(HOSTILE.length);
  });

  test('a thousand kinds of it take no more memory than a few words', async () => {
    for (let n = 0; n < 1_000; n += 1) note({ type: 'transfer_over', to: '', status: `status-${n}` as 'busy' });
    expect(readExposition(await text()).get('voicebot_transfers_total')?.samples.size).toBe(8);
  });
});
