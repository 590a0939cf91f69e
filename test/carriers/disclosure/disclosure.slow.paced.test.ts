import type { HeardNotice } from '../../../src/call/disclosure.js';
import type { SandboxFaults } from '../../../src/sandbox/carrier/faults.js';
import { CARRIERS, type PlayedCarrier } from '../conformance/carriers.js';
import { Rig } from '../conformance/rig.js';
import { dialled } from '../conformance/story.js';
import { CALLEE, disclosingBot, heardBy, overRecord, recordedWords, TEXT } from './disclosed-call.js';
import { TimedPhone } from './timed-phone.js';

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
    process.stderr.write(`${JSON.stringify({ from: recorded.from - from, to: recorded.to - to, heard: (words[0]?.from ?? 0) - from, end: (words.at(-1)?.to ?? 0) - to })}\n`);
    expect(Math.abs(recorded.from - from)).toBeLessThanOrEqual(20);
    expect(Math.abs(recorded.to - to)).toBeLessThanOrEqual(20);
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
    await rig.output.next((line) => line.includes('"loaded"'));
    const spoke = () => rig.noted.some((event) => event.type === 'speech_started' && event.speaker === 'bot');
    await until(spoke, 'the bot speaks', 30_000);
    const pid = rig.runner.pidOf?.(id);
    void pid;
    const record = await overRecord(rig, id);
    expect(record.disclosure).toMatchObject({ text: TEXT });
    void phone;
  });
});
