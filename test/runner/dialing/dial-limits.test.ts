import fc from 'fast-check';
import { VoicebotError } from '../../../src/base/errors.js';
import { newCallId } from '../../../src/runner/calls/life/call-registry.js';
import {
  DialLimitError,
  DialLimits,
  type DialSlot,
  MAX_RECENT_NUMBERS,
} from '../../../src/runner/dialing/dial-limits.js';

const ANY = { perMinute: 1_000_000, atOnce: 1_000_000, secondsPerNumber: 0 };

function limitsAt(given: Partial<typeof ANY>) {
  const clock = { ms: 5_000 };
  return { clock, limits: new DialLimits({ ...ANY, ...given }, () => clock.ms) };
}

const admit = (limits: DialLimits, number: string): Promise<DialSlot> => limits.admit(number, newCallId());

async function refusal(limits: DialLimits, number: string): Promise<DialLimitError> {
  try {
    await admit(limits, number);
  } catch (error) {
    if (error instanceof DialLimitError) return error;
    throw error;
  }
  throw new Error('was admitted');
}

test('one number is called once in the given time, and other numbers meanwhile', async () => {
  const { clock, limits } = limitsAt({ secondsPerNumber: 60 });
  (await admit(limits, '+12025550101')).release();
  clock.ms += 20_500;
  const error = await refusal(limits, '+12025550101');
  expect(error).toBeInstanceOf(VoicebotError);
  expect(error).toMatchObject({ code: 'VB_DIAL_LIMIT', retryAfterS: 40 });
  expect(error.hint).toBe('try again in 40 s, or lower VOICEBOT_DIAL_SECONDS_PER_NUMBER');
  await admit(limits, '+12025550102');
  clock.ms += 39_499;
  expect((await refusal(limits, '+12025550101')).retryAfterS).toBe(1);
  clock.ms += 1;
  await admit(limits, '+12025550101');
});

test('a number may be called at once again where no time is asked for', async () => {
  const { limits } = limitsAt({ secondsPerNumber: 0 });
  await admit(limits, '+12025550101');
  await admit(limits, '+12025550101');
});

test('counts calls that are not over', async () => {
  const { limits } = limitsAt({ atOnce: 2 });
  const first = await admit(limits, '+1');
  await admit(limits, '+2');
  const error = await refusal(limits, '+3');
  expect(error).toMatchObject({ code: 'VB_DIAL_LIMIT', retryAfterS: undefined, hint: 'raise VOICEBOT_DIAL_AT_ONCE' });
  first.release();
  first.release();
  await admit(limits, '+3');
  await expect(admit(limits, '+4')).rejects.toThrow(DialLimitError);
});

test('counts the calls of any 60 seconds', async () => {
  const { clock, limits } = limitsAt({ perMinute: 2 });
  (await admit(limits, '+1')).release();
  clock.ms += 30_000;
  (await admit(limits, '+2')).release();
  expect(await refusal(limits, '+3')).toMatchObject({
    code: 'VB_DIAL_LIMIT',
    retryAfterS: 30,
    hint: 'try again in 30 s, or raise VOICEBOT_DIAL_PER_MINUTE',
  });
  clock.ms += 30_000;
  (await admit(limits, '+3')).release();
  expect((await refusal(limits, '+4')).retryAfterS).toBe(30);
});

test.each([{ perMinute: 0 }, { atOnce: 0 }])('a limit of 0 allows none: %j', async (given) => {
  const { limits } = limitsAt(given);
  expect((await refusal(limits, '+1')).retryAfterS).toBeUndefined();
});

test('a call that was refused counts for nothing', async () => {
  const { clock, limits } = limitsAt({ perMinute: 1, secondsPerNumber: 3_600 });
  (await admit(limits, '+1')).release();
  for (let time = 0; time < 10; time += 1) await expect(admit(limits, '+2')).rejects.toThrow(DialLimitError);
  clock.ms += 60_000;
  await admit(limits, '+2');
});

test('a call that was never placed gives everything back, once', async () => {
  const { limits } = limitsAt({ perMinute: 1, atOnce: 1, secondsPerNumber: 60 });
  const slot = await admit(limits, '+1');
  slot.undo();
  slot.undo();
  slot.release();
  (await admit(limits, '+1')).undo();
  await admit(limits, '+1');
  slot.undo();
  expect((await refusal(limits, '+1')).message).toContain('this number');
  expect((await refusal(limits, '+2')).message).toContain('at once');
});

test('a call that is over and was never placed gives the rest back', async () => {
  const { limits } = limitsAt({ perMinute: 1, atOnce: 1, secondsPerNumber: 60 });
  const slot = await admit(limits, '+1');
  slot.release();
  slot.undo();
  await admit(limits, '+1');
  await expect(admit(limits, '+2')).rejects.toThrow('at once');
});

test('whoever knows the call gives its place back; of a call that is over, and of an unknown one, there is none', async () => {
  const { limits } = limitsAt({ atOnce: 1 });
  const callId = newCallId();
  await limits.admit('+1', callId);
  limits.slotOf(newCallId()).release();
  expect((await refusal(limits, '+2')).message).toContain('at once');
  limits.slotOf(callId).release();
  await admit(limits, '+2');
  limits.slotOf(callId).release();
  limits.slotOf(callId).undo();
  expect((await refusal(limits, '+3')).message).toContain('at once');
});

test('remembers a bounded number of numbers, and refuses what it could not remember', async () => {
  const { clock, limits } = limitsAt({ secondsPerNumber: 86_400 });
  for (let index = 0; index < MAX_RECENT_NUMBERS; index += 1) await admit(limits, `+1${index}`);
  expect(await refusal(limits, '+2')).toMatchObject({ code: 'VB_DIAL_LIMIT', retryAfterS: 86_400 });
  clock.ms += 86_400_000;
  await admit(limits, '+2');
});

test('holds every limit in any order of events', async () => {
  const events = fc.array(
    fc.oneof(
      fc.record({ do: fc.constant('admit' as const), number: fc.constantFrom('+1', '+2', '+3', '+4') }),
      fc.record({ do: fc.constantFrom('release' as const, 'undo' as const), index: fc.nat(20) }),
      fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(1, 9_999, 10_000, 30_000, 60_000) }),
    ),
    { maxLength: 60 },
  );
  await fc.assert(
    fc.asyncProperty(events, async (list) => {
      const { clock, limits } = limitsAt({ perMinute: 3, atOnce: 2, secondsPerNumber: 10 });
      const calls: {
        number: string;
        at: number;
        isLive: boolean;
        isPlaced: boolean;
        slot: DialSlot;
      }[] = [];
      for (const event of list) {
        if (event.do === 'wait') clock.ms += event.ms;
        else if (event.do === 'admit') {
          const placed = calls.filter(({ isPlaced }) => isPlaced);
          const isRoom =
            placed.filter(({ at }) => at + 60_000 > clock.ms).length < 3 &&
            calls.filter(({ isLive }) => isLive).length < 2 &&
            !placed.some(({ number, at }) => number === event.number && at + 10_000 > clock.ms);
          if (!isRoom) await expect(admit(limits, event.number)).rejects.toThrow(DialLimitError);
          else {
            const slot = await admit(limits, event.number);
            calls.push({ number: event.number, at: clock.ms, isLive: true, isPlaced: true, slot });
          }
        } else {
          const call = calls[event.index];
          call?.slot[event.do]();
          if (call) call.isLive = false;
          if (call && event.do === 'undo') call.isPlaced = false;
        }
      }
    }),
    { numRuns: 500 },
  );
});
