import { setUpOf, turnsOf, waitsOf } from '../../../src/call/view/waterfall.js';
import { madeCall } from './made-call.js';

const { record, events } = madeCall();

test('a turn is the steps that the caller waited for, one after the other', () => {
  const [first] = turnsOf(events);
  expect(first).toMatchObject({ number: 1, startedAt: record.startedAt + 7_700, heardMs: 960, wasInterrupted: false });
  expect(first?.steps).toEqual([
    { name: 'transcript', from: 0, to: 180 },
    { name: 'turn', from: 180, to: 190 },
    { name: 'model', from: 190, to: 640 },
    { name: 'sentence', from: 640, to: 700 },
    { name: 'voice', from: 700, to: 910 },
    { name: 'playout', from: 910, to: 960 },
  ]);
});

test('a step that took no time, or is not known, is left out', () => {
  const report = { at: 9, source: 'bot', type: 'turn_ended', startedAt: 1, turn: 1, wasInterrupted: false } as const;
  const [turn] = turnsOf([
    { ...report, since: 'model_requested', modelRequestedMs: 0, firstAudioMs: 300, firstReleasedMs: 350 },
  ]);
  expect(turn?.steps).toEqual([
    { name: 'voice', from: 0, to: 300 },
    { name: 'playout', from: 300, to: 350 },
  ]);
});

test('turns of all bots are counted through, in the order of their times', () => {
  const turns = turnsOf(events.toReversed());
  expect(turns.map(({ number }) => number)).toEqual([1, 2, 3, 4]);
  expect(waitsOf(turns)).toEqual({ median: 960, longest: 2_260, count: 4 });
  expect(waitsOf([])).toBeUndefined();
});

test('the set-up ends when the bot is heard, and each phase goes on until the next', () => {
  const setUp = setUpOf(events);
  expect(setUp).toMatchObject({ heardMs: expect.closeTo(900, 0), lengthMs: expect.closeTo(900, 0) });
  const row = (label: string) => setUp?.rows.find((each) => each.label === label);
  expect(row('waiting for the audio')).toMatchObject({
    who: 'runner',
    from: expect.closeTo(38, 0),
    to: expect.closeTo(412, 0),
  });
  expect(row('the provider asks what to do')).toMatchObject({
    who: 'provider',
    to: expect.closeTo(40, 0),
    isFailed: false,
  });
  expect(row('the bot gets ready')).toMatchObject({
    who: 'bot',
    from: expect.closeTo(413, 0),
    to: expect.closeTo(618, 0),
  });
  expect(row('the bot has the call')?.to).toBeCloseTo(900, 0);
  expect(setUp?.rows.every(({ from, to }) => from >= 0 && to >= from && to <= 900.1)).toBe(true);
});

test('a set-up that goes on ends with what is known', () => {
  const setUp = setUpOf(madeCall({ untilMs: 500 }).events);
  expect(setUp?.heardMs).toBeUndefined();
  expect(setUp?.lengthMs).toBeCloseTo(413, 0);
  expect(setUpOf([])).toBeUndefined();
});

test('a request that failed stands out', () => {
  const request = { at: 90, source: 'runner', type: 'request', method: 'POST', path: '/v1/Call/', ms: 80 } as const;
  const rows = (status?: number) => setUpOf([{ ...request, status }])?.rows;
  expect(rows(201)).toEqual([
    {
      who: 'provider',
      label: 'the provider answers a request',
      name: 'POST /v1/Call/',
      from: 0,
      to: 80,
      isFailed: false,
    },
  ]);
  expect(rows(500)?.[0]?.isFailed).toBe(true);
  expect(rows()?.[0]?.isFailed).toBe(true);
});
