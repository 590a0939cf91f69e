import type { DtmfDigit } from '../../../../src/base/audio/dtmf-digit.js';
import type { CurrentStream, StreamListener } from '../../../../src/bot/transports/stream/current-stream.js';
import { StreamEar } from '../../../../src/bot/transports/stream/stream-ear.js';

const FRAME = 160;
/** On the way there and back. */
const WAY_MS = 40;

let now = 1_000;

const { now: realNow } = performance;

beforeEach(() => {
  now = 1_000;
  performance.now = () => now;
});

afterEach(() => {
  performance.now = realNow;
});

/** A far end that plays what it is sent by a clock of its own, and gives marks back. */
class FarEnd {
  readonly listeners = new Set<StreamListener>();
  readonly wireRate = 8_000;
  readonly pressesKeys = true;
  readonly pressed: string[] = [];
  /** Keys that stand in what is kept of the call. */
  readonly keptKeys: string[] = [];
  /** The middle sample of each frame that went out, and of what the recording has of it. */
  readonly sent: Array<readonly [heard: number, kept: number]> = [];
  tape: { isRunning: boolean } | undefined = { isRunning: true };
  waitingMs = 0;
  frames = 0;
  /** Frames that did not go out as they came in. */
  changed = 0;
  #marks: Array<{ name: string; behindMs: number; backAt?: number }> = [];
  #playedTo = now;

  constructor(
    private readonly rate = 1,
    private readonly back: (name: string) => void = () => {},
  ) {}

  get stream(): CurrentStream {
    return this as unknown as CurrentStream;
  }

  sampleRate = () => 8_000;
  isOpen = () => true;
  isCongested = () => false;
  takes = () => true;
  sendClear() {}
  sendDtmf = (digits: string, isKept = true) => {
    this.pressed.push(digits);
    if (isKept) this.keptKeys.push(digits);
  };
  sendMark(name: string) {
    this.#marks.push({ name, behindMs: this.waitingMs });
  }
  /** @param payload of a frame that passes as it is: its first two bytes are the sample */
  sendPayload(payload: Uint8Array, kept: Int16Array) {
    this.frames += 1;
    this.waitingMs += kept.length / 8;
    this.sent.push([new Int16Array(payload.slice(0, 2).buffer)[0] ?? 0, kept[kept.length / 2] ?? 0]);
  }
  sendAudio(pcm: Int16Array, kept = pcm) {
    this.changed += 1;
    this.sendPayload(new Uint8Array(Int16Array.of(pcm[pcm.length / 2] ?? 0).buffer), kept);
  }

  say(pcm: Int16Array) {
    const payload = new Uint8Array(FRAME);
    payload.set(new Uint8Array(Int16Array.of(pcm[pcm.length / 2] ?? 0).buffer));
    for (const listener of this.listeners) listener.heard(payload, pcm);
  }

  press(digit: DtmfDigit) {
    for (const listener of this.listeners) listener.pressed(digit);
  }

  /** It is later. */
  play() {
    const playedMs = Math.min(this.waitingMs, (now - this.#playedTo) * this.rate);
    this.#playedTo = now;
    this.waitingMs -= playedMs;
    for (const mark of this.#marks) {
      mark.behindMs -= playedMs;
      if (mark.behindMs <= 0) mark.backAt ??= now + WAY_MS;
    }
    const back = this.#marks.filter(({ backAt = Number.POSITIVE_INFINITY }) => backAt <= now);
    this.#marks = this.#marks.filter((mark) => !back.includes(mark));
    for (const { name } of back) this.back(name);
  }
}

const voice = Int16Array.from({ length: FRAME }, (_, i) =>
  Math.round(9_000 * Math.sin((2 * Math.PI * 200 * i) / 8_000)),
);
const quiet = new Int16Array(FRAME);

/** A voice with a pause of 300 ms every 4 s. */
const talk = (frame: number) => (frame % 200 < 15 ? quiet : voice);

interface Run {
  readonly minutes: number;
  /** Of the speaker's clock and the listener's, in parts per million against ours. */
  readonly ppm: readonly [speaker: number, listener: number];
}

function run({ minutes, ppm: [speaker, listener] }: Run, stalls: (frame: number) => number = () => 0) {
  const from = new FarEnd();
  const to = new FarEnd(1 + listener / 1e6, (name) => ear.markPlayed(name));
  const ear = new StreamEar(to.stream);
  ear.hear([from.stream]);
  let most = 0;
  let afterwards = 0;
  const frames = minutes * 3_000;
  for (let frame = 0; frame < frames; frame += 1) {
    const dueAt = 1_000 + (frame * 20) / (1 + speaker / 1e6);
    now = Math.max(now, dueAt + stalls(frame));
    to.play();
    from.say(talk(frame));
    most = Math.max(most, to.waitingMs);
    if (frame > frames - 3_000) afterwards = Math.max(afterwards, to.waitingMs);
  }
  return { to, most, afterwards, lost: frames - to.frames, changed: to.changed };
}

test('60 minutes with clocks 200 ppm apart: what waits at the far end does not grow', () => {
  const { most, lost, to } = run({ minutes: 60, ppm: [100, -100] });
  expect(most).toBeLessThanOrEqual(100); // it would be 720 ms
  expect(lost).toBeGreaterThanOrEqual(30); // 720 ms are 36 frames
  expect(lost).toBeLessThanOrEqual(45);
  expect(to.changed).toBeLessThanOrEqual(lost);
});

test('the same the other way round: nothing waits, nothing is left out', () => {
  const { most, lost, to } = run({ minutes: 60, ppm: [-100, 100] });
  expect({ isLow: most <= 40, lost, changed: to.changed }).toEqual({ isLow: true, lost: 0, changed: 0 });
});

test('60 minutes of jitter are not taken for something that waits: nothing is left out', () => {
  let state = 1;
  const jitter = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return (60 * (state >>> 8)) / 2 ** 24;
  };
  const { lost, changed } = run({ minutes: 60, ppm: [0, 0] }, jitter);
  expect({ lost, changed }).toEqual({ lost: 0, changed: 0 });
});

test('what comes in a burst after a stall has caught up within seconds', () => {
  const { most, afterwards } = run({ minutes: 3, ppm: [0, 0] }, (frame) =>
    frame >= 1_000 && frame < 1_025 ? (1_025 - frame) * 20 : 0,
  );
  expect({ wasLate: most > 100, isLow: afterwards <= 60 }).toEqual({ wasLate: true, isLow: true });
});

test('a line whose way becomes longer loses no more than a frame or two for it', () => {
  const from = new FarEnd();
  const to = new FarEnd(1, (name) => later.push({ name, at: now + (now > 60_000 ? 120 : 0) }));
  const later: Array<{ name: string; at: number }> = [];
  const ear = new StreamEar(to.stream);
  ear.hear([from.stream]);
  for (let frame = 0; frame < 30_000; frame += 1) {
    now = 1_000 + frame * 20;
    to.play();
    while (later[0] && later[0].at <= now) ear.markPlayed(later.shift()?.name ?? '');
    from.say(talk(frame));
  }
  expect(30_000 - to.frames).toBeLessThanOrEqual(8);
});

test('music that still waits when others begin to be heard does not delay them', () => {
  const [from, to] = [new FarEnd(), new FarEnd()];
  const ear = new StreamEar(to.stream);
  for (let frame = 0; frame < 4; frame += 1) ear.sendAudio(voice);
  ear.hear([from.stream]);
  const waits: number[] = [];
  for (let frame = 0; frame < 50; frame += 1) {
    now += 20;
    to.play();
    const [before, waitingMs] = [to.frames, to.waitingMs];
    from.say(voice);
    if (to.frames > before) waits.push(waitingMs);
  }
  expect({ most: Math.max(...waits), heard: waits.length }).toEqual({ most: 20, heard: 48 });
});

test('of what the bot says then nothing is left out', () => {
  const [from, to] = [new FarEnd(), new FarEnd()];
  const ear = new StreamEar(to.stream);
  for (let frame = 0; frame < 4; frame += 1) ear.sendAudio(voice);
  ear.hear([from.stream]);
  for (let frame = 0; frame < 5; frame += 1) ear.sendAudio(voice);
  const before = to.frames;
  for (let frame = 0; frame < 5; frame += 1) {
    now += 20;
    to.play();
    from.say(quiet);
  }
  expect(to.frames - before).toBe(5);
  ear.stop();
});

test('keys pass to those who hear the party, and to no other', () => {
  const [one, other] = [new FarEnd(), new FarEnd()];
  const ear = new StreamEar(other.stream);
  ear.hear([one.stream]);
  one.press('5');
  ear.hear([]);
  one.press('6');
  expect(other.pressed).toEqual(['5']);
});

test('whose stream is closed is no listener of the others any more, and becomes none until there is another one', () => {
  const [from, to] = [new FarEnd(), new FarEnd()];
  const ear = new StreamEar(to.stream);
  ear.hear([from.stream]);
  to.isOpen = () => false;
  ear.stop();
  expect(from.listeners.size).toBe(0);
  ear.hear([from.stream]);
  expect(from.listeners.size).toBe(0);
  to.isOpen = () => true;
  ear.hear([from.stream]);
  expect(from.listeners.size).toBe(1);
});

const level = (value: number) => new Int16Array(FRAME).fill(value);

test('what a peer says and presses is heard by the others, and recorded only while the recording of the peer runs', () => {
  const [from, to] = [new FarEnd(), new FarEnd()];
  const ear = new StreamEar(to.stream);
  ear.hear([from.stream]);
  for (const [value, tape] of [
    [100, { isRunning: false }],
    [200, { isRunning: true }],
    [300, undefined],
    [400, { isRunning: true }],
  ] as const) {
    from.tape = tape;
    now += 20;
    to.play();
    from.say(level(value));
    from.press('5');
  }
  expect(to.sent).toEqual([
    [100, 0],
    [200, 200],
    [300, 0],
    [400, 400],
  ]);
  expect([to.pressed.length, to.keptKeys.length]).toEqual([4, 2]);
});

test('of several who are mixed the recording has those whose own runs, also of what has waited for the others', () => {
  const [ann, bob, to] = [new FarEnd(), new FarEnd(), new FarEnd()];
  const ear = new StreamEar(to.stream);
  ear.hear([ann.stream, bob.stream]);
  const say = (isBobKept: boolean) => {
    bob.tape = { isRunning: isBobKept };
    now += 20;
    to.play();
    ann.say(level(100));
    bob.say(level(20));
  };
  for (let frame = 0; frame < 5; frame += 1) say(true);
  for (let frame = 0; frame < 5; frame += 1) say(false);
  const { length: before } = to.sent;
  for (let frame = 0; frame < 5; frame += 1) say(true);
  const kept = to.sent.map(([, value]) => value);
  expect(kept.slice(3, 5)).toEqual([120, 120]);
  expect(to.sent.slice(7, before)).toEqual(Array(before - 7).fill([120, 100]));
  expect(kept[before]).toBe(100); // what bob said while his recording was paused has waited until now
  expect(kept.slice(-2)).toEqual([120, 120]);
});

test('beside one who is not recorded the recording has what the bot says', () => {
  const [from, to] = [new FarEnd(), new FarEnd()];
  const ear = new StreamEar(to.stream);
  ear.hear([from.stream]);
  from.tape = { isRunning: false };
  for (let frame = 0; frame < 4; frame += 1) {
    now += 20;
    to.play();
    ear.sendAudio(level(7));
    from.say(level(100));
  }
  expect(to.sent).toEqual(Array(4).fill([107, 7]));
  ear.stop();
});
