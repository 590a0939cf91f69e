import { BotDemand } from '../../../src/runner/bots/bot-demand.js';

let now = 0;
beforeEach(() => {
  now = 0;
});

function loadIn(made: BotDemand, ms: number): void {
  const load = made.load();
  now += ms;
  load.done();
}

function demand({ loadMs = 200, processors = 2, callsPerProcess = 1, calls = 0 } = {}): BotDemand {
  const made = new BotDemand({ processors, callsPerProcess, now: () => now });
  loadIn(made, loadMs);
  for (let call = 0; call < calls; call += 1) made.called();
  return made;
}

describe('the last of so many calls without a process', () => {
  test.each([
    [10, 200],
    [5, 400],
    [3, 600],
  ])('is in time as the %ith when processes take %i ms to load, two at once', (calls, loadMs) => {
    expect(demand({ loadMs }).isInTime(calls)).toBe(true);
    expect(demand({ loadMs }).isInTime(calls + 1)).toBe(false);
  });

  test('is in time when it gets one of the processes loaded next, however slowly they load', () => {
    expect(demand({ loadMs: 20_000 }).isInTime(2)).toBe(true);
    expect(demand({ loadMs: 20_000 }).isInTime(3)).toBe(false);
  });

  test('is in time further back when processes serve several calls', () => {
    expect(demand({ callsPerProcess: 10 }).isInTime(100)).toBe(true);
    expect(demand({ callsPerProcess: 10 }).isInTime(101)).toBe(false);
  });

  test('is judged by how long processes take now', () => {
    const slowing = demand({ loadMs: 200 });
    loadIn(slowing, 400);
    expect(slowing.isInTime(6)).toBe(false);
    loadIn(slowing, 200); // 300 ms on average
    expect(slowing.isInTime(6)).toBe(true);
  });

  test('is judged by one that takes longer than any before', () => {
    const slowing = demand({ loadMs: 200 });
    const load = slowing.load();
    now += 400;
    expect(slowing.isInTime(6)).toBe(false);
    load.failed();
    expect(slowing.isInTime(6)).toBe(true);
  });
});

describe('processes kept ready beyond the wanted ones', () => {
  test('are none when calls come one by one', () => {
    const calm = demand();
    for (let call = 0; call < 50; call += 1) {
      now += 1_000;
      calm.called();
    }
    expect(calm.spare).toBe(0);
  });

  test('are those that the busiest second lacked, for a minute', () => {
    const busy = demand({ calls: 15 });
    expect(busy.spare).toBe(5);
    now += 30_000;
    busy.called();
    expect(busy.spare).toBe(5);
    now += 30_000;
    expect(busy.spare).toBe(0);
  });

  test('are at most four for each processor', () => {
    expect(demand({ calls: 1_000 }).spare).toBe(8);
    expect(demand({ calls: 1_000, processors: 8, loadMs: 2_000 }).spare).toBe(32);
  });

  test('are fewer where one process serves several calls', () => {
    expect(demand({ calls: 40, loadMs: 2_000, callsPerProcess: 10 }).spare).toBe(2);
  });
});
