import { CARRIERS, type PlayedCarrier } from './carriers.js';
import { expectedAt } from './differences.js';
import { Rig } from './rig.js';
import { CALLERS } from './stories/callers.js';
import { DIALLED_NUMBERS } from './stories/dialled.js';
import { GUARDED, GUARDS } from './stories/guards.js';
import { REFUSALS } from './stories/refusals.js';
import type { Story } from './story.js';
import { ConformanceTable } from './table.js';

/** Nobody in these is in the way of anybody else: they are played at once. */
const BESIDE = [...CALLERS, ...DIALLED_NUMBERS, ...REFUSALS];
const ROOMY = { machineDetection: 'hangup', ringSeconds: 5, callsPerProcess: 30, warm: 1 } as const;
const table = new ConformanceTable();

afterAll(() => table.print());

describe.each(CARRIERS)('at $name', (played: PlayedCarrier) => {
  let rigs: readonly Rig[];
  let plays: ReadonlyMap<Story, ReturnType<Story['play']>>;

  beforeAll(async () => {
    const [rig, guarded] = await Promise.all([Rig.start(played, ROOMY), Rig.start(played, GUARDED)]);
    rigs = [rig, guarded];
    let before: Promise<unknown> = Promise.resolve();
    const inTurn = (story: Story) => {
      const playing = before.then(() => story.play(guarded));
      before = playing.catch(() => {});
      return [story, playing] as const;
    };
    plays = new Map([...BESIDE.map((story) => [story, story.play(rig)] as const), ...GUARDS.map(inTurn)]);
    for (const playing of plays.values()) playing.catch(() => {}); // told by the test that waits for it
  }, 60_000);
  afterAll(() => Promise.all(rigs.map((rig) => rig[Symbol.asyncDispose]())));

  test.each([...BESIDE, ...GUARDS].map((story) => [story.title, story] as const))(
    '%s',
    async (_title, story) => {
      table.note(story, played, false);
      expect(await plays.get(story)).toEqual(expectedAt(played.name, story));
      table.note(story, played, true);
    },
    60_000,
  );
});
