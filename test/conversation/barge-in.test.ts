import { until } from '../e2e/processes.js';
import { CallStage } from './call-stage.js';
import type { NotingCaller } from './noting-caller.js';

const FRAME_MS = 20;
const AUDIBLE_DB = -45;
const TIMES = 10;
/** The bot says nothing for at least this long after an interruption, in milliseconds: the caller is still speaking. */
const QUIET_MS = 500;
/** 60 ms and 20 ms are aimed at, where the machine has nothing else to do. */
const LOOSE_STOP_MS = 100;
const LOOSE_CLEAR_MS = 50;

/**
 * How much longer than `at` the bot was audible, in milliseconds: until the end of the last audible 20 ms before the quiet.
 * Every frame is noted when the phone gets it, by the clock of the machine that the bot goes by too.
 */
function audibleAfter({ levels, arrivals }: NotingCaller, at: number): number {
  const last = arrivals.findLastIndex(
    (arrival, frame) => arrival <= at + QUIET_MS && (levels[frame] as number) > AUDIBLE_DB,
  );
  return Math.max(0, (arrivals[last] as number) + FRAME_MS - at);
}

function figuresOf(values: readonly number[]): { readonly p50: number; readonly max: number } {
  const sorted = [...values].sort((a, b) => a - b);
  return { p50: sorted[Math.floor(sorted.length / 2)] as number, max: sorted.at(-1) as number };
}

test('the bot stops at once when the caller speaks over it, ten times in one call', async () => {
  await using stage = await CallStage.start({
    scenes: {
      story: {
        texts: Array.from({ length: TIMES + 1 }, () => 'Tell me another story.'),
        replies: {
          text: 'Bread was baked in this very street when grandmother was a little girl and horses pulled carts.',
        },
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
  }
  await caller.hears();
  caller.phone.client.hangUp();
  expect(await stage.ended(scene)).toMatchObject({ endReason: 'caller_hung_up', attempt: 1 });

  const interruptions = stage.told('story', 'interrupted').map(({ at }) => at);
  const clears = stage.told('story', 'clear').map(({ at }) => at);
  const stops = figuresOf(interruptions.map((at) => audibleAfter(caller, at)));
  const delays = figuresOf(interruptions.map((at, index) => (clears[index] ?? Number.POSITIVE_INFINITY) - at));
  process.stderr.write(
    `  ${TIMES} interruptions: audible for ${stops.p50} ms more (p50), ${stops.max} ms (max); clear sent after ${delays.p50} ms (p50), ${delays.max} ms (max)\n`,
  );
  expect(stops.p50).toBeLessThanOrEqual(LOOSE_STOP_MS);
  expect(delays.p50).toBeLessThanOrEqual(LOOSE_CLEAR_MS);
}, 90_000);
