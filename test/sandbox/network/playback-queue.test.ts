import fc from 'fast-check';
import { decodeMulaw, encodeMulaw } from '../../../src/base/audio/mulaw.js';
import { PlaybackQueue } from '../../../src/sandbox/network/playback-queue.js';

const bytes = (length: number, byte: number): Uint8Array => new Uint8Array(length).fill(byte);

test('hands out frames of 160 bytes and silence when it has nothing', () => {
  const queue = new PlaybackQueue();
  expect(queue.next()).toEqual(bytes(160, 0xff));
  queue.push(bytes(100, 1));
  queue.push(bytes(0, 3));
  queue.push(bytes(100, 2));
  expect(queue.queuedBytes).toBe(200);
  expect(queue.next()).toEqual(Uint8Array.of(...bytes(100, 1), ...bytes(60, 2)));
  expect(queue.next()).toEqual(Uint8Array.of(...bytes(40, 2), ...bytes(120, 0xff)));
  expect(queue.queuedBytes).toBe(0);
});

test('settles a mark one tick after the frame with the last byte before it', () => {
  const queue = new PlaybackQueue();
  const marks: string[] = [];
  queue.push(bytes(320, 1));
  queue.mark((played) => marks.push(`a ${played}`));
  queue.mark((played) => marks.push(`b ${played}`));
  queue.push(bytes(160, 2));
  queue.mark((played) => marks.push(`c ${played}`));
  queue.next();
  queue.next();
  expect(marks).toEqual([]);
  queue.next();
  expect(marks).toEqual(['a true', 'b true']);
  queue.next();
  expect(marks).toEqual(['a true', 'b true', 'c true']);
});

test('fading out keeps one frame: 5 ms that fall to silence', () => {
  const queue = new PlaybackQueue();
  const marks: boolean[] = [];
  const loud = encodeMulaw(new Int16Array(8_000).fill(8_000));
  queue.push(loud);
  queue.next();
  queue.mark((played) => marks.push(played));
  queue.fadeOut();
  expect(marks).toEqual([false]);
  expect(queue.queuedBytes).toBe(160);
  const heard = decodeMulaw(queue.next());
  const steps = [8_000, ...heard].slice(0, -1).map((sample, n) => sample - (heard[n] as number));
  expect(Math.max(...steps)).toBeLessThan(500);
  expect(Math.min(...steps)).toBeGreaterThanOrEqual(0);
  expect(heard.subarray(40)).toEqual(new Int16Array(120));
  expect(heard[30]).toBeGreaterThan(0);
});

test('fading out what is empty leaves it empty', () => {
  const queue = new PlaybackQueue();
  queue.fadeOut();
  expect(queue.queuedBytes).toBe(0);
});

test('clear drops audio and settles marks as not played', async () => {
  const queue = new PlaybackQueue();
  const marks: boolean[] = [];
  queue.push(bytes(500, 1));
  queue.mark((played) => marks.push(played));
  const drained = queue.drained();
  queue.next();
  queue.clear();
  await drained;
  expect(marks).toEqual([false]);
  expect(queue.pendingMarks).toBe(0);
  queue.push(bytes(160, 2));
  expect(queue.next()).toEqual(bytes(160, 2));
});

test('plays every byte in order however it was cut', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 500 })), (pieces) => {
      const queue = new PlaybackQueue();
      for (const piece of pieces) queue.push(piece);
      const frames = [];
      while (queue.queuedBytes > 0) frames.push(queue.next());
      const sent = Buffer.concat(pieces);
      const played = Buffer.concat(frames);
      expect(played.subarray(0, sent.length)).toEqual(sent);
      expect(played.subarray(sent.length).every((byte) => byte === 0xff)).toBe(true);
      expect(played.length).toBe(Math.ceil(sent.length / 160) * 160);
    }),
  );
});
