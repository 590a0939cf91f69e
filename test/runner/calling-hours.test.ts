import { VoicebotError } from '../../src/base/errors.js';
import type { CallingRuleTable } from '../../src/runner/dialing/calling-rules.js';
import { DialChecks } from '../../src/runner/dialing/dial-checks.js';
import { localMinutes, localTimeOf } from '../../src/runner/dialing/local-time.js';
import { targetCheck } from '../../src/runner/dialing/target-check.js';
import { until } from '../e2e/processes.js';
import { startCall } from './hand-carrier.js';
import { IN_PROCESS } from './in-process-bots.js';
import { RunnerUnderTest } from './runner-under-test.js';

const CALLEE = '+12125550101';
const ZONE = 'America/New_York';
/** East of Greenwich it is day when it is night in New York, or so: twelve hours apart without summer time. */
const OTHER_SIDE = 'Asia/Jakarta';

/** A rule for numbers of the United States, by which it is too early or too late in New York now, and neither on the other side of the Earth. */
function closedNow(): CallingRuleTable {
  const minuteIn = (zone: string) => localTimeOf(localMinutes(zone, Date.now())).minute;
  const half = (minute: number) => (minute < 720 ? { from: 0, to: 720 } : { from: 720, to: 1_440 });
  const open = half(minuteIn(OTHER_SIDE));
  const isOpenHere = minuteIn(ZONE) >= open.from && minuteIn(ZONE) < open.to;
  const hours = [{ ...open, ...(isOpenHere && { from: minuteIn(OTHER_SIDE), to: minuteIn(OTHER_SIDE) + 10 }) }];
  const rule = {
    country: 'US',
    appliesTo: 'calls',
    times: { hours },
    publicHolidays: 'allowed',
    file: 'r.yaml',
  } as const;
  return { rules: [rule], switchedOff: [] };
}

let served: RunnerUnderTest;
beforeAll(async () => {
  served = await RunnerUnderTest.start({ ...IN_PROCESS, callingRules: closedNow() });
});
afterAll(() => served[Symbol.asyncDispose]());

const placings = () => served.api.requests.all.filter(({ method, path }) => method === 'POST' && path === 'Call/');

test('POST /start answers 409 with Retry-After, and nothing is asked of the carrier', async () => {
  const { status, headers, body } = await startCall(served.runner, { phone_number: CALLEE });
  expect([status, body.error.code]).toEqual([409, 'VB_OUTSIDE_CALLING_HOURS']);
  expect(body.error.message).toMatch(
    / in America\/New_York, and callees in US are called .* it may be called from .* on$/,
  );
  expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  expect(placings()).toEqual([]);
});

test('a program that dials through the runner is refused as well', async () => {
  const dial = served.runner.dial({ phoneNumber: CALLEE, body: {}, parameters: {} });
  await expect(dial).rejects.toMatchObject({ code: 'VB_OUTSIDE_CALLING_HOURS' });
  expect(placings()).toEqual([]);
});

test('a time zone that is none is refused, with the one that is probably meant', async () => {
  const { status, body } = await startCall(served.runner, { phone_number: CALLEE, time_zone: 'Jakarta' });
  expect([status, body.error.code]).toEqual([400, 'VB_REQUEST_INVALID']);
  expect(body.error.message).toContain('time_zone is not known; did you mean Asia/Jakarta?');
});

test('a campaign waits until the callee may be called, and says for what', async () => {
  const contacts = [{ phone_number: CALLEE }];
  const answer = await served.ask('/campaigns', { method: 'POST', body: JSON.stringify({ contacts }) });
  expect(answer.status).toBe(201);
  const { campaign } = (await answer.json()) as { campaign: { id: string } };
  const progress = async () =>
    ((await (await served.ask(`/campaigns/${campaign.id}`)).json()) as { campaign: object }).campaign;
  await until(async () => 'waitingUntil' in (await progress()), 'it waits');
  expect(await progress()).toMatchObject({ waiting: 1, running: 0, waitingFor: 'calling hours of US', outcomes: {} });
  expect(await progress()).not.toHaveProperty('problem');
  expect(placings()).toEqual([]);
});

test('where it is within the hours at the place that the request names, the number is called', async () => {
  const { status } = await startCall(served.runner, { phone_number: CALLEE, time_zone: OTHER_SIDE });
  expect(status).toBe(202);
  expect(placings()).toHaveLength(1);
});

test('a transfer and a second leg pass at any hour, since a colleague is called; what is no number is refused first', async () => {
  const settings = { phoneNumber: '+12025550100', callingRules: closedNow() };
  const checkTarget = targetCheck(settings);
  const checks = new DialChecks(checkTarget, settings, () => {});
  expect(await checkTarget(CALLEE, 'toEndPoint')).toBe(CALLEE);
  const pass = (phoneNumber: string) => checks.pass({ phoneNumber, body: {}, parameters: {} });
  await expect(pass(CALLEE)).rejects.toThrow(VoicebotError);
  await expect(pass('+19005550123')).rejects.toMatchObject({ code: 'VB_TARGET_REFUSED' });
  await expect(pass('12')).rejects.toMatchObject({ code: 'VB_REQUEST_INVALID' });
});
