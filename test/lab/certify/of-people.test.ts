import { compareSteps } from '../../../src/lab/certify/compare/compare-steps.js';
import type { Difference } from '../../../src/lab/certify/compare/difference.js';
import { profileOf, type StepProfile } from '../../../src/lab/certify/compare/profile.js';
import type { WireItem } from '../../../src/lab/certify/wire/wire-item.js';

const item = (channel: WireItem['channel'], name: string, at: number, more: Partial<WireItem> = {}): WireItem => ({
  step: 'call-in',
  at,
  channel,
  direction: 'in',
  name,
  fields: {},
  ...more,
});
const said = (name: string, at: number, more: Partial<WireItem> = {}) =>
  item('stream', name, at, { stream: 1, ...more });
const asked = (name: string, at: number, stream = 1) => said(name, at, { direction: 'out', stream });
const ended = (HangupSource: string, at = 9_000) =>
  item('webhook', '/hangup hangup', at, { fields: { HangupSource: [HangupSource] } });

const UNINTERRUPTED = [said('open 101', 0), said('start', 10), said('media', 20), said('media', 9_000)];
const INTERRUPTED = [...UNINTERRUPTED, asked('clearAudio', 1_000), said('clearedAudio', 1_010)];

interface Told {
  readonly expected: readonly WireItem[];
  readonly seen: readonly WireItem[];
  readonly step?: string;
  /** By the sandbox, in other steps. */
  readonly others?: Readonly<Record<string, readonly WireItem[]>>;
}

function compare({ expected, seen, step = 'call-in', others = {} }: Told): Difference[] {
  const inOrder = (items: readonly WireItem[]) => [...items].sort((one, other) => one.at - other.at);
  const profile = (items: readonly WireItem[]): StepProfile => profileOf([inOrder(items), inOrder(items)]);
  const steps = {
    ...Object.fromEntries(Object.entries(others).map(([name, items]) => [name, profile(items)])),
    [step]: profile(expected),
  };
  return compareSteps({
    step,
    expected: profile(expected),
    seen: profileOf([inOrder(seen)]),
    items: inOrder(seen),
    steps,
    uses: { stream: { clearedAudio: ['src/providers/plivo/wire.ts:15'] } },
  });
}

describe('what is cleared', () => {
  test('is not confirmed where a person has let the bot finish, and nothing was cleared', () => {
    expect(compare({ expected: INTERRUPTED, seen: UNINTERRUPTED })).toEqual([]);
  });

  test('is to be confirmed where we have asked for it, in whichever step', () => {
    const seen = [...UNINTERRUPTED, asked('clearAudio', 1_000)];
    const missing = { kind: 'message missing', where: 'stream clearedAudio', seen: 'it did not come', matters: true };
    expect(compare({ expected: INTERRUPTED, seen })).toMatchObject([missing]);
    const others = { 'call-in': INTERRUPTED };
    expect(compare({ expected: UNINTERRUPTED, seen, step: 'call-out', others })).toMatchObject([missing]);
  });

  test('is to be confirmed each time', () => {
    const seen = [...INTERRUPTED, asked('clearAudio', 2_000)];
    expect(compare({ expected: INTERRUPTED, seen })).toMatchObject([
      { kind: 'message missing', where: 'stream clearedAudio', seen: 'it did not come each time' },
    ]);
  });

  test('is to be confirmed on its own stream', () => {
    const second = UNINTERRUPTED.map((one) => ({ ...one, stream: 2 }));
    const seen = [...INTERRUPTED, ...second, asked('clearAudio', 900, 2)];
    expect(compare({ expected: INTERRUPTED, seen })).toMatchObject([{ kind: 'message missing' }]);
  });

  test('need not be confirmed on a stream that ends at the same time', () => {
    const seen = [...INTERRUPTED, asked('clearAudio', 8_900)];
    expect(compare({ expected: INTERRUPTED, seen })).toEqual([]);
  });

  test('is not asked of a provider that does not confirm it', () => {
    expect(compare({ expected: UNINTERRUPTED, seen: [...UNINTERRUPTED, asked('clearAudio', 1_000)] })).toEqual([]);
  });
});

test('how much is played in a call decides which names come back', () => {
  const played = (name: string) => ({ fields: { name: [name] } });
  const expected = [...UNINTERRUPTED, asked('checkpoint', 30), said('playedStream', 2_000, played('"hold1"'))];
  const seen = (name: string) => [
    ...UNINTERRUPTED,
    { ...asked('checkpoint', 30), ...played('text') },
    said('playedStream', 2_000, played(name)),
  ];
  expect(compare({ expected, seen: seen('text') })).toEqual([]);
  expect(compare({ expected, seen: seen('"other"') })).toMatchObject([{ kind: 'other word', field: 'name' }]);
});

test('a person may press a key before the bot has finished', () => {
  const expected = [...UNINTERRUPTED, asked('checkpoint', 30), said('playedStream', 2_000), said('dtmf', 3_000)];
  const seen = [...UNINTERRUPTED, asked('checkpoint', 30), said('dtmf', 1_000), said('playedStream', 2_000)];
  expect(compare({ expected, seen })).toEqual([]);
});

test('a key does not come before the stream has begun, whoever presses it', () => {
  const expected = [said('open 101', 0), said('start', 10), said('dtmf', 3_000)];
  const seen = [said('open 101', 0), said('dtmf', 5), said('start', 10)];
  expect(compare({ expected, seen })).toMatchObject([{ kind: 'other order' }]);
});

describe('who hangs up', () => {
  const others = {
    'call-in': [said('open 101', 0), ended('"Caller"')],
    'call-out': [said('open 101', 0), ended('"Callee"')],
    'call-out-declined': [ended('"Carrier"')],
  };
  const expected = [said('open 101', 0), ended('"Callee"')];
  const seen = (source: string) => [said('open 101', 0), ended(source)];

  test('is any of two people who talk', () => {
    expect(compare({ expected, seen: seen('"Caller"'), step: 'warm-transfer', others })).toEqual([]);
  });

  test('is told in words that the sandbox has for a call that was answered', () => {
    for (const word of ['"Carrier"', '"Somebody"'])
      expect(compare({ expected, seen: seen(word), step: 'warm-transfer', others })).toMatchObject([
        { kind: 'other word', field: 'HangupSource', expected: '"Callee"', seen: word },
      ]);
  });

  test('is told in words for that alone: how far a call came, and which it is, no person decides', () => {
    const fields = { CallStatus: ['"completed"'], Direction: ['"inbound"'] };
    const calls = (more: Record<string, string[]>) => [
      said('open 101', 0),
      item('webhook', '/hangup hangup', 9_000, { fields: { ...fields, ...more } }),
    ];
    const busy = {
      'call-in': [
        said('open 101', 0),
        item('webhook', '/ended dial ended', 8_000, { fields: { DialCallStatus: ['"busy"'] } }),
        ...calls({}),
      ],
    };
    expect(
      compare({ expected: calls({}), seen: calls({ CallStatus: ['"busy"'] }), step: 'warm-transfer', others: busy }),
    ).toMatchObject([{ kind: 'other word', field: 'CallStatus' }]);
  });

  test('decides whether the other call goes on when one of two has ended', () => {
    const calls = (CallStatus: string) => [
      said('open 101', 0),
      item('webhook', '/transfer-status dial other', 8_000, { fields: { CallStatus: [CallStatus] } }),
      ended('"Callee"'),
    ];
    const told = (status: string) =>
      compare({ expected: calls('"in-progress"'), seen: calls(status), step: 'transfer', others });
    expect(told('"completed"')).toEqual([]);
    expect(told('"busy"')).toMatchObject([{ kind: 'other word', field: 'CallStatus' }]);
  });

  test('is the one who was asked to where there is one only', () => {
    expect(compare({ expected, seen: seen('"Caller"'), step: 'call-out', others })).toMatchObject([
      { kind: 'other word', field: 'HangupSource' },
    ]);
  });

  test('may be a person who is faster than our request', () => {
    const ofUs = [said('open 101', 0), item('rest', 'DELETE /Call/<id>/ 204', 8_000), ended('"API Request"')];
    expect(compare({ expected: ofUs, seen: seen('"Caller"'), step: 'bot-hangs-up', others })).toEqual([]);
    const both = [...seen('"Caller"'), item('rest', 'DELETE /Call/<id>/ 204', 8_000)];
    expect(compare({ expected: ofUs, seen: both, step: 'bot-hangs-up', others })).toMatchObject([
      { kind: 'other word', field: 'HangupSource' },
    ]);
  });

  test('decides which of two calls is told to have ended first', () => {
    const first = [item('room', 'dialout-stopped', 8_000), item('room', 'dialin-stopped', 9_000)];
    const other = [item('room', 'dialin-stopped', 8_000), item('room', 'dialout-stopped', 9_000)];
    expect(compare({ expected: first, seen: other, step: 'warm-transfer' })).toEqual([]);
    expect(compare({ expected: first, seen: other.slice(0, 1), step: 'warm-transfer' })).toEqual([]);
    expect(compare({ expected: first, seen: other, step: 'call-in' })).toMatchObject([{ kind: 'other order' }]);
  });
});

test('how long a person talks is no delay: a call is moved with the request that could end it', () => {
  const moved = (at: number) => [
    said('open 101', 0),
    item('rest', 'POST /Calls/<id>.json', 10, { direction: 'out', fields: { Url: ['address'] } }),
    item('rest', 'POST /Calls/<id>.json 200', 20),
    ended('"Callee"', at),
  ];
  expect(compare({ expected: moved(2_000), seen: moved(60_000), step: 'transfer' })).toEqual([]);
  const request = { direction: 'out', fields: { Status: ['"completed"'] } } as const;
  const endedBy = (at: number) => [
    said('open 101', 0),
    item('rest', 'POST /Calls/<id>.json', 10, request),
    item('rest', 'POST /Calls/<id>.json 200', 20),
    ended('"API Request"', at),
  ];
  expect(compare({ expected: endedBy(100), seen: endedBy(60_000), step: 'bot-hangs-up' })).toMatchObject([
    { kind: 'late', where: 'the hang-up webhook comes after our request to hang up' },
  ]);
});

test('what the sandbox says in a few calls only, and nothing of voicebot reads, need not come', () => {
  const expected = [...UNINTERRUPTED, said('networkQuality', 30)];
  const others = { 'call-out': UNINTERRUPTED };
  expect(compare({ expected, seen: UNINTERRUPTED, others })).toEqual([]);
});
