import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { decodeWav } from '../../../src/base/audio/wav.js';
import { asCallId } from '../../../src/call/call-id.js';
import type { CallRecord } from '../../../src/call/call-record.js';
import { readCallFolder } from '../../../src/call/folder/read-call-folder.js';
import { parsePrices } from '../../../src/runner/costs/prices.js';
import { until } from '../../e2e/processes.js';
import type { RunnerOnSandboxOptions } from '../../runner/runner-on-sandbox.js';
import type { FakeCaller } from '../../sandbox/fake-caller.js';
import { PATIENCE_MS } from '../conformance/caller.js';
import type { Consulting } from '../consulting/consulting.js';
import { writtenFolder } from '../disclosure/disclosed-call.js';
import { amplitude, loudest, samplesOf, toneOf } from './tones.js';

const BOT = fileURLToPath(new URL('bot.ts', import.meta.url));
/** A tone of {@link HOLD}. */
const HOLD_FILE = fileURLToPath(new URL('../../fixtures/audio/hold-2100hz.wav', import.meta.url));

/** What is said and played, in hertz: each by one only. */
export const BRIEFING = 1_500;
export const OWN_WORDS = 700;
export const HOLD = 2_100;
export const CALLER = 1_200;
export const COLLEAGUE = 2_700; // above the hold melody
/** Amplitudes: tones have 8000, and what begins or ends within 20 ms a little of all others. */
const LOUD = 3_000;
const SILENT = 1_200;

const leg = { unit: 'minute', amount: '0.01', rounding: 60 };
const prices = parsePrices(
  {
    currency: 'EUR',
    items: ['plivo', 'twilio', 'telnyx', 'daily'].flatMap((provider) =>
      ['carrier', 'media_stream', 'room'].map((service) => ({ provider, service, ...leg })),
    ),
  },
  'prices.json',
);

/** What the runner of the stories is started with. */
export const WARM: RunnerOnSandboxOptions = {
  prices,
  botFile: BOT,
  recording: 'always',
  environment: { HOLD_FILE },
  warm: 2,
};
type Open = () => Promise<Consulting>;

/** Resolves when a tone is heard in the last half second. */
export const hears = (phone: FakeCaller, hertz: number, who: string) =>
  until(() => amplitude(samplesOf(phone.heard.all.slice(-25)), hertz) > LOUD, `${who} hears ${hertz} Hz`, PATIENCE_MS);

/** What one ear has heard, or one mouth has said. */
interface Track {
  readonly pcm: Int16Array;
  /** Hertz. */
  readonly rate: number;
}

export const heardBy = (phone: FakeCaller): Track => trackOf(phone.heard.all);

export const trackOf = (frames: readonly Uint8Array[]): Track => ({ pcm: samplesOf(frames), rate: 8_000 });

/** Which of the tones are in a track, and no other, but for those that may be. */
export function expectTones({ pcm, rate }: Track, tones: readonly number[], mayBe: readonly number[] = []): void {
  const level = (hertz: number) => {
    const most = loudest(pcm, hertz, rate);
    return most > LOUD ? 'loud' : most < SILENT ? 'silent' : most;
  };
  const all = [BRIEFING, OWN_WORDS, HOLD, CALLER, COLLEAGUE].filter((hertz) => !mayBe.includes(hertz));
  expect(all.map((hertz) => [hertz, level(hertz)])).toEqual(
    all.map((hertz) => [hertz, tones.includes(hertz) ? 'loud' : 'silent']),
  );
}

/** What the recording of a call has: what its other party has said, and what they have heard. */
async function recorded(at: Consulting, id: string): Promise<readonly [Track, Track]> {
  const { audio } = await readCallFolder(await writtenFolder(at.rig, asCallId(id)));
  if (!audio) throw new Error(`nothing is recorded of ${id}`);
  const { channels, sampleRate: rate } = decodeWav(readFileSync(audio.path));
  return channels.map((pcm) => ({ pcm, rate })) as [Track, Track];
}

/** Each of the two calls pays for itself alone, and for its media from the first bot to the end. */
function expectOwnCost({ cost, connectedAt = 0, endedAt = 0 }: CallRecord, direction: string): void {
  const inRoom = cost?.parts.some(({ service }) => service === 'room');
  const seconds = ((endedAt - connectedAt) / 1_000) * (inRoom ? 2 : 1);
  expect(cost?.parts).toEqual([
    expect.objectContaining({ service: 'carrier', direction }),
    expect.objectContaining({ service: inRoom ? 'room' : 'media_stream', units: expect.closeTo(seconds, 2) }),
  ]);
}

export async function connected(open: Open): Promise<void> {
  await using at = await open();
  await using colleague = await at.colleague();
  const caller = at.line.phone;
  caller.says = toneOf(CALLER);
  colleague.says = toneOf(COLLEAGUE);
  at.line.press('1');
  await hears(caller, HOLD, 'the caller');
  await hears(colleague, BRIEFING, 'the colleague');
  await hears(caller, HOLD, 'the caller');
  const [leg] = await at.legs();
  // until the colleague takes the call, neither hears the other, nor what is meant for the other
  expectTones(trackOf(at.heardByCaller), [OWN_WORDS, HOLD]);
  expectTones(heardBy(colleague), [BRIEFING]);
  colleague.client.press('1');
  expect(await at.tells('outcome')).toMatchObject({ status: 'answered' });
  await hears(caller, COLLEAGUE, 'the caller');
  await hears(colleague, CALLER, 'the colleague');
  const talking = colleague.heard.all.length;
  await until(() => colleague.heard.all.length > talking + 50, 'they talk for a second', PATIENCE_MS);
  colleague.client.hangUp();
  const ended = await at.ended(at.id);
  expect(ended).toMatchObject({ endReason: 'transferred' });
  expectOwnCost(ended, 'inbound');
  expectOwnCost(await at.ended(leg?.id ?? ''), 'outbound');
  servedByOne(at);
  await at.noCallIsLeft();
  expectTones(trackOf(at.heardByCaller), [OWN_WORDS, HOLD, COLLEAGUE]);
  expectTones(heardBy(colleague), [BRIEFING, CALLER]);
  // what the bot has kept of both calls agrees
  const [callersWords, callerHeard] = await recorded(at, at.id);
  expectTones(callersWords, [CALLER]);
  expectTones(callerHeard, [OWN_WORDS, HOLD, COLLEAGUE]);
  const [colleaguesWords, colleagueHeard] = await recorded(at, leg?.id ?? '');
  expectTones(colleaguesWords, [COLLEAGUE]);
  expectTones(colleagueHeard, [BRIEFING, CALLER]);
}

async function declined(open: Open): Promise<void> {
  await using at = await open();
  await using colleague = await at.colleague();
  at.line.press('1');
  await hears(colleague, BRIEFING, 'the colleague');
  colleague.client.press('2');
  await backWithBot(at, 'declined');
  await colleague.ended();
  await over(at);
}

/** The number of who has declined is called again at once, and the next one there takes the call. */
async function declinedOnce(open: Open): Promise<void> {
  await using at = await open();
  await using first = await at.colleague();
  await using second = await at.colleague();
  second.says = toneOf(COLLEAGUE);
  at.line.press('1');
  await hears(first, BRIEFING, 'the first one');
  first.client.press('2');
  expect(await at.tells('outcome')).toMatchObject({ status: 'declined' });
  at.line.press('1');
  await hears(second, BRIEFING, 'the second one');
  second.client.press('1');
  await at.tellsOf('outcome', ({ status }) => status === 'answered');
  await hears(at.line.phone, COLLEAGUE, 'the caller');
  second.client.hangUp();
  expect(await at.ended(at.id)).toMatchObject({ endReason: 'transferred' });
  await at.noCallIsLeft();
}

async function hungUp(open: Open): Promise<void> {
  await using at = await open();
  await using colleague = await at.colleague();
  at.line.press('1');
  await hears(colleague, BRIEFING, 'the colleague');
  colleague.client.hangUp();
  await backWithBot(at, 'hung_up');
  await over(at);
}

/** @param key of the caller's, for one who does not come */
async function notReached(open: Open, key: string, status: string): Promise<void> {
  await using at = await open();
  at.line.press(key);
  await backWithBot(at, status);
  await over(at);
}

/** The bot knows why, and the caller hears it, and has heard nothing that was meant for others. */
async function backWithBot(at: Consulting, status: string): Promise<void> {
  const { status: told, detail } = await at.tells('outcome');
  if (told !== status) throw new Error(`the outcome is ${told}, not ${status}: ${detail}`);
  await until(
    () => amplitude(samplesOf(at.line.phone.heard.all.slice(-10)), HOLD) < SILENT,
    'the caller is not on hold any more',
    PATIENCE_MS,
  );
  expectTones(trackOf(at.heardByCaller), [OWN_WORDS], [HOLD]); // who is busy is so at once
}

/** No bot has failed. In a room a second one is started where the first takes long to join. */
const servedByOne = ({ rig, id }: Consulting): void =>
  expect(rig.told.filter((told) => told.event === 'serves' && told.id === id)).toHaveLength(1);

async function over(at: Consulting): Promise<void> {
  at.line.hangUp();
  expect(await at.ended(at.id)).toMatchObject({ endReason: 'caller_hung_up' });
  servedByOne(at);
  await at.noCallIsLeft();
}

/** How long the phone of one who does not pick up rings, in milliseconds. */
const UNANSWERED_MS = 60_000;

async function callerLeavesRinging(open: Open): Promise<void> {
  await using at = await open();
  await using colleague = await at.colleague(UNANSWERED_MS);
  at.line.press('1');
  const leg = await at.rig.anyRecord({ linkedTo: at.id, state: 'ringing' }, PATIENCE_MS);
  at.line.hangUp();
  expect(await at.tells('transfer')).toMatchObject({ status: 'caller_left' });
  expect(await at.ended(at.id)).toMatchObject({ endReason: 'caller_hung_up' });
  await at.ended(leg.id);
  await at.noCallIsLeft();
  expect(colleague.events.all.some(({ type }) => type === 'answered')).toBe(false);
  expectTones(trackOf(at.heardByCaller), [OWN_WORDS], [HOLD]);
}

async function callerLeaves(open: Open): Promise<void> {
  await using at = await open();
  await using colleague = await at.colleague();
  at.line.press('1');
  await hears(colleague, BRIEFING, 'the colleague');
  at.line.hangUp();
  await colleague.ended();
  expect(await at.tells('transfer')).toMatchObject({ status: 'caller_left' });
  expect(await at.ended(at.id)).toMatchObject({ endReason: 'caller_hung_up' });
  await at.noCallIsLeft();
}

/** The outcomes of a warm transfer, by their titles. @param where such as `at plivo` */
export const warmStories = (where: string, open: Open): Readonly<Record<string, () => Promise<void>>> => {
  const back = (why: string, run: () => Promise<void>) => [
    `${where}, the caller of a colleague who ${why} is with the bot again, which knows why`,
    run,
  ];
  return Object.fromEntries([
    [
      `${where}, the two are connected when the colleague takes the call, and until then each hears only what is meant for them`,
      () => connected(open),
    ],
    back('declines when briefed', () => declined(open)),
    [
      `${where}, the number of a colleague who declines is called again at once, and who answers then takes the call`,
      () => declinedOnce(open),
    ],
    back('hangs up when briefed', () => hungUp(open)),
    back('is busy', () => notReached(open, '2', 'busy')),
    back('does not answer', () => notReached(open, '3', 'no_answer')),
    back('declines the call', () => notReached(open, '4', 'rejected')),
    back('has a voicemail', () => notReached(open, '5', 'voicemail')),
    [`${where}, a caller who hangs up while the colleague rings ends the ringing`, () => callerLeavesRinging(open)],
    [`${where}, a caller who hangs up while the colleague is briefed ends that call`, () => callerLeaves(open)],
  ]);
};
