import { levelDb } from '../../src/base/audio/level.js';
import { decodeMulaw } from '../../src/base/audio/mulaw.js';
import type { SandboxFaults } from '../../src/sandbox/carrier/faults.js';
import { until } from '../e2e/processes.js';
import { PATIENCE_MS } from './conformance/caller.js';
import { CARRIERS, type PlayedCarrier } from './conformance/carriers.js';
import { Rig } from './conformance/rig.js';
import { greeted } from './conformance/story.js';

jest.setTimeout(90_000);

const FRAME_MS = 20;
/** Mu-law that is louder than this is a tone, in decibels below full scale. */
const LOUD_DB = -30;
const CALLER = '+12025550121';

const startAt = (played: PlayedCarrier, faults: SandboxFaults) =>
  Rig.of({ ...played, account: { ...played.account, faults } }, { warm: 2 });

/** A caller to whom the bot says one long tone. */
async function inTalk(rig: Rig) {
  const { line, id } = await greeted(rig, CALLER);
  const { pid } = await rig.serves(CALLER);
  line.press('3');
  await line.hearsTone();
  return { line, id, pid: Number(pid) };
}

/** How long the caller has heard nothing between the tone of the first bot and that of the next, in milliseconds. */
function silenceMs(heard: readonly Uint8Array[]): number {
  const loud = heard.flatMap((frame, n) => (levelDb(decodeMulaw(frame)) > LOUD_DB ? [n] : []));
  const gaps = loud.slice(1).map((frame, n) => (frame - (loud[n] ?? 0) - 1) * FRAME_MS);
  return Math.max(...gaps);
}

/** The next bot has the caller, who ends the call by it. */
async function goesOn(rig: Rig, { line, id }: Awaited<ReturnType<typeof inTalk>>) {
  await rig.hears(id, 'greeted', 2);
  const silentMs = silenceMs(line.phone.heard.all);
  const resumes = rig.tap.webhooksOf(id).filter(({ path }) => path.startsWith('/resume')).length;
  line.press('1');
  expect(await rig.over(id)).toMatchObject({ attempt: 2, endReason: 'bot_ended' });
  await until(() => rig.sandbox.liveCalls === 0, 'no call is left at the carrier', PATIENCE_MS);
  return { silentMs, resumes };
}

const pathsOf = (rig: Rig) => rig.tap.streams.map(({ path }) => path);

test('at telnyx, a stream that names its call otherwise than the webhooks is served, and its call is ended by the name that REST knows', async () => {
  const played = CARRIERS.find(({ name }) => name === 'telnyx') as PlayedCarrier;
  await using rig = await startAt(played, { hasTwoCallNames: true });
  const { line, id } = await inTalk(rig);
  line.press('1');
  expect(await rig.over(id)).toMatchObject({ attempt: 1, endReason: 'bot_ended' });
  await line.ended();
});

test('at telnyx, a stream that comes in G.722 is refused once, with its cause and cure', async () => {
  const played = CARRIERS.find(({ name }) => name === 'telnyx') as PlayedCarrier;
  await using rig = await startAt(played, { otherCodec: 'G722' });
  const line = await rig.call(CALLER);
  await line.ended();
  const [call] = await rig.callsOf(CALLER);
  expect(await rig.over(call?.id as string)).toMatchObject({ attempt: 1, endReason: 'audio_unreadable' });
  expect(line.phone.heard.all.some((frame) => levelDb(decodeMulaw(frame)) > LOUD_DB)).toBe(true); // the recorded line
  expect(rig.tap.streams).toHaveLength(1);
});

describe.each(CARRIERS)('at $name', (played: PlayedCarrier) => {
  test.each([0, 500])(
    'a caller whose bot is killed has another one when the carrier only connects the stream again, after %i ms',
    async (reconnectAfterMs) => {
      await using rig = await startAt(played, { brokenStreams: { reconnectAfterMs } });
      const talk = await inTalk(rig);
      process.kill(talk.pid, 'SIGKILL');
      const { resumes } = await goesOn(rig, talk);
      expect(resumes).toBe(0);
      const [first, second, ...others] = pathsOf(rig);
      expect(second).toBe(first);
      expect(others).toEqual([]);
    },
  );

  test('a caller whose bot is killed is fetched by the REST API when the carrier does nothing', async () => {
    await using rig = await startAt(played, { brokenStreams: {} });
    const talk = await inTalk(rig);
    process.kill(talk.pid, 'SIGKILL');
    const { resumes } = await goesOn(rig, talk);
    expect(resumes).toBe(1);
  });

  test('a stream that the carrier loses and connects again has another bot', async () => {
    await using rig = await startAt(played, { brokenStreams: { reconnectAfterMs: 0 }, breakStreamsAfterMs: 3_000 });
    const { resumes } = await goesOn(rig, await inTalk(rig));
    expect(resumes).toBe(0);
    expect(rig.warnings.map(({ message }) => message)).toContain(
      'a call has lost its media stream, starting another bot',
    );
  });

  test('a stream that the carrier loses without doing anything is fetched by the REST API', async () => {
    await using rig = await startAt(played, { brokenStreams: {}, breakStreamsAfterMs: 3_000 });
    const talk = await inTalk(rig);
    const { resumes } = await goesOn(rig, talk);
    expect(resumes).toBe(1);
  });
});
