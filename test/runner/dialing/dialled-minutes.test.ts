import { appendFileSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newCallId } from '../../../src/runner/calls/life/call-registry.js';
import { DialLimits } from '../../../src/runner/dialing/dial-limits.js';
import { DialledMinutes, type KeptMinutes } from '../../../src/runner/dialing/dialled-minutes.js';

let directory: string;
let clock: Date;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'voicebot-minutes-'));
  clock = new Date(2026, 0, 31, 12, 0, 0);
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const minutes = (perDay = 30, perCall = 15) => new DialledMinutes({ directory, perDay, perCall, now: () => clock });
const kept = (budget: DialledMinutes) => budget.keep() as KeptMinutes;

test('a call keeps as many minutes as it may last, and gives back what it did not take', () => {
  const budget = minutes();
  const calls = [kept(budget), kept(budget)];
  expect(budget.keep()).toEqual({ minutes: 30, retryAfterS: 15 });
  calls[0]?.settle(0); // nobody answered
  kept(budget).settle(60_001); // two minutes were begun
  calls[1]?.settle(13 * 60_000);
  kept(budget); // 15 of 30 are used
  expect(budget.keep()).toMatchObject({ minutes: 30 });
});

test('what calls that go on may give back is waited for shortly, and what is used up until midnight', () => {
  const budget = minutes();
  const calls = [kept(budget), kept(budget)];
  expect(budget.keep()).toEqual({ minutes: 30, retryAfterS: 15 });
  calls[0]?.settle(15 * 60_000);
  expect(budget.keep()).toEqual({ minutes: 30, retryAfterS: 15 });
  calls[1]?.settle(60_000);
  expect(budget.keep()).toEqual({ minutes: 16, retryAfterS: 12 * 3_600 });
});

test.each(['"x"', '-90', 'null', '[]', '{}', 'true'])('a line whose minutes are %s gives back nothing', (damaged) => {
  const budget = minutes();
  kept(budget);
  const [file = ''] = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.\w+$/.test(name),
  );
  appendFileSync(join(directory, file), `{"id":"other","minutes":${damaged}}\n`);
  const next = minutes();
  kept(next);
  expect(next.keep()).toMatchObject({ minutes: 30 });
});

test('settled again, a call changes nothing', () => {
  const budget = minutes(15);
  const call = kept(budget);
  call.settle(60_000);
  call.settle(0);
  expect(budget.keep()).toMatchObject({ minutes: 1 });
});

test('the next day begins at midnight, and a call counts for the day on which it was dialled', () => {
  const budget = minutes(15);
  const late = kept(budget);
  clock = new Date(2026, 1, 1, 0, 0, 1);
  const next = kept(budget);
  late.settle(15 * 60_000);
  next.settle(0);
  kept(budget);
});

test('a runner that is started again goes on counting, and so does one beside it', () => {
  kept(minutes()).settle(10 * 60_000);
  kept(minutes()); // killed during the call: all it may have taken counts
  expect(minutes().keep()).toMatchObject({ minutes: 25 });
});

test('files are for this user alone, and those of former days go', () => {
  mkdtempSync(join(directory, 'x'));
  for (const day of ['2026-01-28', '2026-01-29', '2026-01-30']) writeFileSync(join(directory, `${day}.jsonl`), '');
  rmSync(join(directory, readdirSync(directory).find((name) => name.startsWith('x')) as string), { recursive: true });
  kept(minutes());
  expect(readdirSync(directory).sort()).toEqual(['2026-01-29.jsonl', '2026-01-30.jsonl', '2026-01-31.jsonl']);
  expect(statSync(join(directory, '2026-01-31.jsonl')).mode & 0o777).toBe(0o600);
});

test('a line that a crash cut off is passed over', () => {
  writeFileSync(join(directory, '2026-01-31.jsonl'), '{"id":"a","minutes":10}\n{"id":"b","mi\n');
  expect(minutes(20, 10).keep()).toHaveProperty('settle');
  expect(minutes(20, 10).keep()).toMatchObject({ minutes: 20 });
});

describe('among the limits on dialled calls', () => {
  const limits = (budget: DialledMinutes) =>
    new DialLimits({ perMinute: 100, atOnce: 100, secondsPerNumber: 0, minutes: budget });

  const admit = (all: DialLimits, number: string) => all.admit(number, newCallId());

  test('a call beyond it is refused with VB_DIAL_LIMIT, and counts for no other limit', async () => {
    const all = limits(minutes(30));
    const place = await admit(all, '+12025550101');
    (await admit(all, '+12025550101')).release();
    await admit(all, '+12025550102');
    await expect(admit(all, '+12025550103')).rejects.toThrow(
      expect.objectContaining({
        code: 'VB_DIAL_LIMIT',
        message: expect.stringContaining('30 of the 30 minutes that may be dialled today are used or kept for calls'),
        hint: expect.stringContaining('raise VOICEBOT_DIAL_MINUTES_PER_DAY'),
        retryAfterS: 15,
      }),
    );
    place.undo();
    await admit(all, '+12025550103');
  });

  test('a call that another limit refuses keeps no minutes', async () => {
    const budget = minutes(15);
    const all = new DialLimits({ perMinute: 100, atOnce: 0, secondsPerNumber: 0, minutes: budget });
    await expect(admit(all, '+12025550101')).rejects.toThrow('at most 0 dialled calls at once');
    expect(budget.keep()).toHaveProperty('settle');
  });

  test('where the minutes cannot be written down, nothing is dialled', async () => {
    rmSync(directory, { recursive: true });
    writeFileSync(directory, 'a file in place of the folder');
    await expect(admit(limits(minutes()), '+12025550101')).rejects.toThrow(
      expect.objectContaining({ code: 'VB_DIAL_LIMIT', message: expect.stringContaining('cannot be written down') }),
    );
  });
});

test('a line that was cut off takes none that follows with it', () => {
  kept(minutes()).settle(5 * 60_000);
  appendFileSync(join(directory, '2026-01-31.jsonl'), '{"id":"cut o');
  kept(minutes());
  expect(minutes().keep()).toMatchObject({ minutes: 20 });
});
