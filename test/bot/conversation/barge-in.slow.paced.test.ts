import { until } from '../../e2e/processes.js';
import { CallStage } from './call-stage.js';

const AUDIBLE_DB = -45;
const FRAME_MS = 20;
const TIMES = 10;
const STORY = 'Bread was baked in this very street when grandmother was a little girl and horses pulled carts.';
/** How long the fake voice speaks a character, in milliseconds. */
const CHARACTER_MS = 60;

test('the bot stops when the caller speaks over it, ten times in one call', async () => {
  await using stage = await CallStage.start({
    scenes: {
      story: {
        texts: Array.from({ length: TIMES + 1 }, () => 'Tell me another story.'),
        replies: { text: STORY },
      },
    },
  });
  const scene = stage.scene('story');
  await using caller = await stage.caller(scene);
  await caller.hearsOut();
  await caller.says(4);
  for (let times = 1; times <= TIMES; times += 1) {
    const storyMs = await caller.hears();
    await until(() => caller.heardMs > storyMs + 700, 'some of the story');
    const said = caller.says(4);
    await until(() => stage.told('story', 'interrupted').length === times, `interruption ${times}`);
    await said;
    const told = caller.levels.slice(storyMs / FRAME_MS).filter((level) => level > AUDIBLE_DB);
    expect(told.length * FRAME_MS).toBeLessThan((STORY.length * CHARACTER_MS) / 2); // most of it is never heard
  }
  await caller.hears();
  expect(stage.told('story', 'clear')).toHaveLength(TIMES);
  caller.phone.client.hangUp();
  expect(await stage.ended(scene)).toMatchObject({ endReason: 'caller_hung_up', attempt: 1 });
}, 90_000);
