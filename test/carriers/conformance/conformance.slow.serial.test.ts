import { CARRIERS, type PlayedCarrier } from './carriers.js';
import { DIFFERENCES, expectedAt } from './differences.js';
import { type Played, Rig } from './rig.js';
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

/** A carrier's stories, under way. */
class Stage implements AsyncDisposable {
  readonly #plays: ReadonlyMap<Story, Promise<Played>>;

  static async start(played: PlayedCarrier): Promise<Stage> {
    return new Stage(...(await Promise.all([Rig.of(played, ROOMY), Rig.of(played, GUARDED)])));
  }

  private constructor(
    private readonly roomy: Rig,
    private readonly guarded: Rig,
  ) {
    let before: Promise<unknown> = Promise.resolve();
    const inTurn = (story: Story) => {
      const playing = before.then(() => story.play(guarded));
      before = playing.catch(() => {});
      return [story, playing] as const;
    };
    this.#plays = new Map([...BESIDE.map((story) => [story, story.play(roomy)] as const), ...GUARDS.map(inTurn)]);
    for (const playing of this.#plays.values()) playing.catch(() => {}); // told by the test that waits for it
  }

  played(story: Story): Promise<Played> | undefined {
    return this.#plays.get(story);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.roomy[Symbol.asyncDispose](), this.guarded[Symbol.asyncDispose]()]);
  }
}

const stages = new Map<PlayedCarrier, Stage>();

/** All carriers at once, each with a phone network of its own. */
beforeAll(async () => {
  await Promise.all(CARRIERS.map(async (played) => stages.set(played, await Stage.start(played))));
}, 60_000);
afterAll(async () => {
  table.print();
  await Promise.all([...stages.values()].map((stage) => stage[Symbol.asyncDispose]()));
});

test.each(DIFFERENCES)('what is different at $carrier is of a story that is played: $story', ({ story }) => {
  expect([...BESIDE, ...GUARDS].map(({ title }) => title)).toContain(story);
});

describe.each(CARRIERS)('at $name', (played: PlayedCarrier) => {
  test.each([...BESIDE, ...GUARDS].map((story) => [story.title, story] as const))(
    '%s',
    async (_title, story) => {
      table.note(story, played, false);
      expect(await stages.get(played)?.played(story)).toEqual(expectedAt(played.name, story));
      table.note(story, played, true);
    },
    60_000,
  );
});
