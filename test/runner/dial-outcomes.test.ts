import { randomUUID } from 'node:crypto';
import { until } from '../e2e/processes.js';
import { callParameters, type DialledCall, Stream, startCall } from './hand-carrier.js';
import { holdTimers } from './hold-timers.js';
import { IN_PROCESS, muteBots } from './in-process-bots.js';
import { RunnerUnderTest } from './runner-under-test.js';

let served: RunnerUnderTest;
beforeAll(async () => {
  served = await RunnerUnderTest.start({
    ...IN_PROCESS,
    callsPerProcess: 50,
    ringSeconds: 30,
    machineDetection: 'report',
  });
});
afterAll(() => served[Symbol.asyncDispose]());
beforeEach(() => {
  served.api.requests.all.length = 0;
  served.api.respond = () => undefined;
});
beforeEach(muteBots);
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

const dial = () => served.carrier.dial(served.api);
const ended = (call: DialledCall) => served.record(call.id, { state: 'ended' });
const hungUp = (callId: string) =>
  served.api.requests.all.filter(({ method, path }) => method === 'DELETE' && path === `Call/${callId}/`);
const botsOf = ({ id }: DialledCall) => served.records.all.filter((record) => record.id === id && record.connectedAt);

describe('a call that is not answered', () => {
  test.each([
    ['a busy line', { CallStatus: 'busy', HangupCauseCode: '3010', HangupSource: 'Carrier' }, 'busy'],
    ['a busy line, in words alone', { CallStatus: 'busy', HangupCause: 'USER_BUSY' }, 'busy'],
    ['nobody', { CallStatus: 'no-answer', HangupCauseCode: '3000', HangupSource: 'Carrier' }, 'no_answer'],
    ['nobody in time', { CallStatus: 'timeout', HangupCauseCode: '6010', HangupSource: 'Plivo' }, 'no_answer'],
    ['nobody, in words alone', { CallStatus: 'no-answer', HangupCause: 'NO_ANSWER' }, 'no_answer'],
    ['somebody who declines', { CallStatus: 'busy', HangupCauseCode: '3110', HangupSource: 'Callee' }, 'rejected'],
    ['a line that rejects', { CallStatus: 'failed', HangupCause: 'CALL_REJECTED' }, 'rejected'],
    ['no such number', { CallStatus: 'failed', HangupCauseCode: '3050', HangupSource: 'Carrier' }, 'telephony_error'],
    ['a country that is barred', { CallStatus: 'failed', HangupCauseCode: '2030' }, 'telephony_error'],
    [
      'a carrier that fails',
      { CallStatus: 'failed', HangupCauseCode: '3080', HangupSource: 'Error' },
      'telephony_error',
    ],
    ['a machine', { CallStatus: 'completed', HangupCauseCode: '9100', HangupSource: 'Plivo' }, 'voicemail'],
  ])('because of %s ends as what it is', async (_, parameters, endReason) => {
    const call = await dial();
    await call.ring();
    await call.hangup(parameters);
    const record = await ended(call);
    expect(record).toMatchObject({ endReason, providerCallId: call.callId });
    expect(record).not.toHaveProperty('answeredAt');
    expect(hungUp(call.callId)).toEqual([]);
  });
});

describe('a call that is answered', () => {
  test.each([
    ['the callee hangs up', { HangupCauseCode: '4000', HangupSource: 'Callee' }, 'caller_hung_up'],
    ['the callee hangs up, as others say it', { HangupSource: 'Call recipient' }, 'caller_hung_up'],
    ['it has lasted as long as it may', { HangupCauseCode: '6000', HangupSource: 'Plivo' }, 'limit_reached'],
    ['somebody ended it at the carrier', { HangupCauseCode: '1000', HangupSource: 'API Request' }, 'bot_ended'],
    ['a machine was detected late', { HangupCauseCode: '9100', HangupSource: 'Plivo' }, 'voicemail'],
    ['the network failed', { HangupCauseCode: '6020', HangupSource: 'Plivo' }, 'telephony_error'],
  ])('and over because %s ends as what it is', async (_, parameters, endReason) => {
    const call = await dial();
    await call.ring();
    const stream = await Stream.open((await call.answer()).streamUrl);
    await call.hangup(parameters);
    expect(await ended(call)).toMatchObject({ endReason, answeredAt: expect.any(Number) });
    expect(await stream.closed).toBe(1006);
  });

  test('and over because its bot was done ends as such, and is ended at the carrier', async () => {
    const call = await dial();
    const document = await call.answer();
    const stream = await Stream.open(document.streamUrl);
    holdTimers();
    stream.order('return');
    expect(await stream.closed).toBe(1000);
    expect((await served.carrier.follow(document)).verbs).toEqual(['Hangup']);
    await until(() => jest.getTimerCount() > 0, 'the carrier is given a moment');
    jest.advanceTimersByTime(2_000);
    await served.api.next('DELETE', new RegExp(call.callId));
    await call.hangup({ HangupCauseCode: '1000', HangupSource: 'API Request' });
    expect(await ended(call)).toMatchObject({ endReason: 'bot_ended' });
  });
});

describe('a call that is looked at for machines', () => {
  test.each([
    [true, 'machine', 'voicemail'],
    [false, 'person', 'caller_hung_up'],
  ] as const)('goes on where that is only to be told (machine: %s)', async (isMachine, answeredBy, endReason) => {
    const call = await dial();
    const stream = await Stream.open((await call.answer()).streamUrl);
    await call.machine(isMachine);
    await served.record(call.id, { answeredBy });
    stream.order('print');
    await stream.event('done');
    await call.hangup();
    expect(await ended(call)).toMatchObject({ endReason });
    expect(hungUp(call.callId)).toEqual([]);
  });

  test('is ended where a machine is not wanted, even by a carrier that does not do so itself', async () => {
    await using choosy = await RunnerUnderTest.start({ ...IN_PROCESS, machineDetection: 'hangup' });
    const call = await choosy.carrier.dial(choosy.api);
    await Stream.open((await call.answer()).streamUrl);
    holdTimers();
    await call.machine(true);
    jest.advanceTimersByTime(2_000);
    await choosy.api.next('DELETE', new RegExp(`^Call/${call.callId}/$`));
    await call.hangup({ HangupCauseCode: '1000', HangupSource: 'API Request' });
    expect(await choosy.record(call.id, { state: 'ended' })).toMatchObject({ endReason: 'voicemail' });
  });

  test('is not ended by news of another call that was dialled in its place, which is', async () => {
    await using choosy = await RunnerUnderTest.start({ ...IN_PROCESS, machineDetection: 'hangup' });
    const call = await choosy.carrier.dial(choosy.api);
    const stream = await Stream.open((await call.answer()).streamUrl);
    const address = call.address('machine_detection_url');
    await choosy.carrier.tell(address, callParameters('the-other', { Event: 'MachineDetection', Machine: 'true' }));
    await choosy.api.next('DELETE', /^Call\/the-other\/$/);
    stream.order('print');
    await stream.event('done');
  });
});

const EVENTS = ['ring', 'answer', 'hangup'] as const;
const ORDERS = EVENTS.flatMap((first) =>
  EVENTS.filter((event) => event !== first).map((second) => {
    const [third = first] = EVENTS.filter((event) => event !== first && event !== second);
    return [first, second, third] as const;
  }),
);

describe.each([1, 2])('webhooks that come %d times each', (copies) => {
  test.each(ORDERS)('in the order %s, %s, %s end the call once, as the carrier said', async (...order) => {
    const call = await dial();
    let isOver = false;
    for (const event of order) {
      for (let copy = 0; copy < copies; copy += 1) {
        if (event === 'hangup') await call.hangup({ HangupCauseCode: '3010', CallStatus: 'busy' });
        else if (event === 'ring') await call.ring();
        else expect((await call.answer()).verbs).toEqual(isOver ? ['Hangup'] : ['Stream', 'Redirect']);
      }
      isOver ||= event === 'hangup';
    }
    expect(await ended(call)).toMatchObject({ endReason: 'busy', attempt: 1 });
    expect(served.records.all.filter(({ id, state }) => id === call.id && state === 'ended')).toHaveLength(1);
  });
});

test('a ring that comes after the answer changes nothing', async () => {
  const call = await dial();
  const stream = await Stream.open((await call.answer()).streamUrl);
  await served.record(call.id, { state: 'connected' });
  await call.ring();
  stream.order('print');
  await stream.event('done');
  expect(served.records.all.at(-1)).toMatchObject({ id: call.id, state: 'connected' });
});

test('an answer that is asked for again gets the same document', async () => {
  const call = await dial();
  const documents = await Promise.all([call.answer(), call.answer(undefined, 'GET'), call.answer()]);
  expect(new Set(documents.map(({ answer }) => answer.body)).size).toBe(1);
});

describe('a call of which nothing is heard', () => {
  test.each([
    ['not even that it rings', async () => {}],
    ['but that it rings', (call: DialledCall) => call.ring()],
  ])('%s, is looked up a minute after its ringing must be over, and ended', async (_, before) => {
    holdTimers();
    const call = await dial();
    await before(call);
    jest.advanceTimersByTime(89_999);
    expect(served.api.requests.all.map(({ method }) => method)).toEqual(['POST']);
    jest.advanceTimersByTime(1);
    await served.api.next('GET', /status=live.*to_number=12025550101/);
    await served.api.next('DELETE', new RegExp(`^Call/${call.callId}/$`));
    expect(await ended(call)).toMatchObject({ endReason: 'no_answer' });
  });

  test.each([
    ['still rings there', (callId: string) => ({ status: 200, body: { calls: [callId] } })],
    ['cannot be looked up', () => ({ status: 401 })],
  ])('and that %s, is looked up again later', async (_, answer) => {
    holdTimers();
    const call = await dial();
    served.api.respond = ({ path }) => (/status=live/.test(path) ? answer(call.callId) : undefined);
    const looks = () => served.api.requests.all.filter(({ path }) => /status=live/.test(path)).length;
    const passes = (condition: () => boolean, what: string) =>
      until(() => {
        jest.advanceTimersByTime(10_000);
        return condition();
      }, what);
    await passes(() => looks() >= 2, 'the call is looked up twice');
    expect(hungUp(call.callId)).toEqual([]);
    served.api.respond = () => undefined;
    await passes(() => hungUp(call.callId).length > 0, 'the call is ended');
    expect(await ended(call)).toMatchObject({ endReason: 'no_answer' });
  });

  test('after its answer, is over when no stream comes', async () => {
    holdTimers();
    const call = await dial();
    await call.answer();
    jest.advanceTimersByTime(30_000);
    expect(await ended(call)).toMatchObject({ endReason: 'telephony_error' });
    await served.api.next('DELETE', new RegExp(call.callId));
  });
});

describe('a call that is dialled twice', () => {
  test.each(['rings', 'is answered'])('is one call: the second one that %s is ended', async (how) => {
    const call = await dial();
    await call.ring();
    const stream = await Stream.open((await call.answer()).streamUrl);
    const second = randomUUID();
    if (how === 'rings') {
      await call.ring(second);
      await served.api.next('DELETE', new RegExp(`^Call/${second}/$`));
    } else expect((await call.answer(second)).verbs).toEqual(['Hangup']);
    await served.carrier.tell(call.address('hangup_url'), {
      CallUUID: second,
      Direction: 'outbound',
      Event: 'Hangup',
      HangupSource: 'API Request',
    });
    stream.order('print');
    await stream.event('done');
    expect(hungUp(call.callId)).toEqual([]);
    expect(botsOf(call).every(({ attempt, providerCallId }) => attempt === 1 && providerCallId === call.callId)).toBe(
      true,
    );
    await call.hangup();
    expect(await ended(call)).toMatchObject({ endReason: 'caller_hung_up' });
  });
});

test('a carrier that does not name its call at once names it when it rings', async () => {
  served.api.respond = ({ method }) => (method === 'POST' ? { status: 201, body: { message: 'queued' } } : undefined);
  const { status, body } = await startCall(served.runner);
  expect([status, body.carrier_call_id]).toEqual([202, null]);

  const call = await dial();
  expect(await served.record(call.id, { state: 'dialling' })).not.toHaveProperty('providerCallId');
  await call.ring();
  expect(await served.record(call.id, { state: 'ringing' })).toMatchObject({ providerCallId: call.callId });
  const stream = await Stream.open((await call.answer()).streamUrl);
  expect(stream.hello.call.id).toBe(call.id);
  await call.ring(randomUUID());
  await served.api.next('DELETE', /^Call\//);
  expect(hungUp(call.callId)).toEqual([]);
});

test('a call that the carrier names otherwise than the request for it is one call', async () => {
  const call = await dial();
  const callId = randomUUID();
  const parameters = { Direction: 'outbound', Event: 'Ring', RequestUUID: call.callId };
  await served.carrier.tell(call.address('ring_url'), callParameters(callId, parameters));
  expect(await served.record(call.id, { state: 'ringing' })).toMatchObject({ providerCallId: callId });
  expect((await Stream.open((await call.answer(callId)).streamUrl)).hello.call.id).toBe(call.id);
  expect(served.api.requests.all.filter(({ method }) => method === 'DELETE')).toEqual([]);
});
