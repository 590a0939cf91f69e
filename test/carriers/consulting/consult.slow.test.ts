import { testsAtOnce } from '../../tests-at-once.js';
import { CARRIERS, type PlayedCarrier } from '../conformance/carriers.js';
import { Consulting } from './consulting.js';

const LIMIT_MS = 200_000;

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

testsAtOnce(
  Object.fromEntries(
    CARRIERS.map((played) => [
      `at ${played.name}, a bot talks to a colleague beside its caller`,
      () => answered(played),
    ]),
  ),
  LIMIT_MS,
  3,
);
