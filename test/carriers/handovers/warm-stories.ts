import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decodeWav, encodeWav } from '../../../src/base/audio/wav.js';
import { asCallId } from '../../../src/call/call-id.js';
import { readCallFolder } from '../../../src/call/folder/read-call-folder.js';
import { until } from '../../e2e/processes.js';
import type { FakeCaller } from '../../sandbox/fake-caller.js';
import { testsAtOnce } from '../../tests-at-once.js';
import { PATIENCE_MS } from '../conformance/caller.js';
import { CARRIERS, type PlayedCarrier } from '../conformance/carriers.js';
import { Consulting } from '../consulting/consulting.js';
import { writtenFolder } from '../disclosure/disclosed-call.js';
import { amplitude, loudest, samplesOf, toneOf, toneSamples } from './tones.js';

const LIMIT_MS = 300_000;
const BOT = fileURLToPath(new URL('bot.ts', import.meta.url));

/** What is said and played, in hertz: each by one only. */
const BRIEFING = 1_500;
const OWN_WORDS = 700;
const HOLD = 2_100;
const CALLER = 1_200;
const COLLEAGUE = 400;
/** Amplitudes: tones have 8000, and what begins or ends within 20 ms a little of all others. */
const LOUD = 3_000;
const SILENT = 1_200;

const folder = mkdtempSync(join(tmpdir(), 'voicebot-hold-'));
const HOLD_FILE = join(folder, 'hold.wav');
writeFileSync(HOLD_FILE, encodeWav({ sampleRate: 8_000, channels: [toneSamples(HOLD, 8_000)], encoding: 'L16' }));
afterAll(() => rmSync(folder, { recursive: true }));

const open = (played: PlayedCarrier): Promise<Consulting> =>
  Consulting.open(played, { botFile: BOT, recording: 'always', environment: { HOLD_FILE } });

/** Resolves when a tone is heard in the last half second. */
const heard = (phone: FakeCaller, hertz: number, who: string) =>
  until(() => amplitude(samplesOf(phone.heard.all.slice(-25)), hertz) > LOUD, `${who} hears ${hertz} Hz`, PATIENCE_MS);

/** Which of the tones are in a track, and no other, but for those that may be. */
function expectTones(track: Int16Array, tones: readonly number[], mayBe: readonly number[] = []): void {
  const level = (hertz: number) => {
    const most = loudest(track, hertz);
    return most > LOUD ? 'loud' : most < SILENT ? 'silent' : most;
  };
  const all = [BRIEFING, OWN_WORDS, HOLD, CALLER, COLLEAGUE].filter((hertz) => !mayBe.includes(hertz));
  expect(all.map((hertz) => [hertz, level(hertz)])).toEqual(
    all.map((hertz) => [hertz, tones.includes(hertz) ? 'loud' : 'silent']),
  );
}

/** What the recording of a call has: what its other party has said, and what they have heard. */
async function recorded(at: Consulting, id: string): Promise<readonly [Int16Array, Int16Array]> {
  const { audio } = await readCallFolder(await writtenFolder(at.rig, asCallId(id)));
  if (!audio) throw new Error(`nothing is recorded of ${id}`);
  const { channels } = decodeWav(readFileSync(audio.path));
  return channels as [Int16Array, Int16Array];
}

async function connected(played: PlayedCarrier): Promise<void> {
  await using at = await open(played);
  await using colleague = await at.colleague();
  const caller = at.line.phone;
  caller.says = toneOf(CALLER);
  colleague.says = toneOf(COLLEAGUE);
  at.line.press('1');
  await heard(caller, HOLD, 'the caller');
  await heard(colleague, BRIEFING, 'the colleague');
  await heard(caller, HOLD, 'the caller');
  const [leg] = await at.legs();
  // until the colleague takes the call, neither hears the other, nor what is meant for the other
  expectTones(samplesOf(caller.heard.all), [OWN_WORDS, HOLD]);
  expectTones(samplesOf(colleague.heard.all), [BRIEFING]);
  colleague.client.press('1');
  expect(await at.tells('outcome')).toMatchObject({ status: 'answered' });
  await heard(caller, COLLEAGUE, 'the caller');
  await heard(colleague, CALLER, 'the colleague');
  colleague.client.hangUp();
  expect(await at.ended(at.id)).toMatchObject({ endReason: 'transferred', attempt: 1 });
  await at.noCallIsLeft();
  expectTones(samplesOf(caller.heard.all), [OWN_WORDS, HOLD, COLLEAGUE]);
  expectTones(samplesOf(colleague.heard.all), [BRIEFING, CALLER]);
  // what the bot has kept of both calls agrees
  const [callersWords, callerHeard] = await recorded(at, at.id);
  expectTones(callersWords, [CALLER]);
  expectTones(callerHeard, [OWN_WORDS, HOLD, COLLEAGUE]);
  const [colleaguesWords, colleagueHeard] = await recorded(at, leg?.id ?? '');
  expectTones(colleaguesWords, [COLLEAGUE]);
  expectTones(colleagueHeard, [BRIEFING, CALLER]);
}

async function declined(played: PlayedCarrier): Promise<void> {
  await using at = await open(played);
  await using colleague = await at.colleague();
  at.line.press('1');
  await heard(colleague, BRIEFING, 'the colleague');
  colleague.client.press('2');
  await backWithBot(at, 'declined');
  await colleague.ended();
  await over(at);
}

async function hungUp(played: PlayedCarrier): Promise<void> {
  await using at = await open(played);
  await using colleague = await at.colleague();
  at.line.press('1');
  await heard(colleague, BRIEFING, 'the colleague');
  colleague.client.hangUp();
  await backWithBot(at, 'hung_up');
  await over(at);
}

/** @param key of the caller's, for one who does not come */
async function notReached(played: PlayedCarrier, key: string, status: string): Promise<void> {
  await using at = await open(played);
  at.line.press(key);
  await backWithBot(at, status);
  await over(at);
}

/** The bot knows why, and the caller hears it, and has heard nothing that was meant for others. */
async function backWithBot(at: Consulting, status: string): Promise<void> {
  expect(await at.tells('outcome')).toMatchObject({ status });
  await until(
    () => amplitude(samplesOf(at.line.phone.heard.all.slice(-10)), HOLD) < SILENT,
    'the caller is not on hold any more',
    PATIENCE_MS,
  );
  expectTones(samplesOf(at.line.phone.heard.all), [OWN_WORDS], [HOLD]); // who is busy is so at once
}

async function over(at: Consulting): Promise<void> {
  at.line.hangUp();
  expect(await at.ended(at.id)).toMatchObject({ endReason: 'caller_hung_up', attempt: 1 });
  await at.noCallIsLeft();
}

async function callerLeaves(played: PlayedCarrier): Promise<void> {
  await using at = await open(played);
  await using colleague = await at.colleague();
  at.line.press('1');
  await heard(colleague, BRIEFING, 'the colleague');
  at.line.hangUp();
  await colleague.ended();
  expect(await at.tells('transfer')).toMatchObject({ status: 'caller_left' });
  expect(await at.ended(at.id)).toMatchObject({ endReason: 'caller_hung_up' });
  await at.noCallIsLeft();
}

testsAtOnce(
  Object.fromEntries(
    CARRIERS.flatMap((played) => {
      const { name } = played;
      const back = (why: string, run: () => Promise<void>) => [
        `at ${name}, the caller of a colleague who ${why} is with the bot again, which knows why`,
        run,
      ];
      return [
        [
          `at ${name}, the two are connected when the colleague takes the call, and until then each hears only what is meant for them`,
          () => connected(played),
        ],
        back('declines when briefed', () => declined(played)),
        back('hangs up when briefed', () => hungUp(played)),
        back('is busy', () => notReached(played, '2', 'busy')),
        back('does not answer', () => notReached(played, '3', 'no_answer')),
        back('declines the call', () => notReached(played, '4', 'rejected')),
        back('has a voicemail', () => notReached(played, '5', 'voicemail')),
        [`at ${name}, a caller who hangs up while the colleague is briefed ends that call`, () => callerLeaves(played)],
      ];
    }),
  ),
  LIMIT_MS,
  3,
);
