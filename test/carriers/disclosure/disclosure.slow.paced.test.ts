import type { HeardNotice } from '../../../src/call/disclosure.js';
import type { TimelineEvent } from '../../../src/call/timeline.js';
import type { SandboxFaults } from '../../../src/sandbox/carrier/faults.js';
import { until } from '../../e2e/processes.js';
import { CARRIERS, type PlayedCarrier } from '../conformance/carriers.js';
import { Rig } from '../conformance/rig.js';
import { dialled } from '../conformance/story.js';
import { CALLEE, disclosingBot, heardBy, overRecord, recordedWords, TEXT } from './disclosed-call.js';
import { TimedPhone } from './timed-phone.js';

jest.setTimeout(180_000);

const startAt = (played: PlayedCarrier, faults: SandboxFaults = {}): Promise<Rig> =>
  Rig.of(
    { ...played, account: { ...played.account, faults } },
    { warm: 2, botFile: disclosingBot, recording: 'always' },
  );

describe.each(CARRIERS)('at $name', (played) => {
  test('the callee hears it first, and the bot goes on when that is acknowledged', async () => {
    await using rig = await startAt(played);
    await using phone = await TimedPhone.attending(rig.sandbox, CALLEE);
    const id = await dialled(rig, CALLEE);
    const { disclosure } = await overRecord(rig, id);
    const { from, to, ...rest } = disclosure as HeardNotice;
    expect(rest).toEqual({ text: TEXT, evidence: 'acknowledged', heardBy: CALLEE });
    const { tone, words } = heardBy(phone);
    const recorded = await recordedWords(rig, id);
    // a busy machine has the caller's audio late, whose samples a recording goes by
    const driftMs = recorded.toneFrom - (tone?.from ?? 0);
    expect(Math.abs(recorded.from - from - driftMs)).toBeLessThan(60);
    expect(Math.abs(recorded.to - to - driftMs)).toBeLessThan(60);
    expect(Math.abs((words[0]?.from ?? 0) - from)).toBeLessThan(60);
    expect(tone?.from).toBeGreaterThan(to);
  });

  test('who speaks and presses keys meanwhile stops nothing', async () => {
    await using rig = await startAt(played);
    await using phone = await TimedPhone.attending(rig.sandbox, CALLEE);
    phone.says = (frame) => {
      if (frame % 50 === 0) phone.phone.client.press('5');
      return new Uint8Array(160).fill(frame % 2 === 0 ? 0x10 : 0x90);
    };
    const id = await dialled(rig, CALLEE);
    expect((await overRecord(rig, id)).disclosure).toMatchObject({ text: TEXT, evidence: 'acknowledged' });
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
    const { tone, words } = heardBy(phone);
    expect(tone?.from).toBeGreaterThan(to);
    expect(words.some((sound) => Math.abs(sound.from - from) < 60)).toBe(true);
    expect(rig.told.filter(({ event }) => event === 'goes_on')).toEqual([expect.objectContaining({ attempt: 2 })]);
  });
});

const isBotsSpeech = (event: TimelineEvent) => event.type === 'speech_started' && event.speaker === 'bot';
