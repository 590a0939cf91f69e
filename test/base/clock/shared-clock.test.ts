import { SharedClock } from '../../../src/base/clock/shared-clock.js';

function clockOf() {
  const machine = { ms: 5_000 };
  const clock = new SharedClock({ nowMs: 1_000 }, () => machine.ms);
  return { machine, clock };
}

test('goes as the machine does until it is told otherwise', () => {
  const { machine, clock } = clockOf();
  machine.ms += 250;
  expect(clock.now()).toBe(1_250);
  expect(clock.speed).toBe(1);
});

test('goes faster as far as it is allowed, and stands still there until it is allowed more', () => {
  const { machine, clock } = clockOf();
  clock.allow(0, 1_100, 4);
  machine.ms += 20;
  expect(clock.now()).toBe(1_080);
  machine.ms += 1_000;
  expect(clock.now()).toBe(1_100);
  clock.allow(0, 1_200, 4);
  machine.ms += 10;
  expect(clock.now()).toBe(1_140);
});

test('one that is behind goes where the others are, and none goes back', () => {
  const { machine, clock } = clockOf();
  clock.allow(1_500, 1_600, 4);
  expect(clock.now()).toBe(1_500);
  clock.allow(1_200, 1_300, 4);
  machine.ms += 100;
  expect(clock.now()).toBe(1_500);
  clock.allow(1_200, 1_520, 4);
  machine.ms += 100;
  expect(clock.now()).toBe(1_520);
});

test('is the same in every thread that has its memory', () => {
  const { machine, clock } = clockOf();
  const other = new SharedClock({ nowMs: 0, memory: clock.memory }, () => machine.ms);
  clock.allow(0, Number.POSITIVE_INFINITY, 8);
  machine.ms += 100;
  expect(other.now()).toBe(1_800);
  expect(other.speed).toBe(8);
});
