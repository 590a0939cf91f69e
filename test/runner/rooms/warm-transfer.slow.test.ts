import type { RoomsClient } from '../../../src/bot/transports/room/join-room.js';
import { PATIENCE_MS } from '../../carriers/conformance/caller.js';
import { Consulting, COLLEAGUE as NUMBER } from '../../carriers/consulting/consulting.js';
import { toneOf } from '../../carriers/handovers/tones.js';
import {
  BRIEFING,
  CALLER,
  COLLEAGUE,
  connected,
  expectTones,
  HOLD,
  heardBy,
  hears,
  OWN_WORDS,
  trackOf,
  WARM,
  warmStories,
} from '../../carriers/handovers/warm-stories.js';
import { until } from '../../e2e/processes.js';
import { testsAtOnce } from '../../tests-at-once.js';
import { RunnerOnSandbox } from '../runner-on-sandbox.js';
import { nothingIsLeft } from './consulting.js';

/** A warm transfer in a room of the sandbox. */
class WarmRoom extends Consulting {
  static async enter(
    client: RoomsClient = 'built-in',
    more: Readonly<Record<string, string>> = {},
  ): Promise<Consulting> {
    const environment = { ...WARM.environment, ...more };
    return await WarmRoom.on(await RunnerOnSandbox.start({ ...WARM, transport: 'rooms', client, environment }));
  }

  override noCallIsLeft(): Promise<void> {
    return nothingIsLeft(this.rig.sandbox);
  }
}

type Phase = 'rings' | 'is briefed' | 'is connected';

/** @param phase of the colleague when the bot's process dies */
async function killed(phase: Phase): Promise<void> {
  await using at = await WarmRoom.enter('built-in', { RING_SECONDS: '60' });
  await using colleague = await at.colleague(phase === 'rings' ? 15_000 : 200);
  const caller = at.line.phone;
  caller.says = toneOf(CALLER);
  colleague.says = toneOf(COLLEAGUE);
  at.line.press('1');
  const leg = await at.rig.anyRecord({ linkedTo: at.id, state: 'ringing' }, PATIENCE_MS);
  if (phase !== 'rings') await hears(colleague, BRIEFING, 'the colleague');
  if (phase === 'is connected') {
    colleague.client.press('1');
    await at.tells('outcome');
    await hears(caller, COLLEAGUE, 'the caller');
  }
  const { pid } = await at.tells('serves');
  const before = at.rig.records.all.length;
  const from = colleague.heard.all.length;
  process.kill(pid, 'SIGKILL');
  const isServed = (of: string) =>
    at.rig.records.all.slice(before).some(({ id, state }) => id === of && state === 'connected');
  await until(() => isServed(at.id), 'the next bot has the caller', PATIENCE_MS);
  if (phase === 'is connected') await until(() => isServed(leg.id), 'the next bot has the colleague', PATIENCE_MS);
  if (phase !== 'is connected') {
    await until(() => colleague.heard.all.length > from + 50, 'the colleague hears something', PATIENCE_MS);
    await hears(colleague, BRIEFING, 'the colleague');
    expectTones(trackOf(at.heardByCaller), [OWN_WORDS], [HOLD, CALLER]); // the next bot's music has a little of all
    expectTones(heardBy(colleague), [BRIEFING]);
    colleague.client.press('1');
  }
  await hears(caller, COLLEAGUE, 'the caller');
  await hears(colleague, CALLER, 'the colleague');
  expectTones(heardBy(colleague), [BRIEFING, CALLER]);
  expect(at.rig.sandbox.placedCalls.get(NUMBER)).toBe(1);
  colleague.client.hangUp();
  expect(await at.ended(at.id)).toMatchObject({ endReason: 'transferred' });
  await at.noCallIsLeft();
}

const phases: readonly Phase[] = ['rings', 'is briefed', 'is connected'];

testsAtOnce(
  {
    ...warmStories('in a room', () => WarmRoom.enter()),
    'in a room, with the client of the provider in a browser, the two are connected as well': () =>
      connected(() => WarmRoom.enter('browser')),
    ...Object.fromEntries(
      phases.map((phase) => [
        `in a room, when the bot's process dies while the colleague ${phase}, the next one goes on with both`,
        () => killed(phase),
      ]),
    ),
  },
  300_000,
  2,
);
