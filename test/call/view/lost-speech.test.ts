import type { TimelineEventOf } from '../../../src/call/view/events.js';
import { afterHold, CHARACTER_MS } from '../../../src/call/view/lost-speech.js';

test('what had not been heard when the bot was held is heard later, by what was left of the hold when it was told', () => {
  const held = { type: 'speech_held', at: 10_000, ms: 1_000, resumed: true } as TimelineEventOf<'speech_held'>;
  const text = 'Twenty characters it';
  const piece = (startsAt: number, at: number) => ({ text, startsAt, at });
  const over = piece(9_000 - text.length * CHARACTER_MS, 7_000);
  const pieces = [over, piece(8_500, 7_000), piece(9_800, 7_000), piece(11_000, 9_400)];
  expect(afterHold(pieces, held).map(({ startsAt }) => startsAt)).toEqual([over.startsAt, 9_500, 10_800, 11_600]);
});
