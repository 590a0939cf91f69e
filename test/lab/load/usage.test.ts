import { type ProcessUsage, processUsage } from '../../../src/base/process/process-usage.js';
import { MachineWatch, UsageWatch } from '../../../src/lab/load/load-usage.js';

const uses = (cpuMs: number): ProcessUsage => ({ cpuMs, memoryBytes: 1, processes: 1 });

/** What a watch says that looks every second, and finds so much processor time used so far. */
function looked(totals: readonly number[], cores = 2): Array<number | undefined> {
  let now = 0;
  const left = [...totals];
  const watch = new UsageWatch(
    () => uses(left.shift() ?? 0),
    () => now,
    cores,
  );
  return totals.map((_, second) => {
    now = 1_000 * second;
    return watch.look();
  });
}

test('what processes use: per cent of a core between two looks, the highest memory; a process that is not there has none', () => {
  const looks = [
    { cpuMs: 1_000, memoryBytes: 10, processes: 1 },
    { cpuMs: 1_500, memoryBytes: 30, processes: 3 },
    { cpuMs: 1_700, memoryBytes: 20, processes: 2 },
  ];
  let now = 0;
  const watch = new UsageWatch(
    () => looks.shift(),
    () => now,
  );
  watch.restart();
  for (now = 1_000; now <= 3_000; now += 1_000) watch.look();
  expect(watch.used).toEqual({
    cpuPercent: { count: 2, p50: 20, p95: 50, p99: 50, max: 50 },
    memoryBytes: 30,
    processes: 3,
  });
  expect(processUsage(2 ** 22 + 1)).toBeUndefined();
});

test('a child that ends takes its time away until its parent brings it back: no second has more than was used', () => {
  expect(looked([10_000, 10_500, 700, 11_500, 11_700])).toEqual([undefined, 50, undefined, 50, 20]);
});

test('time that a child took with it for good is given up after a while, and what comes then is measured', () => {
  expect(looked([10_000, 400, 500, 600, 700, 800])).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    10,
  ]);
});

test('no more is told than the machine has', () => {
  expect(looked([0, 30_000], 2)).toEqual([undefined, 200]);
});

test('the machine: the most of each figure, and what everything together used of the processors', () => {
  const times = [
    { idle: 0, total: 0 },
    { idle: 500, total: 2_000 },
    { idle: 2_300, total: 4_000 },
    { idle: 2_300, total: 4_000 },
  ];
  const watch = new MachineWatch(() => times.shift() ?? { idle: 0, total: 0 });
  watch.see(10, undefined);
  expect(watch.use).toMatchObject({ botsPercent: undefined, callersPercent: 10, busyPercent: 75 });
  watch.see(5, 40);
  expect(watch.use).toMatchObject({ botsPercent: 40, callersPercent: 10, busyPercent: 75 });
  expect(watch.use.freeMemoryPercent).toBeGreaterThan(0);
  watch.restart();
  expect(watch.use).toMatchObject({ botsPercent: undefined, callersPercent: 0, busyPercent: 0 });
});
