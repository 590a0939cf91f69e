import { WebSocket } from 'ws';
import type { CallRecord } from '../../../src/call/call-record.js';
import type { StepResult } from '../../../src/lab/certify/certificate.js';
import { Desk } from '../../../src/lab/certify/tour/desk.js';
import type { BotNews } from '../../../src/lab/certify/tour/desk-messages.js';
import { playTour } from '../../../src/lab/certify/tour/play-tour.js';
import type { TourPhones } from '../../../src/lab/certify/tour/tour-phone.js';
import type { TourStep } from '../../../src/lab/certify/tour/tour-steps.js';
import { CALL } from '../../cli/fake-runner.js';

const PATIENCE_MS = 60_000;

/** Waits for a key in a call that comes in. */
const STEP: TourStep = {
  name: 'call-in',
  title: 'A call that comes in',
  needs: ['caller'],
  calls: 1,
  seconds: 10,
  shows: 'a key',
  async play(stage) {
    const { bot } = await stage.calledIn();
    await stage.news('key', 'the key 1');
    await stage.over(bot.callId);
  },
};

/** How a call of the tour goes: whether the key is pressed, and why it ends. */
interface Played {
  readonly isPressed: boolean;
  readonly endReason: CallRecord['endReason'];
}

/** Plays the step with these calls, one after the other. */
async function play(calls: readonly Played[], areOfPeople = true) {
  const waiting = [...calls];
  const told: string[] = [];
  const results: StepResult[] = [];
  const ends = new Map<string, CallRecord>();
  await using desk = await Desk.open(() => {});
  const call = async () => {
    const { isPressed, endReason } = waiting.shift() as Played;
    const id = `call-${waiting.length}`;
    ends.set(id, { ...CALL, id, direction: 'inbound', state: 'ended', endReason } as CallRecord);
    const bot = new WebSocket(`${desk.url}?call=${id}`);
    const tell = (news: BotNews) => bot.send(JSON.stringify(news));
    bot.on('open', () => {
      tell({ event: 'serves', direction: 'inbound', from: '', to: '', attempt: 1, pid: 1 });
      if (isPressed) tell({ event: 'key', digit: '1' });
    });
  };
  const phones: TourPhones = {
    patienceMs: PATIENCE_MS,
    areOfPeople,
    has: () => true,
    call,
    expect: async () => {},
    press: async () => {},
    speak: async () => {},
    hangUp: async () => {},
    rest: async () => {},
    close: async () => {},
  };
  const numbers = { bot: '+12025550100', caller: '+12025550142', colleague: undefined, wrong: undefined };
  await playTour([STEP], {
    parts: {
      desk,
      phones,
      numbers,
      dial: async () => '',
      over: async (id) => ends.get(id) as CallRecord,
      kill: () => {},
    },
    recorder: { begin: () => {} },
    items: [],
    signal: new AbortController().signal,
    leftOut: () => new AbortController().signal,
    begins: () => {},
    onceMore: (_step, why) => void told.push(why),
    ended: (result) => void results.push(result),
  });
  return { told, results };
}

const HUNG_UP = { isPressed: false, endReason: 'caller_hung_up' } as const;
const WHOLE = { isPressed: true, endReason: 'caller_hung_up' } as const;
const WHY = 'the call was over too early, before this: the key 1 (the caller hung up)';

test('who hangs up too early is told so long before a deadline, and is asked once more', async () => {
  const began = performance.now();
  expect(await play([HUNG_UP, WHOLE])).toEqual({ told: [WHY], results: [{ name: 'call-in', state: 'done' }] });
  expect(performance.now() - began).toBeLessThan(PATIENCE_MS / 2);
}, 60_000);

test('who does so again has the step failed', async () => {
  expect(await play([HUNG_UP, HUNG_UP])).toEqual({
    told: [WHY],
    results: [{ name: 'call-in', state: 'failed', why: WHY }],
  });
}, 60_000);

test('neither programs nor providers that end the call are asked once more', async () => {
  expect(await play([HUNG_UP], false)).toEqual({
    told: [],
    results: [{ name: 'call-in', state: 'failed', why: WHY }],
  });
  const failed = await play([{ isPressed: false, endReason: 'telephony_error' }]);
  expect(failed.told).toEqual([]);
  expect(failed.results[0]?.why).toContain('the carrier or the room provider could not complete the call');
}, 60_000);

test('a call that ends when all was done is no early end', async () => {
  expect(await play([WHOLE])).toEqual({ told: [], results: [{ name: 'call-in', state: 'done' }] });
}, 60_000);
