import { interruptedCalls } from '../../bench/live/interrupted-call.js';
import { TOLERANCE_MS, WIRES } from '../../bench/live/live-interruptions.js';

const [CALLS, TIMES] = [2, 5] as const;
/** Shorter than any word: that the word which is cut counts is what is looked at. In milliseconds. */
const FRAMES_MS = 60;

test.each(WIRES)(
  'by %s, a live session remembers of answers that are cut off what the recording has of them',
  async (wire) => {
    const { cuts } = await interruptedCalls(wire, { calls: CALLS, times: TIMES });
    expect(cuts.length).toBeGreaterThan(CALLS * (TIMES - 1));
    const differences = cuts.map(({ rememberedMs, recordedMs }) => Math.abs(rememberedMs - recordedMs));
    // a far end without a processor plays on for a frame or two
    expect(Math.max(...differences)).toBeLessThanOrEqual(FRAMES_MS);
    const within = differences.filter((ms) => ms <= TOLERANCE_MS);
    expect(within.length).toBeGreaterThan(cuts.length / 2);
  },
  300_000,
);
