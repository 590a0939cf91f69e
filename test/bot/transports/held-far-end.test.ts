import { FRAME_MS } from '../../../src/base/audio/frame.js';
import { HoldableWire } from '../../../src/bot/transports/holdable-wire.js';
import { HOLD_MUSIC } from '../../../src/bot/transports/looped-sound.js';
import { SILENT_WIRE } from './silent-wire.js';

const RATE = 8_000;

afterEach(() => {
  jest.useRealTimers();
});

/** A party on hold, at a far end that plays what it gets `lateMs` later than it should, and acknowledges marks when it has. */
function heldAt(lateMs: number, acknowledges = true) {
  jest.useFakeTimers();
  const sent: string[] = [];
  let playedAt = 0;
  const wire: HoldableWire = new HoldableWire({
    ...SILENT_WIRE,
    isOpen: () => true,
    sendAudio: () => {
      sent.push('audio');
      playedAt = Math.max(playedAt, performance.now()) + FRAME_MS;
    },
    sendMark: (name) => {
      if (acknowledges) setTimeout(() => wire.markPlayed(name), playedAt - performance.now() + late);
    },
    sendClear: () => sent.push('clear'),
  });
  let late = 0;
  return {
    sent,
    async holdFor(ms: number): Promise<void> {
      wire.hold(HOLD_MUSIC, RATE);
      await jest.advanceTimersByTimeAsync(ms / 2);
      late = lateMs;
      await jest.advanceTimersByTimeAsync(ms / 2);
      wire.unhold();
    },
  };
}

test('the sound on hold fades out at the end of a hold, and nothing is dropped', async () => {
  const { sent, holdFor } = heldAt(200);
  await holdFor(5_000);
  expect(sent).not.toContain('clear');
  expect(sent.at(-1)).toBe('audio');
});

test('of a far end that has fallen behind what is left of the sound is dropped: those who are joined would be heard as much later', async () => {
  const { sent, holdFor } = heldAt(3_000);
  await holdFor(5_000);
  expect(sent.slice(-2)).toEqual(['clear', 'audio']);
});

test('a far end that acknowledges nothing is not taken for one that is late', async () => {
  const { sent, holdFor } = heldAt(0, false);
  await holdFor(5_000);
  expect(sent).not.toContain('clear');
});
