import type { Campaign, EndedEntry } from '../../../src/runner/campaigns/campaign.js';
import { CampaignState } from '../../../src/runner/campaigns/campaign-state.js';
import { campaignOf } from './runner-of-campaigns.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** 12:00 UTC. */
const NOON = Date.UTC(2026, 5, 1, 12);

/** A campaign that began at noon, of which some rows have been called for a minute each. */
function stateOf(rows: number, ended: readonly Partial<EndedEntry>[], change: Partial<Campaign> = {}): CampaignState {
  const state = new CampaignState(campaignOf(rows, { createdAt: NOON, perMinute: 60, atOnce: 1, ...change }));
  for (const [index, entry] of ended.entries()) {
    const startedAt = NOON + index * MINUTE_MS;
    const call = { row: index + 1, attempt: 1, callId: `out_${index}`, startedAt, talkedMs: 0 };
    state.apply({ is: 'ended', outcome: 'bot_ended', at: startedAt + MINUTE_MS, ...call, ...entry });
  }
  return state;
}

const endOf = (state: CampaignState, now: number) => state.progress(now).expectedEndAt;

test('a campaign is over by what its calls have taken, and no sooner than they may be begun', () => {
  const now = NOON + 2 * MINUTE_MS;
  expect(endOf(stateOf(10, []), now)).toBeUndefined();
  expect(endOf(stateOf(10, [{}, {}]), now)).toBe(now + 8 * MINUTE_MS);
  expect(endOf(stateOf(10, [{}, {}], { atOnce: 10, perMinute: 1 }), now)).toBe(now + 8 * MINUTE_MS);
  expect(endOf(stateOf(10, [{}, {}], { atOnce: 7, perMinute: 60 }), now)).toBe(now + 2 * MINUTE_MS);
});

test('the time that a runner was down is no time of its calls, nor is a request that was refused', () => {
  const now = NOON + 8 * HOUR_MS;
  const told = { at: now, outcome: 'caller_hung_up', endedAt: NOON + 3 * MINUTE_MS } as const;
  const refused = { at: NOON + 3 * MINUTE_MS, startedAt: NOON + 3 * MINUTE_MS, outcome: 'failed' } as const;
  expect(endOf(stateOf(10, [{}, {}, { at: now, outcome: 'uncertain' }]), now)).toBe(now + 7 * MINUTE_MS);
  expect(endOf(stateOf(10, [{}, {}, told]), now)).toBe(now + 7 * MINUTE_MS);
  expect(endOf(stateOf(10, [{}, {}, refused]), now)).toBe(now + 7 * MINUTE_MS);
  expect(endOf(stateOf(10, [{ at: now, outcome: 'uncertain' }]), now)).toBeUndefined();
});

test('while rows wait to be called again a campaign is over when the last of them has been, however long it has waited', () => {
  const nextAt = NOON + 3 * HOUR_MS;
  const state = stateOf(3, [{}, { outcome: 'busy', nextAt }, { outcome: 'busy', nextAt: NOON + HOUR_MS }]);
  for (const waitedMs of [4 * MINUTE_MS, 59 * MINUTE_MS, 2 * HOUR_MS]) {
    expect(endOf(state, NOON + waitedMs)).toBe(nextAt + MINUTE_MS);
  }
  const mixed = stateOf(600, [{}, { outcome: 'busy', nextAt: NOON + HOUR_MS }]);
  expect(endOf(mixed, NOON + 2 * MINUTE_MS)).toBe(NOON + 601 * MINUTE_MS);
});

test('a campaign does not say when it is over where it waits for what has no time, is paused, or goes on another day', () => {
  const now = NOON + 2 * MINUTE_MS;
  const hours = { from: 8 * 60, to: 12 * 60 }; // of New York, where it is 8:02
  expect(stateOf(10, [{}, {}], { hours }).progress(now)).toHaveProperty('expectedEndAt');
  expect(stateOf(600, [{}, {}], { hours }).progress(now)).not.toHaveProperty('expectedEndAt');
  expect(stateOf(10, [{}, {}]).progress(now, 'the tunnel is down')).not.toHaveProperty('expectedEndAt');
  const paused = stateOf(10, [{}, {}]);
  paused.apply({ is: 'condition', at: now, condition: 'paused' });
  expect(endOf(paused, now)).toBeUndefined();
});

test('a campaign says what it has cost, in all and by the row, and whether that is all', () => {
  const cost = (amount: string, isComplete = true) => ({ cost: { currency: 'EUR', amount, isComplete } });
  const state = stateOf(4, [cost('0.10'), { outcome: 'busy', nextAt: NOON, ...cost('0.02') }, { outcome: 'failed' }]);
  state.apply({
    ...{
      is: 'ended',
      row: 2,
      attempt: 2,
      callId: 'out_9',
      outcome: 'bot_ended',
      at: NOON,
      startedAt: NOON,
      talkedMs: 0,
    },
    ...cost('0.30'),
  });
  expect(state.progress(NOON).cost).toEqual({ currency: 'EUR', amount: '0.42', isComplete: true, calls: 3 });
  expect(state.results().map((result) => result.cost?.amount)).toEqual(['0.1', '0.32', undefined, undefined]);
  const copy = new CampaignState(state.campaign);
  for (const entry of state.entries()) copy.apply(entry);
  expect(copy.progress(NOON).cost).toEqual(state.progress(NOON).cost);
  expect(stateOf(2, [cost('0.10'), cost('0.1', false)]).progress(NOON).cost?.isComplete).toBe(false);
  expect(stateOf(2, [cost('0.10'), { outcome: 'uncertain' }]).progress(NOON).cost?.isComplete).toBe(false);
  expect(stateOf(2, [{}]).progress(NOON)).not.toHaveProperty('cost');
});

test('a row that was called and then asked not to be called has cost what its call has', () => {
  const cost = { currency: 'EUR', amount: '0.1', isComplete: true };
  const called = { outcome: 'busy', nextAt: NOON, cost } as const;
  const state = stateOf(1, [called, { row: 1, attempt: 2, outcome: 'do_not_call' }]);
  expect(state.results()[0]).toMatchObject({ outcome: 'do_not_call', cost });
  expect(state.progress(NOON).cost).toEqual({ ...cost, calls: 1 });
});
