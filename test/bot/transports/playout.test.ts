import { FRAME_MS } from '../../../src/base/audio/frame.js';
import { HeardProof } from '../../../src/bot/transports/heard-proof.js';
import { Playout } from '../../../src/bot/transports/playout.js';
import { CARRIER_PACE, type Pace } from '../../../src/bot/transports/playout-wire.js';

const RATE = 8_000;
const LEAD_MS = CARRIER_PACE.leadMs;
const samples = (ms: number, value = 1) => new Int16Array((ms * RATE) / 1_000).fill(value);

/** A carrier that notes when things reach it. Its marks come back when a test says so. */
function setUp({ acknowledges = true, pace = CARRIER_PACE } = {}) {
  jest.useFakeTimers();
  const startedAt = performance.now();
  const log: Array<{ at: number; what: string }> = [];
  const frames: Int16Array[] = [];
  const note = (what: string) => log.push({ at: performance.now() - startedAt, what });
  const wire = { isCongested: () => false, breaks: 0 };
  let playedUntil = 0;
  const playout: Playout = new Playout(
    RATE,
    {
      sendAudio: (pcm) => {
        playedUntil = Math.max(performance.now(), playedUntil) + FRAME_MS;
        frames.push(pcm);
        note('audio');
      },
      sendMark: (name) => {
        note('mark');
        if (acknowledges) setTimeout(() => playout.markPlayed(name), Math.max(0, playedUntil - performance.now()));
      },
      sendClear: () => {
        playedUntil = 0;
        note('clear');
      },
      isCongested: () => wire.isCongested(),
      get breaks() {
        return wire.breaks;
      },
    },
    {
      started: () => note('started'),
      released: () => {},
      late: (frames, ms) => note(`late ${frames} ${Math.round(ms)}`),
      stopped: (heardMs, wasInterrupted) =>
        note(`stopped ${Math.round(heardMs)}${wasInterrupted ? ' interrupted' : ''}`),
    },
    pace,
  );
  const times = (what: string) => log.filter((entry) => entry.what === what).map(({ at }) => at);
  return { playout, log, frames, times, wire, whats: () => log.map(({ what }) => what) };
}

afterEach(() => {
  jest.useRealTimers();
});

test('releases a lead at once and then one frame every 20 ms', async () => {
  const { playout, times } = setUp();
  playout.write(samples(1_000));
  await jest.advanceTimersByTimeAsync(2_000);
  const released = times('audio');
  expect(released).toHaveLength(50);
  expect(released.filter((at) => at === 0)).toHaveLength(LEAD_MS / FRAME_MS);
  const gaps = released.slice(LEAD_MS / FRAME_MS).map((at, i, all) => at - (all[i - 1] ?? 0));
  for (const gap of gaps.slice(1)) expect(gap).toBe(FRAME_MS);
});

test('a late timer is caught up with, so the pace never drifts', async () => {
  const { playout, times } = setUp();
  playout.write(samples(1_000));
  await jest.advanceTimersByTimeAsync(200);
  const before = times('audio').length;
  jest.setSystemTime(Date.now());
  await jest.advanceTimersByTimeAsync(700);
  expect(times('audio')).toHaveLength(before + 700 / FRAME_MS);
});

test('audio that arrives live passes at once', () => {
  const { playout, frames } = setUp();
  const frame = samples(20);
  playout.write(frame);
  expect(frames).toEqual([frame]);
  expect(frames[0]).toBe(frame);
});

test('cuts what is written into 20 ms and completes the last frame with silence', async () => {
  const { playout, frames } = setUp();
  playout.write(samples(25, 7));
  await jest.advanceTimersByTimeAsync(1_000);
  expect(frames.map(({ length }) => length)).toEqual([160, 160]);
  expect([...(frames[1] as Int16Array)]).toEqual([...Array(40).fill(7), ...Array(120).fill(0)]);
});

test('speech that is complete goes out as whole frames, without waiting for more', () => {
  const { playout, frames } = setUp();
  playout.write(samples(25, 7));
  playout.complete();
  playout.complete();
  expect(frames.map(({ length }) => length)).toEqual([160, 160]);
  playout.complete();
  expect(frames).toHaveLength(2);
});

test('an utterance begins with its first frame and ends when the carrier has played the last', async () => {
  const { playout, whats, times } = setUp();
  playout.write(samples(400));
  await jest.advanceTimersByTimeAsync(1_000);
  expect(whats()[0]).toBe('started');
  expect(whats().at(-1)).toBe('stopped 400');
  expect(times('stopped 400')[0]).toBeGreaterThanOrEqual(400);
  expect(playout.isSpeaking).toBe(false);
});

test('a short gap in live audio does not end the utterance', async () => {
  const { playout, whats } = setUp();
  for (let i = 0; i < 5; i += 1) {
    playout.write(samples(20));
    await jest.advanceTimersByTimeAsync(35);
  }
  expect(whats().filter((what) => what === 'started')).toHaveLength(1);
  expect(whats().filter((what) => what.startsWith('stopped'))).toEqual([]);
});

describe('late frames', () => {
  const late = (whats: string[]) => whats.filter((what) => what.startsWith('late'));

  test('are told with the end of the speech: how many, and how much silence they left', async () => {
    const { playout, whats } = setUp();
    for (const pauseMs of [20, 70, 20, 50, 25, 0]) {
      playout.write(samples(20));
      await jest.advanceTimersByTimeAsync(pauseMs);
    }
    expect(late(whats())).toEqual([]);
    await jest.advanceTimersByTimeAsync(1_000);
    expect(whats().slice(-2)).toEqual(['late 2 80', 'stopped 120']);
  });

  test('are none in speech that comes in time, and in what begins after a pause', async () => {
    const { playout, whats } = setUp();
    for (let i = 0; i < 3; i += 1) {
      playout.write(samples(400));
      await jest.advanceTimersByTimeAsync(2_000);
    }
    expect(late(whats())).toEqual([]);
  });

  test('are not the last part of the speech, which goes out before the caller has heard all before it', async () => {
    const { playout, whats, times } = setUp();
    playout.write(samples(413));
    await jest.advanceTimersByTimeAsync(1_000);
    expect(times('audio')).toHaveLength(21);
    expect(times('audio').at(-1)).toBeLessThan(400);
    expect(late(whats())).toEqual([]);
  });

  test('are not the last part of live audio, which waits a moment for more', async () => {
    const { playout, whats, times } = setUp();
    for (let i = 0; i < 5; i += 1) {
      playout.write(samples(19));
      await jest.advanceTimersByTimeAsync(19);
    }
    await jest.advanceTimersByTimeAsync(1_000);
    expect(times('audio')).toHaveLength(5);
    expect(late(whats())).toEqual([]);
  });

  test('are told with the silence before them and around a part of a frame, where speech goes on behind it', async () => {
    const { playout, whats } = setUp();
    playout.write(samples(213));
    await jest.advanceTimersByTimeAsync(250);
    playout.write(samples(200));
    await jest.advanceTimersByTimeAsync(1_000);
    expect(whats().slice(-2)).toEqual(['late 1 37', 'stopped 420']);
  });

  test('that the far end bridges leave one silence until they have made up for it', async () => {
    const { playout, whats } = setUp({ pace: { ...CARRIER_PACE, bridgedMs: 100, acknowledges: false } });
    playout.write(samples(20));
    await jest.advanceTimersByTimeAsync(75);
    for (let i = 0; i < 5; i += 1) playout.write(samples(20));
    await jest.advanceTimersByTimeAsync(1_000);
    expect(late(whats())).toEqual(['late 2 55']);
  });
});

test('without acknowledgements an utterance ends by the clock, the first after a grace time', async () => {
  const { playout, times } = setUp({ acknowledges: false });
  playout.write(samples(200));
  await jest.advanceTimersByTimeAsync(5_000);
  expect(times('stopped 200')[0]).toBeGreaterThan(2_000);
  playout.write(samples(200));
  await jest.advanceTimersByTimeAsync(300);
  expect(times('stopped 200')).toHaveLength(2);
});

describe('an interruption', () => {
  test('drops the queue, tells the carrier, and says how much was heard', async () => {
    const { playout, log, times } = setUp();
    playout.write(samples(3_000));
    await jest.advanceTimersByTimeAsync(500);
    const released = times('audio').length;
    playout.interrupt();
    expect(log.slice(-2).map(({ what }) => what)).toEqual(['clear', 'stopped 500 interrupted']);
    await jest.advanceTimersByTimeAsync(3_000);
    expect(times('audio')).toHaveLength(released);
  });

  test('clears the carrier even when everything has been released', async () => {
    const { playout, whats } = setUp();
    playout.write(samples(80));
    await jest.advanceTimersByTimeAsync(10);
    playout.interrupt();
    expect(whats()).toContain('clear');
  });

  test('of a silent bot sends nothing', async () => {
    const { playout, whats } = setUp();
    playout.interrupt();
    playout.write(samples(100));
    await jest.advanceTimersByTimeAsync(1_000);
    playout.interrupt();
    expect(whats()).not.toContain('clear');
  });

  test('lets new audio follow at once with a lead of its own', async () => {
    const { playout, times } = setUp();
    playout.write(samples(3_000));
    await jest.advanceTimersByTimeAsync(500);
    playout.interrupt();
    const before = times('audio').length;
    playout.write(samples(1_000));
    expect(times('audio')).toHaveLength(before + LEAD_MS / FRAME_MS);
  });

  test('makes marks from before it mean nothing', async () => {
    const { playout, whats } = setUp();
    playout.write(samples(1_500));
    await jest.advanceTimersByTimeAsync(1_000); // a mark is on its way
    playout.interrupt();
    playout.write(samples(1_000));
    playout.markPlayed('m1');
    expect(playout.isSpeaking).toBe(true);
    expect(whats().filter((what) => what.startsWith('stopped'))).toHaveLength(1);
  });
});

test('what was heard is never more than the carrier has proven', async () => {
  const { playout } = setUp({ acknowledges: false });
  playout.write(samples(5_000));
  await jest.advanceTimersByTimeAsync(1_500);
  playout.markPlayed('m1'); // at 1000 ms; the mark at 2000 ms stays open
  await jest.advanceTimersByTimeAsync(2_000);
  expect(playout.heardMs).toBe(2_000);
});

test('drain() resolves when the last of it was played, at once when the bot is silent', async () => {
  const { playout, times } = setUp();
  await playout.drain();
  playout.write(samples(300));
  let drainedAt = 0;
  const startedAt = performance.now();
  void playout.drain().then(() => {
    drainedAt = performance.now() - startedAt;
  });
  await jest.advanceTimersByTimeAsync(1_000);
  expect(drainedAt).toBe(300);
  expect(times('stopped 300')).toEqual([300]);
});

test('drain() during the pause after an utterance does not wait for more audio', async () => {
  const { playout } = setUp();
  playout.write(samples(100));
  await jest.advanceTimersByTimeAsync(110);
  const drained = playout.drain();
  await jest.advanceTimersByTimeAsync(1);
  await drained;
});

test('room() waits until little enough is queued, and no longer than an interruption', async () => {
  const { playout } = setUp();
  playout.write(samples(1_000));
  const room = playout.room(500);
  await jest.advanceTimersByTimeAsync(500);
  await room;
  expect(playout.queuedMs).toBeLessThanOrEqual(500);
  const again = playout.room(0);
  playout.interrupt();
  await again;
});

test('releases nothing while the wire is congested and goes on afterwards', async () => {
  const { playout, times, wire } = setUp();
  wire.isCongested = () => true;
  playout.write(samples(200));
  await jest.advanceTimersByTimeAsync(1_000);
  expect(times('audio')).toEqual([]);
  wire.isCongested = () => false;
  await jest.advanceTimersByTimeAsync(1_000);
  expect(times('audio')).toHaveLength(10);
});

describe('a wire that plays at once and acknowledges nothing', () => {
  const pace: Pace = { leadMs: 20, liveLeadMs: 60, bridgedMs: 100, transitMs: 200, acknowledges: false };
  const atOnce = () => setUp({ acknowledges: false, pace });

  test.each([
    ['is not known to have been heard where its connection was lost meanwhile', 1],
    ['counts as heard when its time is over', 0],
  ])('a sentence that is to be proven %s', async (_what, breaks) => {
    const { playout, wire } = atOnce();
    wire.breaks = 3; // before it
    const proof = new HeardProof();
    playout.prove(proof);
    playout.write(samples(1_000, 1_000), true);
    const drained = playout.drain();
    await jest.advanceTimersByTimeAsync(400);
    wire.breaks += breaks;
    await jest.advanceTimersByTimeAsync(2_000);
    await drained;
    playout.proven();
    expect(proof.times !== undefined).toBe(breaks === 0);
  });

  test('gets one frame every 20 ms, and nothing ahead', async () => {
    const { playout, times } = atOnce();
    playout.write(samples(200));
    await jest.advanceTimersByTimeAsync(1_000);
    expect(times('audio')).toEqual(Array.from({ length: 10 }, (_, i) => i * FRAME_MS));
  });

  test('gets the frames that are late one after the other, so that the pace holds', async () => {
    const { playout, times, wire } = atOnce();
    playout.write(samples(1_000));
    await jest.advanceTimersByTimeAsync(200);
    wire.isCongested = () => true;
    await jest.advanceTimersByTimeAsync(80);
    wire.isCongested = () => false;
    await jest.advanceTimersByTimeAsync(120);
    expect(times('audio')).toHaveLength(21);
  });

  test('is not made to catch up on what nobody bridges', async () => {
    const { playout, times, wire } = atOnce();
    playout.write(samples(2_000));
    await jest.advanceTimersByTimeAsync(200);
    wire.isCongested = () => true;
    await jest.advanceTimersByTimeAsync(1_000);
    const before = times('audio').length;
    wire.isCongested = () => false;
    await jest.advanceTimersByTimeAsync(200);
    expect(times('audio').length - before).toBeLessThanOrEqual(11);
  });

  test('gets audio that arrives live at once, and a burst of it little by little', async () => {
    const { playout, times } = atOnce();
    for (let i = 0; i < 10; i += 1) playout.write(samples(20));
    expect(times('audio')).toHaveLength(3);
    await jest.advanceTimersByTimeAsync(180);
    expect(times('audio')).toHaveLength(10);
  });

  test('has been heard when it had the time to arrive', async () => {
    const { playout, times } = atOnce();
    playout.write(samples(100));
    await jest.advanceTimersByTimeAsync(20);
    let drainedAt = 0;
    const startedAt = performance.now() - 20;
    void playout.drain().then(() => {
      drainedAt = performance.now() - startedAt;
    });
    await jest.advanceTimersByTimeAsync(1_000);
    expect(drainedAt).toBe(300);
    expect(times('stopped 100')).toEqual([300]);
  });
});
