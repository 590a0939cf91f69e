import fc from 'fast-check';
import { FrameResampler } from '../../../src/sandbox/network/frame-resampler.js';
import { FrameBuffer } from '../../../src/sandbox/rooms/frame-buffer.js';
import { mixOthers, RoomMix } from '../../../src/sandbox/rooms/mixer.js';
import type { AudioRate, Participant } from '../../../src/sandbox/rooms/participant.js';
import { ParticipantPermissions } from '../../../src/sandbox/rooms/permissions.js';
import { TickStatistics } from '../../../src/sandbox/rooms/tick-statistics.js';
import { fitSine, sine } from '../../base/audio/signals.js';

describe('mixing', () => {
  const pcm = (...samples: number[]): Int16Array => Int16Array.from(samples);

  test('gives everybody the sum of the others', () => {
    expect(mixOthers([pcm(1, 2), pcm(10, 20), pcm(100, 200), undefined])).toEqual([
      pcm(110, 220),
      pcm(101, 202),
      pcm(11, 22),
      pcm(111, 222),
    ]);
  });

  test('clips where a sum is too loud, and does not wrap', () => {
    const [, , heard] = mixOthers([pcm(30_000, -30_000), pcm(30_000, -30_000), undefined]);
    expect(heard).toEqual(pcm(32_767, -32_768));
  });

  test('does nothing for silence', () => {
    expect(mixOthers([])).toEqual([]);
    expect(mixOthers([undefined, undefined])).toEqual([undefined, undefined]);
    const only = pcm(1);
    expect(mixOthers([only, undefined])).toEqual([undefined, only]);
  });

  test('gives each of two what the other says', () => {
    expect(mixOthers([pcm(1), pcm(2)])).toEqual([pcm(2), pcm(1)]);
    expect(mixOthers([pcm(1), pcm(2), undefined])).toEqual([pcm(2), pcm(1), pcm(3)]);
  });

  test('is the sum of the others for any room', () => {
    const sound = fc.option(fc.int16Array({ minLength: 4, maxLength: 4 }), { nil: undefined });
    fc.assert(
      fc.property(fc.array(sound, { maxLength: 6 }), (said) => {
        const before = structuredClone(said);
        mixOthers(said).forEach((heard, self) => {
          for (let n = 0; n < 4; n += 1) {
            const sum = said.reduce((total, other, index) => total + (index === self ? 0 : (other?.[n] ?? 0)), 0);
            expect(heard?.[n] ?? 0).toBe(Math.max(-32_768, Math.min(32_767, sum)));
          }
        });
        expect(said).toEqual(before);
      }),
    );
  });
});

describe('a room', () => {
  const HZ = { 8000: 160, 16000: 320 } as const;

  /** Says its own number in every sample, and keeps what it hears of each frame. */
  function guest(sessionId: string, says: number, rate: AudioRate = 8_000) {
    const heard: number[] = [];
    const participant: Participant = {
      sessionId,
      userId: `user-${sessionId}`,
      userName: sessionId,
      joinedAt: new Date(),
      wire: { session_id: sessionId, user_name: sessionId, owner: false, participantType: 'unknown' },
      permissions: new ParticipantPermissions(false),
      rate,
      say: () => new Int16Array(HZ[rate]).fill(says),
      hear: (sound) => heard.push(sound?.at(-1) ?? 0),
    };
    return { participant, heard, permissions: participant.permissions };
  }

  test('lets each hear, from the very next frame on, whom it may and nobody else', () => {
    const [caller, bot, second, colleague] = [
      guest('c', 1),
      guest('b', 10),
      guest('s', 100),
      guest('k', 1_000),
    ] as const;
    const all = [caller, bot, second, colleague];
    const mix = new RoomMix();
    const tick = () => {
      mix.tick(all.map(({ participant }) => participant));
      return all.map(({ heard }) => heard.at(-1));
    };
    expect(tick()).toEqual([1_110, 1_101, 1_011, 111]);
    caller.permissions.change({ canReceive: { base: false, byParticipantId: { b: true } } });
    bot.permissions.change({ canReceive: { base: false, byParticipantId: { c: true } } });
    second.permissions.change({ canReceive: { base: false, byUserId: { 'user-k': true } } });
    colleague.permissions.change({ canReceive: { base: false, byUserId: { 'user-s': true } } });
    expect(tick()).toEqual([10, 1, 1_000, 100]); // the caller and the bot, and the bot's other voice and the colleague
    caller.permissions.change({ canReceive: { byParticipantId: { b: true, k: true } } });
    colleague.permissions.change({ canReceive: { byParticipantId: { c: true } } });
    expect(tick()).toEqual([1_010, 1, 1_000, 101]);
    second.permissions.change({ canSend: false });
    expect(tick()).toEqual([1_010, 1, 1_000, 1]);
    caller.permissions.change({ canReceive: { base: true, byUserId: {}, byParticipantId: {} } });
    expect(tick()).toEqual([1_010, 1, 1_000, 1]); // it hears all of those who say something
  });

  test('passes what one says to one who hears nobody else on untouched, at both rates', () => {
    const [one, other, third] = [guest('a', 12_345), guest('b', 7), guest('c', 9, 16_000)] as const;
    third.permissions.change({ canReceive: { base: false } });
    other.permissions.change({ canReceive: { base: false, byParticipantId: { a: true } } });
    new RoomMix().tick([one, other, third].map(({ participant }) => participant));
    expect(other.heard).toEqual([12_345]);
    expect(third.heard).toEqual([0]);
  });
});

describe('resampling frames', () => {
  test.each([
    [8_000, 16_000],
    [16_000, 8_000],
  ])('%d to %d Hz gives one frame for each, at the same level', (from, to) => {
    const resampler = new FrameResampler(from, to);
    const signal = sine(1_000, from, from, 8_000);
    const frames = Array.from({ length: 50 }, (_, n) =>
      resampler.process(signal.slice((n * from) / 50, ((n + 1) * from) / 50)),
    );
    expect(frames.every((frame) => frame?.length === to / 50)).toBe(true);
    const all = Int16Array.from(frames.flatMap((frame) => [...(frame ?? [])]));
    expect(fitSine(all.subarray(to / 10), 1_000, to).amplitude).toBeCloseTo(8_000, -2);
  });

  test('lets a sound fade out and then gives silence', () => {
    const resampler = new FrameResampler(8_000, 16_000);
    expect(resampler.process(undefined)).toBeUndefined();
    resampler.process(sine(1_000, 8_000, 160));
    expect(resampler.process(undefined)?.some((sample) => sample !== 0)).toBe(true);
    expect(resampler.process(undefined)).toBeUndefined();
    expect(resampler.process(sine(1_000, 8_000, 160))).toHaveLength(320);
  });
});

describe('the buffer of a phone', () => {
  const frame = (n: number): Uint8Array => new Uint8Array([n]);

  test('gives frames in their order, and none when it is empty', () => {
    const buffer = new FrameBuffer();
    expect(buffer.take()).toBeUndefined();
    buffer.push(frame(1));
    buffer.push(frame(2));
    expect([buffer.take(), buffer.take(), buffer.take()]).toEqual([frame(1), frame(2), undefined]);
  });

  test('gets rid of a delay that a stall has left', () => {
    const buffer = new FrameBuffer();
    for (let n = 0; n < 5; n += 1) buffer.push(frame(n));
    let delay = 5;
    for (let n = 5; n < 105; n += 1) {
      buffer.push(frame(n));
      delay = n - (buffer.take()?.[0] ?? 0);
    }
    expect(delay).toBe(0);
  });

  test('holds ten frames at most', () => {
    const buffer = new FrameBuffer();
    for (let n = 0; n < 100; n += 1) buffer.push(frame(n));
    expect(buffer.take()).toEqual(frame(90));
  });
});

test('tick statistics tell the median, the slowest hundredth and the slowest', () => {
  const statistics = new TickStatistics();
  expect(statistics.summary).toEqual({ ticks: 0, p50Ms: 0, p99Ms: 0, maxMs: 0 });
  for (let ms = 1; ms <= 5_000; ms += 1) statistics.add(ms);
  expect(statistics.summary).toEqual({ ticks: 5_000, p50Ms: 2_952, p99Ms: 4_959, maxMs: 5_000 });
});
