import { fileURLToPath } from 'node:url';
import { COLLEAGUE as NUMBER } from '../carriers/consulting/consulting.js';
import { toneOf } from '../carriers/handovers/tones.js';
import {
  BRIEFING,
  CALLER,
  COLLEAGUE,
  expectTones,
  HOLD,
  heardBy,
  hears,
  OWN_WORDS,
} from '../carriers/handovers/warm-stories.js';
import { allGone, until } from '../e2e/processes.js';
import { FakeCaller } from '../sandbox/fake-caller.js';
import { roomsOf, untilRooms } from '../sandbox/rooms/open-rooms.js';
import { hasRedis } from './redis-server.js';
import { hasBalancer } from './rig/balancer.js';
import { ClusterRig } from './rig/cluster-rig.js';

const PATIENCE_MS = 30_000;
const BOT = fileURLToPath(new URL('../carriers/handovers/bot.ts', import.meta.url));

/** Skipped by name where something is missing. */
const testEach = (hasRedis && hasBalancer ? test : test.skip).each(['is briefed', 'is connected'] as const);

testEach(
  'when a machine dies while the colleague in a room %s, another one has both calls and the handover (needs redis-server, haproxy)',
  async (phase) => {
    let processes: readonly number[];
    {
      await using rig = await ClusterRig.start({ runners: 2, transport: 'rooms', botFile: BOT });
      const { sandbox, machines } = rig;
      const line = { token: sandbox.phoneToken };
      await using caller = await FakeCaller.attach(sandbox, line);
      await using colleague = await FakeCaller.attach(sandbox, line);
      await colleague.client.attend({ number: NUMBER, ringMs: 200 });
      caller.says = toneOf(CALLER);
      colleague.says = toneOf(COLLEAGUE);
      const { ROOMS_API_URL: apiUrl = '', ROOMS_API_KEY: apiKey = '' } = sandbox.environment();
      const account = { apiUrl, apiKey };
      caller.client.dial({ from: '+12025550121', to: sandbox.number });
      await hears(caller, OWN_WORDS, 'the caller');
      caller.client.press('1');
      await hears(colleague, BRIEFING, 'the colleague');
      // there may be others in which a runner tries itself: what a dead machine has left of those the next sweep deletes
      const [room = '', ...more] = await roomsOf(3, account);
      expect([room, more]).toEqual([expect.stringMatching(/./), []]);
      if (phase === 'is connected') {
        colleague.client.press('1');
        await hears(caller, COLLEAGUE, 'the caller');
      }
      const counts = await Promise.all(machines.map((machine) => machine.liveCalls()));
      const victim = counts.indexOf(2);
      expect(counts.toSorted()).toEqual([0, 2]);
      await rig.machine(victim).die();
      const from = colleague.heard.all.length;
      const next = rig.machine(1 - victim);
      await until(async () => (await next.liveCalls()) === 2, 'the other one has both calls', PATIENCE_MS);
      if (phase === 'is briefed') {
        await until(() => colleague.heard.all.length > from + 50, 'the colleague is there', PATIENCE_MS);
        await hears(colleague, BRIEFING, 'the colleague');
        // the melody that the caller waits with has a little of their own tone
        expectTones(heardBy(caller), [OWN_WORDS], [HOLD, CALLER]);
        expectTones(heardBy(colleague), [BRIEFING]);
        colleague.client.press('1');
      }
      await hears(caller, COLLEAGUE, 'the caller');
      await hears(colleague, CALLER, 'the colleague');
      expectTones(heardBy(colleague), [BRIEFING, CALLER]);
      colleague.client.hangUp();
      await caller.ended();
      await until(async () => (await next.liveCalls()) === 0, 'both calls are over', PATIENCE_MS);
      await untilRooms(account, (names) => !names.includes(room), 'the room of the call is deleted', PATIENCE_MS);
      processes = machines.flatMap((one) => one.processes);
    }
    await allGone(processes);
  },
  120_000,
);
