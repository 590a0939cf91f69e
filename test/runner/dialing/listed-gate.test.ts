import { VoicebotError } from '../../../src/base/errors.js';
import { newCallId } from '../../../src/runner/calls/life/call-registry.js';
import { DialLimits } from '../../../src/runner/dialing/dial-limits.js';
import { listedError } from '../../../src/runner/dialing/do-not-call/do-not-call-list.js';
import { ListedGate } from '../../../src/runner/dialing/listed-gate.js';
import { targetCheck } from '../../../src/runner/dialing/target-check.js';

const NUMBER = '+12025550101';
const ENTRY = { number: NUMBER, at: Date.UTC(2026, 0, 31), how: 'said', callId: 'out_1' } as const;
const list = (check: () => Promise<void>) => ({ check });
const limits = () => new DialLimits({ perMinute: 100, atOnce: 1, secondsPerNumber: 60 });

test('a call to a number on the list takes no place and counts against no limit', async () => {
  let isListed = true;
  const gate = new ListedGate(
    limits(),
    list(async () => {
      if (isListed) throw listedError(ENTRY);
    }),
  );
  for (let n = 0; n < 3; n += 1)
    await expect(gate.admit(NUMBER, newCallId())).rejects.toMatchObject({ code: 'VB_DO_NOT_CALL' });
  isListed = false;
  (await gate.admit(NUMBER, newCallId())).undo();
});

test('a number that is put on the list while its call waits for its place is refused', async () => {
  let admitted = 0;
  const undo = () => {
    admitted -= 1;
  };
  const slot = { release: () => {}, undo };
  let isListed = false;
  const slow = {
    admit: async () => {
      isListed = true;
      admitted += 1;
      return slot;
    },
    settled: () => {},
    slotOf: () => slot,
    close: async () => {},
  };
  const gate = new ListedGate(
    slow,
    list(async () => {
      if (isListed) throw listedError(ENTRY);
    }),
  );
  await expect(gate.admit(NUMBER, newCallId())).rejects.toMatchObject({ code: 'VB_DO_NOT_CALL' });
  expect(admitted).toBe(0);
});

test('while the list cannot be asked no call passes', async () => {
  const away = new VoicebotError('VB_CLUSTER_UNREACHABLE', 'x');
  const gate = new ListedGate(
    limits(),
    list(async () => {
      throw away;
    }),
  );
  await expect(gate.admit(NUMBER, newCallId())).rejects.toBe(away);
});

test.each(['phone_number', 'toEndPoint', 'the number'])(
  'the check of every number refuses one on the list, given as %s, and says since when and what takes it off',
  async (field) => {
    const refuse = (number: string) => {
      if (number === NUMBER) throw listedError(ENTRY);
    };
    const check = targetCheck({ dialCountries: ['US'] }, { refuse });
    await expect(check('+1 (202) 555-0101', field)).rejects.toMatchObject({
      code: 'VB_DO_NOT_CALL',
      message: 'This number is on the do-not-call list: since 2026-01-31 (said in call out_1)',
      hint: expect.stringContaining('npx voicebot do-not-call remove'),
    });
    expect(await check('+12025550102', field)).toBe('+12025550102');
    await expect(check('+19005550101', field)).rejects.toMatchObject({ code: 'VB_TARGET_REFUSED' });
  },
);
