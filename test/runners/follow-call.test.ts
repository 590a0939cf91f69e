import { VoicebotError } from '../../src/base/errors.js';
import type { CallRecord } from '../../src/call/call-record.js';
import { followCall } from '../../src/runners/follow-call.js';
import { CALL } from '../cli/fake-runner.js';

const TIMING = { pollMs: 1, lostMs: 20, limitMs: 10_000 };
const ENDED: CallRecord = { ...CALL, state: 'ended', endedAt: 2_000, endReason: 'busy' };
const outOfReach = () => Promise.reject(new VoicebotError('VB_RUNNER_NOT_FOUND'));

/** Gives these answers, one after another; the last one stays. */
const answering = (...answers: Array<() => Promise<CallRecord | undefined>>) => ({
  url: 'http://127.0.0.1:7860',
  call: () => ((answers.length > 1 ? answers.shift() : answers[0]) ?? outOfReach)(),
});
const record = (call: CallRecord | undefined) => () => Promise.resolve(call);

function follow(runner: Parameters<typeof followCall>[0], timing = TIMING, signal = new AbortController().signal) {
  const seen: CallRecord[] = [];
  return { seen, end: followCall(runner, 'out_1', (call) => seen.push(call), signal, timing) };
}

test('tells each change once, the end included', async () => {
  const ringing: CallRecord = { ...CALL, state: 'ringing' };
  const { seen, end } = follow(
    answering(record(CALL), record(CALL), record(ringing), record({ ...ringing }), record(ENDED)),
  );
  expect(await end).toEqual(ENDED);
  expect(seen).toEqual([CALL, ringing, ENDED]);
});

test('bears with a runner that is out of reach for a moment', async () => {
  const { end } = follow(answering(record(CALL), outOfReach, record(ENDED)), { ...TIMING, lostMs: 10_000 });
  expect(await end).toEqual(ENDED);
});

test('gives up on a runner that stays out of reach, and says how far the call had come', async () => {
  const connected: CallRecord = { ...CALL, state: 'connected' };
  const words = (state: string) => ({
    code: 'VB_RUNNER_NOT_FOUND',
    message: `No running runner was found: the runner went away while call out_1 was ${state}; on a real carrier it may go on`,
  });
  const { end } = follow(answering(record(CALL), record(connected), outOfReach));
  await expect(end).rejects.toMatchObject(words('connected'));
  await expect(follow(answering(outOfReach)).end).rejects.toMatchObject(words('dialling'));
});

test('gives up at once when the runner refuses to tell, or knows the call no longer', async () => {
  const timing = { ...TIMING, lostMs: 10_000 };
  const refusing = answering(record(CALL), () => Promise.reject(new VoicebotError('VB_UNAUTHORISED')));
  await expect(follow(refusing, timing).end).rejects.toMatchObject({ code: 'VB_UNAUTHORISED' });
  await expect(follow(answering(record(CALL), record(undefined)), timing).end).rejects.toMatchObject({
    code: 'VB_CALL_FAILED',
    hint: expect.stringContaining('npx voicebot calls'),
  });
});

test('ends when the longest possible call is over', async () => {
  await expect(follow(answering(record(CALL)), { ...TIMING, limitMs: 20 }).end).rejects.toMatchObject({
    code: 'VB_DEADLINE_EXCEEDED',
  });
});

test('ends when it is told to', async () => {
  const abort = new AbortController();
  const { end } = follow(answering(record(CALL)), { ...TIMING, pollMs: 60_000 }, abort.signal);
  setImmediate(() => abort.abort());
  await expect(end).rejects.toMatchObject({ name: 'AbortError' });
});
