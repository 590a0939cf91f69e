import type { HeardNotice } from '../../../src/call/disclosure.js';
import type { CallRunnerLink } from '../../../src/call/runner-link.js';
import { until } from '../../e2e/processes.js';
import { hurried } from '../../hasty-clock.js';
import { OpenedCall, type Opening } from './opened-call.js';

hurried();

const NOTICE = 'This call is recorded.';
const REMOVED = 'This call is not recorded any more, and what was recorded has been deleted.';
const heard: HeardNotice = { text: NOTICE, from: 1, to: 2, evidence: 'acknowledged' };

/** A call that is recorded, whose other party has heard so. @param fails what the removal throws */
async function recorded(opening: Partial<Opening> = {}, fails?: Error) {
  const removals: number[] = [];
  const runner: Partial<CallRunnerLink> = {
    heardNotices: { recording: heard },
    isRecorded: () => removals.length === 0,
    removeRecording: () => {
      if (fails) throw fails;
      removals.push(Date.now());
    },
  };
  const { parts, ...rest } = { parts: {}, ...opening };
  const record = { notice: NOTICE, objectKey: '9' };
  const warnings: string[] = [];
  const call = await OpenedCall.begin({
    runner,
    hasEars: true,
    parts: {
      record,
      async onCall(it) {
        it.on('warning', ({ error }) => warnings.push(error.message));
        await it.listen({ words: true, keys: 4, timeoutMs: 5_000 });
        await it.listen({ words: true, keys: 4, timeoutMs: 5_000 });
      },
      ...parts,
    },
    ...rest,
  });
  await until(() => call.done.includes('goes on'), 'the bot has the call', 60_000);
  return { call, removals, warnings, [Symbol.asyncDispose]: () => call[Symbol.asyncDispose]() };
}

test.each([
  ["I don't want to be recorded."],
  ['Please stop recording.'],
  ['Ich möchte keine Aufzeichnung.'],
  ['No quiero que se grabe.'],
  ['Je refuse cet enregistrement.'],
  ['Non voglio essere registrato.'],
])('a caller who says %j has it removed once, and hears so', async (words) => {
  await using it = await recorded();
  it.call.understands(words);
  it.call.understands(words);
  await it.call.phone.ended;
  expect(it.removals).toHaveLength(1);
  expect(it.call.said).toEqual([REMOVED]);
});

test('the key does the same, and the bot does not get it; other keys and words remove nothing', async () => {
  await using other = await recorded();
  other.call.phone.press('8');
  other.call.understands('Please record my address.');
  await other.call.phone.ended;
  expect([other.removals, other.call.said]).toEqual([[], []]);
  const got: unknown[] = [];
  await using it = await recorded({
    parts: { onCall: async (call) => void got.push(await call.listen({ keys: 1, timeoutMs: 2_000 })) },
  });
  it.call.phone.press('9');
  await it.call.phone.ended;
  expect([it.removals.length, it.call.said, got]).toEqual([1, [REMOVED], [undefined]]);
});

test('call.stopRecording() does the same, twice only once', async () => {
  await using it = await recorded({
    parts: {
      onCall(call) {
        call.stopRecording();
        call.stopRecording();
      },
    },
  });
  await it.call.phone.ended;
  expect([it.removals.length, it.call.said]).toEqual([1, [REMOVED]]);
});

test('a call that is not recorded has nothing to stop', async () => {
  await using it = await recorded({
    runner: { isRecorded: () => false },
    parts: { onCall: (call) => call.stopRecording() },
  });
  await it.call.phone.ended;
  expect(it.call.said).toEqual([]);
});

test('where it cannot be removed the bot does not say that it was, and warns', async () => {
  await using it = await recorded({}, new Error('EACCES'));
  it.call.understands('Stop recording.');
  await it.call.phone.ended;
  expect([it.call.said, it.warnings]).toEqual([[], ['EACCES']]);
});

test('a caller who objects and hangs up at once has it removed', async () => {
  await using it = await recorded();
  it.call.seemsToUnderstand('Please do not record this call');
  it.call.phone.hangUp();
  await until(() => it.removals.length > 0, 'it is removed', 30_000);
  expect(it.call.said).toEqual([]);
});
