import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asCallId, type CallId } from '../../../src/call/call-id.js';
import type { CallRecord } from '../../../src/call/call-record.js';
import { callFolderName } from '../../../src/call/folder/folder-name.js';
import { removeRecording } from '../../../src/call/folder/removed-recording.js';
import type { CallRegistry } from '../../../src/runner/calls/life/call-registry.js';
import { HandReceiver } from './hand-receiver.js';
import { HOUR, TellingRunner } from './telling-runner.js';

const NEVER = new AbortController().signal;

let stateDirectory: string;
let receiver: HandReceiver;
beforeEach(async () => {
  stateDirectory = mkdtempSync(join(tmpdir(), 'voicebot-told-'));
  receiver = await HandReceiver.listen();
});
afterEach(async () => {
  await receiver.stop();
  rmSync(stateDirectory, { recursive: true });
  expect(receiver.forged).toEqual([]);
});

/** A runner whose state outlives it. */
class Told extends TellingRunner {
  constructor(goesOnElsewhere?: (callId: CallId) => Promise<boolean>, learns?: (registry: CallRegistry) => void) {
    super({
      url: receiver.url,
      stateDirectory,
      ...(goesOnElsewhere && { goesOnElsewhere }),
      ...(learns && { learns }),
    });
  }
}

/** Lines of files with events. */
const written = () =>
  readdirSync(stateDirectory, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ndjson'))
    .map((path) => readFileSync(join(stateDirectory, path), 'utf8'));

const WHOLE_CALL = ['call.started', 'call.answered', 'turn.ended', 'call.ended'];

test('a call is told as it goes, in order, and nothing of it stays on the disk', async () => {
  await using told = new Told();
  told.call('call-1');
  await told.events.settled();
  expect(receiver.types).toEqual(WHOLE_CALL);
  expect(new Set(receiver.accepted.map(({ headers }) => headers['webhook-id'])).size).toBe(4);
  expect(receiver.accepted.at(-1)?.event).toMatchObject({
    data: { callId: 'call-1', call: { id: 'call-1', state: 'ended', endReason: 'caller_hung_up' } },
  });
  expect([written(), told.events.waiting]).toEqual([[], 0]);
});

test('that a call has ended is on the disk before anybody else learns of it', async () => {
  await using told = new Told();
  const seen: string[] = [];
  told.registry.on('change', ({ state }) => {
    if (state === 'ended') seen.push(...written());
  });
  told.begin('call-1');
  told.end('call-1');
  expect(seen).toHaveLength(1);
  expect(seen[0]).toContain('"type":"call.ended"');
});

test('what a bot tells of a call that is over comes before its end, and what comes too late does not come', async () => {
  await using told = new Told();
  told.begin('call-1');
  told.registry.timelines.note('call-1', { type: 'bot_assigned', bot: 1 });
  told.end('call-1');
  await told.events.settled();
  told.turn('call-1', 1);
  await told.events.settled();
  expect(receiver.types).toEqual(['call.started', 'turn.ended']);
  told.registry.timelines.note('call-1', { type: 'bot_done', bot: 1, outcome: 'returned' });
  told.turn('call-1', 2);
  await told.events.settled();
  expect(receiver.types).toEqual(['call.started', 'turn.ended', 'call.ended']);
});

test('what a call has cost is told with its end, also what its bots have told late', async () => {
  await using told = new Told();
  const cost = { currency: 'USD', amount: '0.01', isComplete: true, parts: [] };
  told.begin('call-1');
  told.registry.timelines.note('call-1', { type: 'bot_assigned', bot: 1 });
  told.registry.costOf = () => cost;
  told.end('call-1');
  told.registry.amend('call-1', { cost: { ...cost, amount: '0.02' } });
  told.turn('call-1', 1);
  told.registry.timelines.note('call-1', { type: 'bot_done', bot: 1, outcome: 'returned' });
  await told.events.settled();
  told.registry.amend('call-1', { cost: { ...cost, amount: '0.03' } }); // too late
  await told.events.settled();
  expect(receiver.types).toEqual(['call.started', 'turn.ended', 'call.ended']);
  expect(receiver.accepted.at(-1)?.event).toMatchObject({ data: { call: { cost: { amount: '0.02' } } } });
  expect(written()).toEqual([]);
});

test('the end of a call waits a second at most for its bots', async () => {
  await using told = new Told();
  told.begin('call-1');
  told.registry.timelines.note('call-1', { type: 'bot_assigned', bot: 1 });
  told.end('call-1');
  await told.pass(999);
  expect(receiver.types).toEqual(['call.started']);
  await told.pass(1);
  expect(receiver.types).toEqual(['call.started', 'call.ended']);
});

test('a receiver that was away gets everything when it is back, each call in order', async () => {
  await using told = new Told();
  const ids = Array.from({ length: 20 }, (_, n) => `call-${n}`);
  await receiver.stop();
  for (const id of ids) told.call(id);
  await told.pass(HOUR);
  expect(told.warnings).toHaveLength(1);
  await receiver.start();
  for (const id of ids) told.begin(`${id}-later`);
  await told.pass(HOUR);
  expect(told.warnings.slice(1)).toEqual(['the events receiver accepts events again']);
  for (const id of ids) {
    const own = receiver.accepted.filter(({ event }) => event.data.callId === id);
    expect(own.map(({ event }) => event.type)).toEqual(WHOLE_CALL);
  }
  expect(receiver.types).toHaveLength(5 * ids.length);
});

test('nothing is kept for a receiver that wants no more', async () => {
  await using told = new Told();
  receiver.reply = () => 410;
  told.call('call-1');
  await told.events.settled();
  told.call('call-2');
  await told.pass(48 * HOUR);
  expect(receiver.requests).toHaveLength(1);
  expect([written(), told.events.waiting, told.warnings.length]).toEqual([[], 0, 1]);
});

test('what is not delivered when the runner stops, the next runner delivers', async () => {
  const first = new Told();
  receiver.reply = () => 500;
  first.call('call-1');
  await first.events.close(NEVER);
  const tried = receiver.requests.map(({ headers }) => headers['webhook-id']);
  expect(new Set(tried).size).toBe(1);
  receiver.reply = () => 200;
  await using second = new Told();
  await second.events.settled();
  expect(receiver.types).toEqual(WHOLE_CALL);
  expect(receiver.accepted[0]?.headers['webhook-id']).toBe(tried[0]);
  expect(written()).toEqual([]);
});

test('a runner that stops delivers what it has, and does not wait for what was held', async () => {
  const told = new Told();
  told.begin('call-1');
  told.registry.timelines.note('call-1', { type: 'bot_assigned', bot: 1 });
  told.end('call-1');
  await told.events.close(NEVER);
  expect(receiver.types).toEqual(['call.started', 'call.ended']);
  expect(readdirSync(join(stateDirectory, 'events'), { recursive: true })).toHaveLength(1); // the receiver's folder, empty
});

test('a call that goes on when its runner leaves is left to the next runner', async () => {
  const told = new Told();
  told.begin('call-1');
  await told.events.close(NEVER);
  told.answer('call-1');
  told.end('call-1');
  expect(written()).toHaveLength(1);
  await using next = new Told();
  next.begin('call-1');
  next.end('call-1');
  await next.events.settled();
  expect(receiver.types).toEqual(['call.started', 'call.ended']);
});

test('a runner that is told to leave at once does not wait for a receiver that is slow', async () => {
  const told = new Told();
  receiver.reply = () => () => {};
  told.begin('call-1');
  await told.events.close(AbortSignal.abort());
  expect(written()).toHaveLength(1);
});

describe('a call whose runner has died', () => {
  /** As a runner that was killed leaves it. */
  async function left(act: (told: Told) => void): Promise<void> {
    const told = new Told();
    act(told);
    await told.events.settled();
    await told.events.close(NEVER);
  }

  test('is told to have ended when it cannot go on any more', async () => {
    await left((told) => {
      told.begin('call-1');
      told.answer('call-1');
    });
    await using next = new Told();
    await next.pass(HOUR);
    expect(receiver.types).toEqual(['call.started', 'call.answered']);
    await next.pass(60_001);
    expect(receiver.types).toEqual(['call.started', 'call.answered', 'call.ended']);
    expect(receiver.accepted.at(-1)?.event.data).toMatchObject({
      call: { id: 'call-1', state: 'ended', endReason: 'runner_stopped', answeredAt: expect.any(Number) },
    });
    expect(written()).toEqual([]);
  });

  test('goes on where it was when it comes to the next runner', async () => {
    await left((told) => {
      told.begin('call-1');
      told.answer('call-1');
    });
    await using next = new Told();
    next.begin('call-1');
    next.answer('call-1');
    await next.pass(2 * HOUR);
    expect(receiver.types).toEqual(['call.started', 'call.answered']);
    next.end('call-1');
    await next.events.settled();
    expect(receiver.types).toEqual(['call.started', 'call.answered', 'call.ended']);
    expect(receiver.accepted.at(-1)?.event.data).toMatchObject({ call: { endReason: 'caller_hung_up' } });
  });
});

describe('a call of several runners', () => {
  const record = (id: string, state: 'ringing' | 'starting'): CallRecord => ({
    id: asCallId(id),
    direction: 'inbound',
    from: '+12025550142',
    to: '+12025550100',
    state,
    attempt: 1,
    startedAt: Date.now(),
    ...(state === 'starting' && { answeredAt: Date.now() }),
  });

  test('that has come to this one is told on, and not as begun', async () => {
    await using told = new Told();
    told.registry.adopt(record('call-1', 'starting'));
    told.turn('call-1', 3);
    told.end('call-1');
    told.registry.adopt(record('call-2', 'ringing'));
    told.answer('call-2');
    told.end('call-2');
    await told.events.settled();
    const typesOf = (id: string) =>
      receiver.accepted.filter(({ event }) => event.data.callId === id).map(({ event }) => event.type);
    expect(typesOf('call-1')).toEqual(['turn.ended', 'call.ended']);
    expect(typesOf('call-2')).toEqual(['call.answered', 'call.ended']);
    expect(written()).toEqual([]);
  });

  test('that has come to this one is not told as begun by the next runner either', async () => {
    const dead = new Told();
    dead.registry.adopt(record('call-1', 'starting'));
    await dead.events.settled();
    await dead.events.close(NEVER);
    await using next = new Told();
    await next.pass(2 * HOUR);
    expect(receiver.types).toEqual(['call.ended']);
  });

  test('that goes on at another one is told no more here, but for what has happened here', async () => {
    await using told = new Told();
    receiver.reply = () => 500;
    told.begin('call-1');
    told.answer('call-1');
    await told.events.settled();
    told.registry.release(asCallId('call-1'));
    receiver.reply = () => 204;
    await told.pass(2 * HOUR);
    expect(receiver.types).toEqual(['call.started', 'call.answered']);
    expect(written()).toEqual([]);
  });

  test('whose runner has died is told to have ended by the runner that goes on with it only', async () => {
    const dead = new Told();
    dead.begin('call-1');
    await dead.events.settled();
    await dead.events.close(NEVER);
    await using next = new Told(async () => true);
    await next.pass(2 * HOUR);
    expect(receiver.types).toEqual(['call.started']);
    expect(written()).toEqual([]);
  });

  test('whose runner has died is one of this runner again, should it come while the others are asked', async () => {
    const dead = new Told();
    dead.begin('call-1');
    await dead.events.settled();
    await dead.events.close(NEVER);
    let answer = (_isElsewhere: boolean) => {};
    await using next = new Told(() => new Promise((resolve) => (answer = resolve)));
    next.registry.adopt(record('call-1', 'ringing'));
    answer(false);
    await next.pass(2 * HOUR);
    expect(receiver.types).toEqual(['call.started']);
    next.end('call-1');
    await next.events.settled();
    expect(receiver.types).toEqual(['call.started', 'call.ended']);
  });

  test('whose runner has died waits while the others cannot be asked', async () => {
    const dead = new Told();
    dead.begin('call-1');
    await dead.events.settled();
    await dead.events.close(NEVER);
    let isAway = true;
    await using next = new Told(async () => {
      if (isAway) throw new Error('Redis is away');
      return false;
    });
    await next.pass(2 * HOUR);
    expect(receiver.types).toEqual(['call.started']);
    isAway = false;
    await next.pass(2 * HOUR);
    expect(receiver.types).toEqual(['call.started', 'call.ended']);
  });
});

test('a runner takes up what another has left while it runs itself', async () => {
  await using told = new Told();
  receiver.reply = () => 500;
  const other = new Told();
  other.call('call-1');
  await other.events.close(AbortSignal.abort());
  receiver.reply = () => 200;
  await told.pass(60_000);
  expect(receiver.types).toEqual(WHOLE_CALL);
});

test('an event that cannot be told keeps nothing else from being told', async () => {
  await using told = new Told();
  told.begin('call-1');
  told.registry.timelines.receive('call-1', [
    {
      at: Number.NaN,
      source: 'bot',
      type: 'turn_ended',
      startedAt: 0,
      turn: 1,
      since: 'caller_stopped',
      wasInterrupted: false,
    },
  ]);
  told.end('call-1');
  await told.events.settled();
  expect(receiver.types).toEqual(['call.started', 'call.ended']);
});

describe('a recording that is removed', () => {
  const WORDS = /Ada|Hello/;

  /** A turn of a recorded call, with what was said in it. */
  function talk(told: Told, id: string): void {
    told.bot(
      id,
      { type: 'recording', is: 'started' },
      { type: 'said', speaker: 'caller', text: 'My name is Ada.' },
      { type: 'said', speaker: 'bot', text: 'Hello, Ada!' },
    );
    told.turn(id, 1);
  }

  test('words that wait for a receiver that is away do not come when it is back', async () => {
    await using told = new Told();
    await receiver.stop();
    told.begin('call-1');
    talk(told, 'call-1');
    await told.events.settled();
    expect(written().join()).toMatch(WORDS);
    told.registry.removeRecordings([asCallId('call-1')]);
    told.bot('call-1', { type: 'recording', is: 'removed' });
    expect(written().join()).not.toMatch(WORDS);
    told.end('call-1');
    await receiver.start();
    await told.pass(HOUR);
    expect(receiver.types).toEqual(['call.started', 'turn.ended', 'recording.removed', 'call.ended']);
    expect(receiver.requests.map(({ body }) => body).join()).not.toMatch(WORDS);
    expect(receiver.accepted.at(-1)?.event).toMatchObject({
      data: { call: { recordingRemovedAt: expect.any(Number) } },
    });
  });

  test('nor do those of a call that is linked with it and is over', async () => {
    await using told = new Told();
    await receiver.stop();
    told.begin('call-1');
    told.registry.open({
      id: asCallId('leg-1'),
      linkedTo: asCallId('call-1'),
      direction: 'outbound',
      to: '+12025550101',
      state: 'dialling',
    });
    talk(told, 'leg-1');
    told.end('leg-1');
    await told.events.settled();
    told.registry.removeRecordings([asCallId('call-1')]);
    await receiver.start();
    await told.pass(HOUR);
    expect(receiver.types.filter((type) => type === 'turn.ended')).toHaveLength(1);
    expect(receiver.requests.map(({ body }) => body).join()).not.toMatch(WORDS);
  });

  test.each([
    ['it is told at its next start', (registry: CallRegistry) => registry.removeRecordings([asCallId('call-1')])],
    ['the folder of the call says so', undefined],
  ])('a runner that has died with words that wait: %s', async (_, learns) => {
    const first = new Told();
    receiver.reply = () => 500;
    first.begin('call-1');
    talk(first, 'call-1');
    await first.events.settled();
    const { startedAt } = first.registry.get(asCallId('call-1')) as CallRecord;
    await first.events.close(NEVER);
    expect(written().join()).toMatch(WORDS);
    receiver.requests.length = 0;
    if (!learns) removeRecording(join(stateDirectory, 'calls', callFolderName('call-1', startedAt)));
    await using next = new Told(undefined, learns);
    await next.pass(2 * HOUR);
    expect(written().join() + receiver.requests.map(({ body }) => body).join()).not.toMatch(WORDS);
  });
});

test('that a recording was removed, and that a number is not to be called again, may be learnt between the end and what its bots have to tell', async () => {
  await using told = new Told();
  told.begin('call-1');
  told.registry.timelines.note('call-1', { type: 'bot_assigned', bot: 1 });
  told.end('call-1');
  told.registry.removeRecordings([asCallId('call-1')]);
  told.registry.amend(asCallId('call-1'), { doNotCall: { how: 'said', at: 5 } });
  told.registry.timelines.note('call-1', { type: 'bot_done', bot: 1, outcome: 'returned' });
  await told.events.settled();
  expect(receiver.types).toEqual(['call.started', 'call.ended']);
  expect(receiver.accepted.at(-1)?.event).toMatchObject({
    data: { call: { recordingRemovedAt: expect.any(Number), doNotCall: { how: 'said', at: 5 } } },
  });
});
