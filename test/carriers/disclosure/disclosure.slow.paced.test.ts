import type { HeardNotice } from '../../../src/call/disclosure.js';
import type { TimelineEvent } from '../../../src/call/timeline.js';
import type { SandboxFaults } from '../../../src/sandbox/carrier/faults.js';
import { until } from '../../e2e/processes.js';
import { RunnerOnSandbox } from '../../runner/runner-on-sandbox.js';
import { CARRIERS, type PlayedCarrier } from '../conformance/carriers.js';
import { Rig } from '../conformance/rig.js';
import { dialled } from '../conformance/story.js';
import { CALLEE, disclosingBot, heardBy, overRecord, recordedWords, TEXT } from './disclosed-call.js';
import { TimedPhone } from './timed-phone.js';

jest.setTimeout(180_000);

const LISTED = 'Your number is on our do-not-call list now. We will not call you again.';
/** How closely the record and the recording agree, in milliseconds. */
const AGREES_MS = 20;
/** Who answers in the moment in which they hear something is recorded so closely to it, in milliseconds, also where all of them share a busy process. */
const AT_ONCE_MS = 200;

const startAt = (played: PlayedCarrier, faults: SandboxFaults = {}): Promise<Rig> =>
  Rig.of(
    { ...played, account: { ...played.account, faults } },
    { warm: 2, botFile: disclosingBot, recording: 'always' },
  );

describe.each(CARRIERS)('at $name', (played) => {
  test('the callee hears it first, and the bot goes on when that is acknowledged', async () => {
    await using rig = await startAt(played);
    await using phone = await TimedPhone.attending(rig.sandbox, CALLEE);
    phone.echo();
    const id = await dialled(rig, CALLEE);
    const { disclosure } = await overRecord(rig, id);
    const { from, to, ...rest } = disclosure as HeardNotice;
    expect(rest).toEqual({ text: TEXT, evidence: 'acknowledged', heardBy: CALLEE });
    const { callee, ...words } = await recordedWords(rig, id, from);
    expect(Math.abs(words.from - from)).toBeLessThan(AGREES_MS);
    expect(Math.abs(words.to - to)).toBeLessThan(AGREES_MS);
    // what the callee has heard, by what they have said at the same moment: whatever the machine's clock does meanwhile
    expect(Math.abs(callee.from - from)).toBeLessThan(AT_ONCE_MS);
    expect(Math.abs(callee.to - to)).toBeLessThan(AT_ONCE_MS);
    expect(orderOf(phone)).toEqual(['words', 'tone']);
    expect(heardBy(phone).tone?.from).toBeGreaterThan(acknowledgedAt(rig));
  });

  test('who speaks and presses keys meanwhile stops nothing, and hears behind it what has come of a wish', async () => {
    await using rig = await startAt(played);
    await using phone = await TimedPhone.attending(rig.sandbox, CALLEE);
    phone.says = (frame) => {
      if (frame % 50 === 0) phone.phone.client.press('5');
      return new Uint8Array(160).fill(frame % 2 === 0 ? 0x10 : 0x90);
    };
    const id = await dialled(rig, CALLEE);
    const { disclosure, doNotCall } = await overRecord(rig, id);
    expect(disclosure).toMatchObject({ text: TEXT, evidence: 'acknowledged' });
    expect(doNotCall?.at).toBeLessThan(Number(disclosure?.to));
    expect(rig.noted.flatMap((event) => (event.type === 'said' ? [event.text] : []))).toEqual([TEXT, LISTED]);
    const { words } = heardBy(phone);
    expect((words.at(-1)?.to ?? 0) - (words[0]?.from ?? 0)).toBeGreaterThan(1_500);
  });

  test('a carrier that acknowledges nothing: it is said twice, and the call is ended', async () => {
    await using rig = await startAt(played, { losesMarks: true });
    await using phone = await TimedPhone.attending(rig.sandbox, CALLEE);
    const id = await dialled(rig, CALLEE);
    const record = await overRecord(rig, id);
    expect(record).toMatchObject({ endReason: 'telephony_error', attempt: 1 });
    expect(record.disclosure).toBeUndefined();
    const { tone, words } = heardBy(phone);
    expect(tone).toBeUndefined();
    expect(words.length).toBeGreaterThanOrEqual(2);
    const warning = rig.noted.find((event) => event.type === 'warning' && event.errorType === 'VB_NOTICE_UNHEARD');
    expect(warning).toBeDefined();
  });

  test('a bot that is killed meanwhile: the next one says it again, from its beginning', async () => {
    await using rig = await startAt(played, { brokenStreams: { reconnectAfterMs: 0 } });
    await using phone = await TimedPhone.attending(rig.sandbox, CALLEE);
    const id = await dialled(rig, CALLEE);
    await until(() => rig.noted.some(isBotsSpeech), 'the bot speaks', 30_000);
    const served = rig.told.find(({ event }) => event === 'takes');
    process.kill(Number(served?.pid), 'SIGKILL');
    const { disclosure, attempt } = await overRecord(rig, id);
    expect(attempt).toBe(2);
    const { from, to, ...rest } = disclosure as HeardNotice;
    expect(rest).toEqual({ text: TEXT, evidence: 'acknowledged', heardBy: CALLEE });
    const words = await recordedWords(rig, id, from);
    expect(Math.abs(words.from - from)).toBeLessThan(AGREES_MS);
    expect(Math.abs(words.to - to)).toBeLessThan(AGREES_MS);
    expect(heardBy(phone).tone?.from).toBeGreaterThan(acknowledgedAt(rig));
    expect(rig.told.filter(({ event }) => event === 'goes_on')).toEqual([expect.objectContaining({ attempt: 2 })]);
  });

  test('a bot that is killed when it was heard: the next one does not say it again', async () => {
    await using rig = await startAt(played, { brokenStreams: { reconnectAfterMs: 0 } });
    await using phone = await TimedPhone.attending(rig.sandbox, CALLEE);
    const id = await dialled(rig, CALLEE);
    await until(() => rig.told.some(({ event }) => event === 'goes_on'), 'the bot goes on', 60_000);
    const heard = rig.records.all.findLast((record) => record.id === id)?.disclosure;
    process.kill(Number(rig.told.find(({ event }) => event === 'takes')?.pid), 'SIGKILL');
    const record = await overRecord(rig, id);
    expect(record).toMatchObject({ attempt: 2, disclosure: heard });
    expect(rig.noted.filter(({ type }) => type === 'notice_heard')).toHaveLength(1);
    expect(orderOf(phone)).toEqual(['words', 'tone']);
    const words = await recordedWords(rig, id, Number(heard?.from));
    expect(Math.abs(words.from - Number(heard?.from))).toBeLessThan(AGREES_MS);
    expect(Math.abs(words.to - Number(heard?.to))).toBeLessThan(AGREES_MS);
  });
});

test('in a room it counts when it was sent, and the record agrees with the recording, too', async () => {
  await using rig = await RunnerOnSandbox.start({ transport: 'rooms', botFile: disclosingBot, recording: 'always' });
  await using phone = await TimedPhone.attending(rig.sandbox, CALLEE);
  const { callId } = await rig.runner.dial({ phoneNumber: CALLEE, body: {}, parameters: {} });
  const { disclosure } = await overRecord(rig, callId);
  const { from, to, ...rest } = disclosure as HeardNotice;
  expect(rest).toEqual({ text: TEXT, evidence: 'sent', heardBy: CALLEE });
  const words = await recordedWords(rig, callId, from);
  expect(Math.abs(words.from - from)).toBeLessThan(AGREES_MS);
  expect(Math.abs(words.to - to)).toBeLessThan(AGREES_MS);
  expect(orderOf(phone).slice(0, 2)).toEqual(['words', 'tone']); // the codec blurs the end of a tone
});

/** When the bot knew that it was heard, milliseconds since the Unix epoch. */
const acknowledgedAt = (rig: RunnerOnSandbox) =>
  rig.noted.find(({ type }) => type === 'notice_heard')?.at ?? Number.NaN;

const orderOf = (phone: TimedPhone) => {
  const kinds = phone.sounds.map(({ isTone }) => (isTone ? 'tone' : 'words'));
  return kinds.filter((kind, n) => kind !== kinds[n - 1]);
};

const isBotsSpeech = (event: TimelineEvent) => event.type === 'speech_started' && event.speaker === 'bot';
