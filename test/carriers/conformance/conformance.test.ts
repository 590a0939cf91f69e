import { CARRIERS, type PlayedCarrier } from './carriers.js';
import { plain } from './records.js';
import { Rig } from './rig.js';
import { STORIES, type Story } from './stories.js';

describe.each(CARRIERS)('at $name', (played: PlayedCarrier) => {
  let rig: Rig;
  let plays: Map<Story, ReturnType<Story['play']>>;

  beforeAll(async () => {
    rig = await Rig.start(played, { machineDetection: 'hangup', ringSeconds: 5, callsPerProcess: 30, warm: 1 });
    // Nobody in these stories is in the way of anybody else.
    plays = new Map(STORIES.map((story) => [story, story.play(rig)]));
    for (const playing of plays.values()) playing.catch(() => {}); // told by the test that waits for it
  }, 60_000);
  afterAll(() => rig[Symbol.asyncDispose]());

  test.each(STORIES.map((story) => [story.title, story] as const))(
    '%s',
    async (_title, story) => {
      const { record, facts = {} } = await (plays.get(story) ?? Promise.reject(new Error('not played')));
      expect(plain(record, played.carrier)).toEqual(story.record);
      expect(facts).toEqual(story.facts ?? {});
    },
    60_000,
  );
});
