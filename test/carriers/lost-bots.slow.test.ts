import { levelDb } from '../../src/base/audio/level.js';
import { decodeMulaw } from '../../src/base/audio/mulaw.js';
import type { BrokenStreams, SandboxFaults } from '../../src/sandbox/carrier/faults.js';
import type { SandboxCarrier } from '../../src/sandbox/faces.js';
import { until } from '../e2e/processes.js';
import { testsAtOnce } from '../tests-at-once.js';
import { PATIENCE_MS } from './conformance/caller.js';
import { CARRIERS, type PlayedCarrier } from './conformance/carriers.js';
import { Rig } from './conformance/rig.js';
import { greeted } from './conformance/story.js';

/** Mu-law that is louder than this is a tone, in decibels below full scale. */
const LOUD_DB = -30;
const CALLER = '+12025550121';
/** When the carrier loses streams: the two talk by then on a busy machine, too, and with the next bot the call is over before that. */
const BREAK_AFTER_MS = 5_000;
const LIMIT_MS = 300_000;

type Loss = 'the bot is killed' | 'the carrier loses the stream';
type Remedy = readonly [does: string, brokenStreams: BrokenStreams, resumes: number];

const AT_ONCE: Remedy = ['the carrier connects the stream again at once', { reconnectAfterMs: 0 }, 0];
const SOON: Remedy = ['the carrier connects the stream again after 500 ms', { reconnectAfterMs: 500 }, 0];
const NOTHING: Remedy = ['the carrier does nothing: the REST API fetches the caller', {}, 1];

/** Each carrier with each loss, each carrier with each remedy, and each loss with each remedy. */
const LOSSES: ReadonlyArray<readonly [SandboxCarrier, Loss, Remedy]> = [
  ['plivo', 'the bot is killed', AT_ONCE],
  ['plivo', 'the carrier loses the stream', SOON],
  ['plivo', 'the carrier loses the stream', NOTHING],
  ['telnyx', 'the carrier loses the stream', AT_ONCE],
  ['telnyx', 'the bot is killed', SOON],
  ['telnyx', 'the bot is killed', NOTHING],
  ['twilio', 'the carrier loses the stream', AT_ONCE],
  ['twilio', 'the bot is killed', SOON],
  ['twilio', 'the bot is killed', NOTHING],
];

function startAt(name: SandboxCarrier, faults: SandboxFaults): Promise<Rig> {
  const played = CARRIERS.find((carrier) => carrier.name === name) as PlayedCarrier;
  return Rig.of({ ...played, account: { ...played.account, faults } }, { warm: 2 });
}

/** A caller to whom the bot says one long tone. */
async function inTalk(rig: Rig) {
  const { line, id } = await greeted(rig, CALLER);
  const { pid } = await rig.serves(CALLER);
  line.press('3');
  await line.hearsTone();
  return { line, id, pid: Number(pid) };
}

async function isReplaced(name: SandboxCarrier, loss: Loss, [, brokenStreams, resumes]: Remedy): Promise<void> {
  const isKilled = loss === 'the bot is killed';
  await using rig = await startAt(name, {
    brokenStreams,
    ...(isKilled ? {} : { breakStreamsAfterMs: BREAK_AFTER_MS }),
  });
  const { line, id, pid } = await inTalk(rig);
  if (isKilled) process.kill(pid, 'SIGKILL');
  await rig.hears(id, 'greeted', 2);
  expect(rig.tap.webhooksOf(id).filter(({ path }) => path.startsWith('/resume'))).toHaveLength(resumes);
  line.press('1'); // by the next bot
  expect(await rig.over(id)).toMatchObject({ attempt: 2, endReason: 'bot_ended' });
  await until(() => rig.sandbox.liveCalls === 0, 'no call is left at the carrier', PATIENCE_MS);
  if (resumes > 0) return;
  const [first, second, ...others] = rig.tap.streams.map(({ path }) => path);
  expect(second).toBe(first);
  expect(others).toEqual([]);
  if (isKilled) return;
  const warnings = rig.warnings.map(({ message }) => message);
  expect(warnings).toContain('a call has lost its media stream, starting another bot');
}

async function namedOtherwise(): Promise<void> {
  await using rig = await startAt('telnyx', { hasTwoCallNames: true });
  const { line, id } = await inTalk(rig);
  line.press('1');
  expect(await rig.over(id)).toMatchObject({ attempt: 1, endReason: 'bot_ended' });
  await line.ended();
}

async function inAnotherCodec(): Promise<void> {
  await using rig = await startAt('telnyx', { otherCodec: 'G722' });
  const line = await rig.call(CALLER);
  await line.ended();
  const [call] = await rig.callsOf(CALLER);
  expect(await rig.over(call?.id as string)).toMatchObject({ attempt: 1, endReason: 'audio_unreadable' });
  expect(line.phone.heard.all.some((frame) => levelDb(decodeMulaw(frame)) > LOUD_DB)).toBe(true); // the recorded line
  expect(rig.tap.streams).toHaveLength(1);
}

testsAtOnce(
  {
    ...Object.fromEntries(
      LOSSES.map(([name, loss, remedy]) => [
        `at ${name}, when ${loss}, the caller has another bot; ${remedy[0]}`,
        () => isReplaced(name, loss, remedy),
      ]),
    ),
    'at telnyx, a stream that names its call otherwise than the webhooks is served, and its call is ended by the name that REST knows':
      namedOtherwise,
    'at telnyx, a stream that comes in G.722 is refused once, with its cause and cure': inAnotherCodec,
  },
  LIMIT_MS,
  3,
);
