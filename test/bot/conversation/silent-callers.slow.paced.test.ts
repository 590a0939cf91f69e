import { levelDb } from '../../../src/base/audio/level.js';
import { decodeMulaw } from '../../../src/base/audio/mulaw.js';
import type { CallRecord } from '../../../src/call/call-record.js';
import type { ListenSession } from '../../../src/lab/kit/index.js';
import { until } from '../../e2e/processes.js';
import { ANSWERS_AND_TALKS, VOICEMAIL } from '../../templates/scripted-model.js';
import { CallStage } from './call-stage.js';

const FRAME_MS = 20;
const FRAME_BYTES = 160;
const AUDIBLE_DB = -45;
/** Longer than any stall of a busy machine, and shorter than the bot waits before it says something else. */
const PAUSE_MS = 1_000;
const IDLE_MS = 3_000;
/** The phone may hear the bot this much later than the bot thinks, where the machine is busy. */
const LATENESS_MS = 1_500;
/** The sandbox's answering machine. */
const BEEP_HZ = 1_000;
const BEEP_MS = 500;
const MESSAGE = 'Your order is ready';
/** How long the fake voice speaks a character, in milliseconds. */
const CHARACTER_MS = 60;

const idle = { afterMs: IDLE_MS, prompts: ['Are you still there?'], goodbye: 'Goodbye!' };

/** What the phone of a number has heard since it answered: the level of each 20 ms. */
const overheard = new Map<string, number[]>();
const levelsAt = (number: string) => overheard.get(number) ?? [];

let stage: CallStage;

beforeAll(async () => {
  stage = await CallStage.start({
    overhear: (number, heard) => {
      overheard.set(number, [...levelsAt(number), levelDb(decodeMulaw(heard))]);
    },
    scenes: {
      'says nothing': { bot: { conversation: { idle } } },
      'answers when asked': { texts: ['Yes.'], replies: { text: 'Good.' }, bot: { conversation: { idle } } },
      voicemail: {
        number: VOICEMAIL,
        texts: ['You have reached my voicemail. Please leave a message after the tone.'],
        replies: { text: 'I see.' },
        bot: { message: MESSAGE },
      },
      human: {
        number: ANSWERS_AND_TALKS,
        texts: ['Hello? Yes, this is a good time. How can I help you?'],
        replies: { text: 'You have ordered a cake.', toolCalls: [{ name: 'end_call', input: {} }] },
        bot: { message: MESSAGE },
      },
    },
  });
}, 60_000);

afterAll(() => stage[Symbol.asyncDispose]());

/** How much of a frame is the tone of the beep, 0 to 1. */
function purity(pcm: Int16Array): number {
  let [re, im, energy] = [0, 0, 0];
  for (const [n, sample] of pcm.entries()) {
    re += sample * Math.cos((2 * Math.PI * BEEP_HZ * n) / 8_000);
    im += sample * Math.sin((2 * Math.PI * BEEP_HZ * n) / 8_000);
    energy += sample * sample;
  }
  return energy === 0 ? 0 : (2 * (re * re + im * im)) / (energy * pcm.length);
}

/** Where in the audio that the bot was sent the beep begins, in milliseconds. */
function beepAt({ audio }: ListenSession): number | undefined {
  let run = 0;
  for (let at = 0; at + FRAME_BYTES <= audio.length; at += FRAME_BYTES) {
    run = purity(decodeMulaw(audio.subarray(at, at + FRAME_BYTES))) > 0.8 ? run + FRAME_MS : 0;
    if (run >= BEEP_MS / 2) return (at / FRAME_BYTES) * FRAME_MS + FRAME_MS - run;
  }
  return undefined;
}

/** Begins and lengths of what a phone heard, in milliseconds; shorter pauses than `PAUSE_MS` do not count. */
function soundsAt(levels: readonly number[]): Array<{ readonly atMs: number; readonly audibleMs: number }> {
  const sounds: Array<{ atMs: number; audibleMs: number; lastMs: number }> = [];
  for (const [frame, level] of levels.entries()) {
    if (level <= AUDIBLE_DB) continue;
    const nowMs = frame * FRAME_MS;
    const last = sounds.at(-1);
    if (last && nowMs - last.lastMs < PAUSE_MS) {
      last.audibleMs += FRAME_MS;
      last.lastMs = nowMs;
    } else sounds.push({ atMs: nowMs, audibleMs: FRAME_MS, lastMs: nowMs });
  }
  return sounds;
}

async function leavesMessage(): Promise<void> {
  const scene = stage.scene('voicemail');
  await stage.dial(scene);
  await until(() => scene.deepgram.sessions.length > 0, 'the bot listens', 20_000);
  const { session } = scene.deepgram;
  await until(() => beepAt(session) !== undefined, 'the beep', 30_000);
  // What the bot is sent and what the phone hears are of the same moment, but for the way through the runner.
  const beepEndsMs = levelsAt(VOICEMAIL).length * FRAME_MS - session.audioMs + (beepAt(session) as number) + BEEP_MS;
  expect(await stage.ended(scene)).toMatchObject({ endReason: 'voicemail', attempt: 1 });
  const messageMs = MESSAGE.length * CHARACTER_MS;
  const sounds = soundsAt(levelsAt(VOICEMAIL));
  const message = sounds.find(({ audibleMs }) => audibleMs > 0.8 * messageMs);
  if (!message) throw new Error(`no message in ${JSON.stringify(sounds)}`);
  process.stderr.write(`  the message begins ${message.atMs - beepEndsMs} ms after the beep\n`);
  expect(message).toBe(sounds.at(-1));
  expect(message.atMs).toBeGreaterThanOrEqual(beepEndsMs - 3 * FRAME_MS);
  expect(message.audibleMs).toBeGreaterThanOrEqual(messageMs - FRAME_MS);
  expect(stage.told('voicemail', 'machine')).toMatchObject([{ data: 'phrase' }]);
}

async function talksToHuman(): Promise<void> {
  const scene = stage.scene('human');
  await stage.dial(scene);
  await scene.says('You have ordered a cake.', 40_000);
  expect(await stage.ended(scene)).toMatchObject({ endReason: 'bot_ended', attempt: 1 });
  expect(scene.spoken).not.toContain(MESSAGE);
  expect(stage.told('human', 'machine')).toEqual([]);
}

async function saysNothing(): Promise<CallRecord> {
  const scene = stage.scene('says nothing');
  await using caller = await stage.caller(scene);
  await caller.ended();
  const sounds = soundsAt(caller.levels.slice(caller.answeredMs / FRAME_MS)); // without the ringing
  expect(scene.cartesia.requests.map(({ text }) => text.trim())).toEqual([
    'Bakery.',
    'Are you still there?',
    'Goodbye!',
  ]);
  expect(sounds).toHaveLength(3);
  for (const [before, after] of [sounds.slice(0, 2), sounds.slice(1)] as Array<
    [(typeof sounds)[0], (typeof sounds)[0]]
  >) {
    expect(after.atMs - before.atMs - before.audibleMs).toBeGreaterThanOrEqual(IDLE_MS - LATENESS_MS);
  }
  return stage.ended(scene);
}

async function answersWhenAsked(): Promise<void> {
  const scene = stage.scene('answers when asked');
  await using caller = await stage.caller(scene);
  await scene.says('Are you still there?');
  await caller.hearsOut();
  await caller.says(2);
  await scene.says('Good.');
  await scene.says('Good. Are you still there?'); // from the beginning again, and not goodbye
  caller.phone.client.hangUp();
  expect(await stage.ended(scene)).toMatchObject({ endReason: 'caller_hung_up' });
}

test('callers who say nothing are asked, and machines get a message after the beep', async () => {
  const [record] = await Promise.all([saysNothing(), answersWhenAsked(), leavesMessage(), talksToHuman()]);
  expect(record).toMatchObject({ endReason: 'bot_ended', attempt: 1 });
}, 90_000);
