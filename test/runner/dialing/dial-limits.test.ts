import fc from 'fast-check';
import { VoicebotError } from '../../../src/errors.js';
import { DialLimitError, DialLimits, MAX_RECENT_NUMBERS } from '../../../src/runner/dialing/dial-limits.js';

const ANY = { perMinute: 1_000_000, atOnce: 1_000_000, secondsPerNumber: 0 };

function limitsAt(given: Partial<typeof ANY>) {
  const clock = { ms: 5_000 };
  return { clock, limits: new DialLimits({ ...ANY, ...given }, () => clock.ms) };
}

function refusal(limits: DialLimits, number: string): DialLimitError {
  try {
    limits.admit(number);
  } catch (error) {
    if (error instanceof DialLimitError) return error;
    throw error;
  }
  throw new Error('was admitted');
}

test('one number is called once in the given time, and other numbers meanwhile', () => {
  const { clock, limits } = limitsAt({ secondsPerNumber: 60 });
  limits.admit('+12025550101').release();
  clock.ms += 20_500;
  const error = refusal(limits, '+12025550101');
  expect(error).toBeInstanceOf(VoicebotError);
  expect(error).toMatchObject({ code: 'VB_DIAL_LIMIT', retryAfterS: 40 });
  expect(error.hint).toBe('try again in 40 s, or lower VOICEBOT_DIAL_SECONDS_PER_NUMBER');
  limits.admit('+12025550102');
  clock.ms += 39_499;
  expect(refusal(limits, '+12025550101').retryAfterS).toBe(1);
  clock.ms += 1;
  limits.admit('+12025550101');
});

test('a number may be called at once again where no time is asked for', () => {
  const { limits } = limitsAt({ secondsPerNumber: 0 });
  limits.admit('+12025550101');
  limits.admit('+12025550101');
});

test('counts calls that are not over', () => {
  const { limits } = limitsAt({ atOnce: 2 });
  const first = limits.admit('+1');
  limits.admit('+2');
  const error = refusal(limits, '+3');
  expect(error).toMatchObject({ code: 'VB_DIAL_LIMIT', retryAfterS: undefined, hint: 'raise VOICEBOT_DIAL_AT_ONCE' });
  first.release();
  first.release();
  limits.admit('+3');
  expect(() => limits.admit('+4')).toThrow(DialLimitError);
});

test('counts the calls of any 60 seconds', () => {
  const { clock, limits } = limitsAt({ perMinute: 2 });
  limits.admit('+1').release();
  clock.ms += 30_000;
  limits.admit('+2').release();
  expect(refusal(limits, '+3')).toMatchObject({
    code: 'VB_DIAL_LIMIT',
    retryAfterS: 30,
    hint: 'try again in 30 s, or raise VOICEBOT_DIAL_PER_MINUTE',
  });
  clock.ms += 30_000;
  limits.admit('+3').release();
  expect(refusal(limits, '+4').retryAfterS).toBe(30);
});

test.each([{ perMinute: 0 }, { atOnce: 0 }])('a limit of 0 allows none: %j', (given) => {
  const { limits } = limitsAt(given);
  expect(refusal(limits, '+1').retryAfterS).toBeUndefined();
});

test('a call that was refused counts for nothing', () => {
  const { clock, limits } = limitsAt({ perMinute: 1, secondsPerNumber: 3_600 });
  limits.admit('+1').release();
  for (let time = 0; time < 10; time += 1) expect(() => limits.admit('+2')).toThrow(DialLimitError);
  clock.ms += 60_000;
  limits.admit('+2');
});

test('a call that was never placed gives everything back, once', () => {
  const { limits } = limitsAt({ perMinute: 1, atOnce: 1, secondsPerNumber: 60 });
  const slot = limits.admit('+1');
  slot.undo();
  slot.undo();
  slot.release();
  limits.admit('+1').undo();
  limits.admit('+1');
  slot.undo();
  expect(refusal(limits, '+1').message).toContain('this number');
  expect(refusal(limits, '+2').message).toContain('at once');
});

test('a call that is over and was never placed gives the rest back', () => {
  const { limits } = limitsAt({ perMinute: 1, atOnce: 1, secondsPerNumber: 60 });
  const slot = limits.admit('+1');
  slot.release();
  slot.undo();
  limits.admit('+1');
  expect(() => limits.admit('+2')).toThrow('at once');
});

test('remembers a bounded number of numbers, and refuses what it could not remember', () => {
  const { clock, limits } = limitsAt({ secondsPerNumber: 86_400 });
  for (let index = 0; index < MAX_RECENT_NUMBERS; index += 1) limits.admit(`+1${index}`);
  expect(refusal(limits, '+2')).toMatchObject({ code: 'VB_DIAL_LIMIT', retryAfterS: 86_400 });
  clock.ms += 86_400_000;
  limits.admit('+2');
});

test('holds every limit in any order of events', () => {
  const events = fc.array(
    fc.oneof(
      fc.record({ do: fc.constant('admit' as const), number: fc.constantFrom('+1', '+2', '+3', '+4') }),
      fc.record({ do: fc.constantFrom('release' as const, 'undo' as const), index: fc.nat(20) }),
      fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(1, 9_999, 10_000, 30_000, 60_000) }),
    ),
    { maxLength: 60 },
  );
  fc.assert(
    fc.property(events, (list) => {
      const { clock, limits } = limitsAt({ perMinute: 3, atOnce: 2, secondsPerNumber: 10 });
      const calls: {
        number: string;
        at: number;
        isLive: boolean;
        isPlaced: boolean;
        slot: ReturnType<DialLimits['admit']>;
      }[] = [];
      for (const event of list) {
        if (event.do === 'wait') clock.ms += event.ms;
        else if (event.do === 'admit') {
          const placed = calls.filter(({ isPlaced }) => isPlaced);
          const isRoom =
            placed.filter(({ at }) => at + 60_000 > clock.ms).length < 3 &&
            calls.filter(({ isLive }) => isLive).length < 2 &&
            !placed.some(({ number, at }) => number === event.number && at + 10_000 > clock.ms);
          if (!isRoom) expect(() => limits.admit(event.number)).toThrow(DialLimitError);
          else {
            const slot = limits.admit(event.number);
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
