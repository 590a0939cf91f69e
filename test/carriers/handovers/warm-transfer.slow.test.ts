import { fileURLToPath } from 'node:url';
import { decodeMulaw, encodeMulaw } from '../../../src/base/audio/mulaw.js';
import { until } from '../../e2e/processes.js';
import type { FakeCaller } from '../../sandbox/fake-caller.js';
import { testsAtOnce } from '../../tests-at-once.js';
import { PATIENCE_MS } from '../conformance/caller.js';
import { CARRIERS, type PlayedCarrier } from '../conformance/carriers.js';
import { Consulting } from '../consulting/consulting.js';

const LIMIT_MS = 300_000;
const BOT = fileURLToPath(new URL('bot.ts', import.meta.url));

/** 20 ms of a tone, over and over: of whole periods. */
function toneOf(hertz: number): () => Uint8Array {
  const frame = encodeMulaw(
    Int16Array.from({ length: 160 }, (_, i) => 8_000 * Math.sin((2 * Math.PI * hertz * i) / 8_000)),
  );
  return () => frame;
}

/** Whether a tone is heard in the last half second. */
function hears(phone: FakeCaller, hertz: number): boolean {
  const pcm = decodeMulaw(Buffer.concat(phone.heard.all.slice(-25)));
  let re = 0;
  let im = 0;
  for (const [i, sample] of pcm.entries()) {
    re += sample * Math.cos((2 * Math.PI * hertz * i) / 8_000);
    im += sample * Math.sin((2 * Math.PI * hertz * i) / 8_000);
  }
  return (2 * Math.hypot(re, im)) / pcm.length > 3_000;
}

const heard = (phone: FakeCaller, hertz: number, who: string) =>
  until(() => hears(phone, hertz), `${who} hears ${hertz} Hz`, PATIENCE_MS);

async function connected(played: PlayedCarrier): Promise<void> {
  await using at = await Consulting.open(played, { botFile: BOT });
  await using colleague = await at.colleague();
  at.line.press('1');
  await heard(colleague, 700, 'the colleague');
  colleague.client.press('1');
  expect(await at.tells('outcome')).toMatchObject({ status: 'answered' });
  colleague.says = toneOf(400);
  at.line.phone.says = toneOf(1_200);
  await heard(at.line.phone, 400, 'the caller');
  await heard(colleague, 1_200, 'the colleague');
  colleague.client.hangUp();
  expect(await at.ended(at.id)).toMatchObject({ endReason: 'transferred', attempt: 1 });
  await at.noCallIsLeft();
}

async function declined(played: PlayedCarrier): Promise<void> {
  await using at = await Consulting.open(played, { botFile: BOT });
  await using colleague = await at.colleague();
  at.line.press('1');
  await heard(colleague, 700, 'the colleague');
  colleague.client.press('2');
  expect(await at.tells('outcome')).toMatchObject({ status: 'declined' });
  await colleague.ended();
  at.line.hangUp();
  expect(await at.ended(at.id)).toMatchObject({ endReason: 'caller_hung_up', attempt: 1 });
  await at.noCallIsLeft();
}

async function callerLeaves(played: PlayedCarrier): Promise<void> {
  await using at = await Consulting.open(played, { botFile: BOT });
  await using colleague = await at.colleague();
  at.line.press('1');
  await heard(colleague, 700, 'the colleague');
  at.line.hangUp();
  await colleague.ended();
  expect(await at.ended(at.id)).toMatchObject({ endReason: 'caller_hung_up' });
  await at.noCallIsLeft();
}

testsAtOnce(
  Object.fromEntries(
    CARRIERS.flatMap((played) => [
      [
        `at ${played.name}, the two are connected when the colleague takes the call, and it ends as transferred`,
        () => connected(played),
      ],
      [`at ${played.name}, a colleague who declines leaves the caller with the bot`, () => declined(played)],
      [
        `at ${played.name}, a caller who hangs up while the colleague is briefed ends that call`,
        () => callerLeaves(played),
      ],
    ]),
  ),
  LIMIT_MS,
  3,
);
