import { EventEmitter } from 'node:events';
import type { CallId } from '../../../src/call/call-id.js';
import type { ServiceState } from '../../../src/call/service-name.js';
import type { TimelineEntry, TimelineEvent } from '../../../src/call/timeline.js';
import type { BotPool } from '../../../src/runner/bots/bot-pool.js';
import type { MessageToBot } from '../../../src/runner/bots/messages.js';
import { ServiceWatch } from '../../../src/runner/bots/service-watch.js';
import { CallTimelines } from '../../../src/runner/calls/life/call-timelines.js';

type Told = Extract<MessageToBot, { type: 'service_health' }>;

class HandProcess extends EventEmitter {
  readonly isUsable = true;
  readonly told: Told[] = [];

  send(message: Told): void {
    this.told.push(message);
  }

  tells(state: ServiceState): void {
    this.emit('service_health', state);
  }
}

class Pool extends EventEmitter {
  readonly processes = new Set<HandProcess>();

  begin(): HandProcess {
    const process = new HandProcess();
    this.processes.add(process);
    this.emit('created', process);
    return process;
  }

  end(process: HandProcess): void {
    this.processes.delete(process);
    process.emit('exit');
  }
}

const DEEPGRAM = { does: 'speech_to_text', provider: 'Deepgram', model: 'nova-3' } as const;
const FAILED: ServiceState = { ...DEEPGRAM, isWell: false, since: 1_000, why: 'Deepgram: 503' };

function watch() {
  const pool = new Pool();
  const timelines = new CallTimelines();
  const changes: ServiceState[] = [];
  const services = new ServiceWatch(pool as unknown as BotPool, timelines, (state) => changes.push(state));
  const note = (entry: TimelineEntry) =>
    timelines.receive('call' as CallId, [{ at: 1, source: 'bot', ...entry } as TimelineEvent]);
  return { pool, services, changes, note };
}

test('what one process finds out all others learn, those too that come later; it alone tries the service again', () => {
  const { pool, changes } = watch();
  const [first, second] = [pool.begin(), pool.begin()];
  first.tells(FAILED);
  const later = pool.begin();
  expect(first.told).toEqual([]);
  for (const { told } of [second, later]) {
    expect(told).toEqual([{ type: 'service_health', state: FAILED, probes: false }]);
  }
  second.tells(FAILED);
  expect(changes).toEqual([FAILED]);
  first.tells({ ...DEEPGRAM, isWell: true });
  expect(second.told.at(-1)).toEqual({ type: 'service_health', state: { ...DEEPGRAM, isWell: true }, probes: false });
  expect(changes).toEqual([FAILED, { ...DEEPGRAM, isWell: true }]);
});

test('another process tries the service again when the one that did is gone', () => {
  const { pool } = watch();
  const [first, second] = [pool.begin(), pool.begin()];
  first.tells(FAILED);
  pool.end(first);
  expect(second.told.at(-1)).toEqual({ type: 'service_health', state: FAILED, probes: true });
  pool.end(second);
  expect(pool.begin().told).toEqual([{ type: 'service_health', state: FAILED, probes: true }]);
});

test('the status has what has failed, and what works in its place', () => {
  const { pool, services, note } = watch();
  const process = pool.begin();
  expect(services.failing).toBeUndefined();
  note({ type: 'service', ...DEEPGRAM });
  note({ type: 'service', does: 'text_to_speech', provider: 'Cartesia' });
  process.tells(FAILED);
  expect(services.failing).toEqual([FAILED]);
  const to = { provider: 'ElevenLabs', model: 'scribe_v2_realtime' };
  note({ type: 'service_switched', does: 'speech_to_text', from: DEEPGRAM, to, why: 'x', ms: 1 });
  expect(services.failing).toEqual([{ ...FAILED, instead: to }]);
  expect(services.all.map(({ provider, isWell }) => [provider, isWell])).toEqual([
    ['Deepgram', false],
    ['Cartesia', true],
    ['ElevenLabs', true],
  ]);
});

test('a vendor that asks for more time is asked for it by no process, and that is no news', () => {
  const { pool, changes } = watch();
  const [first, second] = [pool.begin(), pool.begin()];
  first.tells(FAILED);
  second.tells({ ...FAILED, notBefore: 60_000 });
  second.tells({ ...FAILED, notBefore: 30_000 });
  expect(first.told).toEqual([{ type: 'service_health', state: { ...FAILED, notBefore: 60_000 }, probes: true }]);
  expect(changes).toEqual([FAILED]);
});

test('what has worked in a call and has failed since is one service', () => {
  const { pool, services, note } = watch();
  const model = { does: 'language_model', provider: 'OpenAI', model: 'gpt-4.1-mini' } as const;
  const voice = { does: 'text_to_speech', provider: 'Cartesia', model: 'sonic-3' } as const;
  note({ type: 'service', ...voice });
  note({ type: 'model_asked', turn: 1, response: 1, model: model.model, provider: model.provider });
  pool.begin().tells({ ...model, isWell: false, since: 1, why: 'x' });
  expect(services.all).toEqual([
    { ...model, isWell: false, since: 1, why: 'x' },
    { ...voice, isWell: true },
  ]);
  expect(services.failing?.[0]).not.toHaveProperty('instead');
});

test('of what bots say no more than fifty services are remembered', () => {
  const { pool, services, note } = watch();
  const process = pool.begin();
  for (let n = 0; n < 120; n += 1) {
    note({ type: 'service', ...DEEPGRAM, model: `seen-${n}` });
    process.tells({ ...FAILED, model: `failed-${n}` });
  }
  expect(services.all).toHaveLength(100);
});
