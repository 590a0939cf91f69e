import { testsAtOnce } from '../../tests-at-once.js';
import { PATIENCE_MS } from '../conformance/caller.js';
import { CARRIERS, type PlayedCarrier } from '../conformance/carriers.js';
import { Consulting } from './consulting.js';

const LIMIT_MS = 300_000;
/** A phone that the colleague does not pick up. */
const UNANSWERED_MS = 60_000;

async function answered(played: PlayedCarrier): Promise<void> {
  await using at = await Consulting.open(played);
  await using colleague = await at.colleague();
  at.line.press('1');
  const consulted = await at.tells('consulted');
  expect(consulted).toMatchObject({ linkedTo: at.id, direction: 'outbound', isOver: false });
  expect(await at.tells('colleague greeted')).toMatchObject({ wasHeard: true });
  expect(await at.legs()).toMatchObject([{ id: consulted.colleague, state: 'connected', attempt: 1 }]);
  expect(at.rig.told.filter(({ event }) => event === 'serves')).toHaveLength(1); // no bot function was called for it
  at.line.press('8');
  await at.tells('hung up on the colleague');
  expect(await at.ended(consulted.colleague)).toMatchObject({ endReason: 'bot_ended', linkedTo: at.id });
  await colleague.ended();
  at.line.press('0');
  expect(await at.ended(at.id)).toMatchObject({ endReason: 'bot_ended', attempt: 1 });
  await at.noCallIsLeft();
}

/** @param keys of the bot that consults those who do not come */
async function notReached(played: PlayedCarrier, reasons: Readonly<Record<string, string>>): Promise<void> {
  await using at = await Consulting.open(played);
  for (const [key, reason] of Object.entries(reasons)) {
    at.line.press(key);
    const consulted = await at.tellsOf('consulted', ({ reason: told }) => told === reason);
    expect(consulted).toMatchObject({ isOver: true });
    expect(await at.ended(consulted.colleague)).toMatchObject({ endReason: reason });
  }
  at.line.press('0');
  expect(await at.ended(at.id)).toMatchObject({ endReason: 'bot_ended', attempt: 1 });
  await at.noCallIsLeft();
}

async function refused(played: PlayedCarrier): Promise<void> {
  await using at = await Consulting.open(played, { dialLimits: { perMinute: 0, atOnce: 1, secondsPerNumber: 0 } });
  for (const [key, code, words] of [
    ['5', 'VB_TARGET_REFUSED', "the bot's own number"],
    ['6', 'VB_TARGET_REFUSED', 'the number that the bot talks to'],
    ['1', 'VB_DIAL_LIMIT', 'calls a minute'],
  ] as const) {
    at.line.press(key);
    await at.tellsOf('refused', ({ code: told, message }) => told === code && message.includes(words));
  }
  expect(await at.legs()).toEqual([]);
  at.line.press('0');
  expect(await at.ended(at.id)).toMatchObject({ endReason: 'bot_ended', attempt: 1 });
}

async function callerLeavesRinging(played: PlayedCarrier): Promise<void> {
  await using at = await Consulting.open(played);
  await using colleague = await at.colleague(UNANSWERED_MS);
  at.line.press('1');
  const { id } = await at.rig.anyRecord({ linkedTo: at.id, state: 'ringing' }, PATIENCE_MS);
  at.line.hangUp();
  expect(await at.ended(at.id)).toMatchObject({ endReason: 'caller_hung_up' });
  expect(await at.ended(id)).toMatchObject({ endReason: 'no_answer' });
  await at.noCallIsLeft();
  expect(colleague.events.all.some(({ type }) => type === 'answered')).toBe(false);
}

async function callerLeavesTalk(played: PlayedCarrier): Promise<void> {
  await using at = await Consulting.open(played);
  await using colleague = await at.colleague();
  at.line.press('1');
  const consulted = await at.tells('consulted');
  await at.tells('colleague greeted');
  at.line.hangUp();
  expect(await at.ended(at.id)).toMatchObject({ endReason: 'caller_hung_up' });
  expect(await at.ended(consulted.colleague)).toMatchObject({ endReason: 'bot_ended' });
  await colleague.ended();
  await at.noCallIsLeft();
}

async function bridged(played: PlayedCarrier, leaves: 'caller' | 'colleague'): Promise<void> {
  await using at = await Consulting.open(played);
  await using colleague = await at.colleague();
  at.line.press('1');
  const consulted = await at.tells('consulted');
  await at.tells('colleague greeted');
  at.line.press('9');
  await at.tells('bridged');
  if (leaves === 'caller') at.line.hangUp();
  else colleague.client.hangUp();
  expect(await at.ended(at.id)).toMatchObject({ endReason: 'transferred', attempt: 1 });
  expect(await at.ended(consulted.colleague)).toMatchObject({ endReason: 'transferred', attempt: 1 });
  await at.noCallIsLeft();
}

type Phase = 'rings' | 'is briefed' | 'is bridged';

/** @param phase of the colleague's call when the bot's process dies */
async function killed(played: PlayedCarrier, phase: Phase): Promise<void> {
  await using at = await Consulting.open(played, { warm: 2 });
  await using colleague = await at.colleague(phase === 'rings' ? 12_000 : 200);
  at.line.press(phase === 'rings' ? '#' : '1');
  const leg = await at.rig.anyRecord({ linkedTo: at.id, state: 'ringing' }, PATIENCE_MS);
  if (phase === 'rings') await at.tells('hands over');
  else {
    await at.tells('colleague greeted');
    at.line.press(phase === 'is briefed' ? '*' : '9');
    await at.tells(phase === 'is briefed' ? 'hands over' : 'bridged');
  }
  process.kill(Number((await at.tells('serves')).pid), 'SIGKILL');
  const served = await at.tells('serves', 2);
  expect(served.handover).toMatchObject({ to: leg.to });
  const consulted = await at.tells('consulted', 2);
  expect(consulted).toMatchObject({ colleague: leg.id, isOver: false });
  expect(await at.tells('colleague greeted', 2)).toMatchObject({ wasHeard: true });
  expect(await at.legs()).toHaveLength(1);
  colleague.client.hangUp();
  expect(await at.ended(leg.id)).toMatchObject({
    endReason: phase === 'is bridged' ? 'transferred' : 'caller_hung_up',
    attempt: phase === 'rings' ? 1 : 2,
  });
  if (phase !== 'is bridged') at.line.press('0');
  expect(await at.ended(at.id)).toMatchObject({
    endReason: phase === 'is bridged' ? 'transferred' : 'bot_ended',
    attempt: 2,
  });
  await at.noCallIsLeft();
}

const [plivo, telnyx, twilio] = (['plivo', 'telnyx', 'twilio'] as const).map((name) =>
  CARRIERS.find((carrier) => carrier.name === name),
) as [PlayedCarrier, PlayedCarrier, PlayedCarrier];

const onEach = (title: string, run: (played: PlayedCarrier) => Promise<void>) =>
  Object.fromEntries(CARRIERS.map((played) => [`at ${played.name}, ${title}`, () => run(played)]));

testsAtOnce(
  {
    ...onEach('a bot talks to a colleague beside its caller', answered),
    ...onEach('a caller who hangs up while the colleague rings ends the ringing', callerLeavesRinging),
    'at plivo, a colleague who is busy, declines or does not answer leaves the caller with the bot, which knows why':
      () => notReached(plivo, { '2': 'busy', '4': 'rejected', '3': 'no_answer' }),
    'at telnyx, a colleague who is busy or does not answer leaves the caller with the bot': () =>
      notReached(telnyx, { '2': 'busy', '3': 'no_answer' }),
    'at twilio, a colleague who is busy or does not answer leaves the caller with the bot': () =>
      notReached(twilio, { '2': 'busy', '3': 'no_answer' }),
    "the bot's own number, the caller's, and one call too many are refused, and the caller stays": () => refused(plivo),
    'a caller who hangs up while the colleague talks to the bot ends that call': () => callerLeavesTalk(telnyx),
    'when a bridged caller hangs up, the colleague is not left in the line': () => bridged(twilio, 'caller'),
    'when a bridged colleague hangs up, the caller is not left in the line': () => bridged(plivo, 'colleague'),
    ...Object.fromEntries(
      (['rings', 'is briefed', 'is bridged'] as const).flatMap((phase) =>
        CARRIERS.map((played) => [
          `at ${played.name}, when the bot's process dies while the colleague ${phase}, the next one goes on with both`,
          () => killed(played, phase),
        ]),
      ),
    ),
  },
  LIMIT_MS,
  3,
);
