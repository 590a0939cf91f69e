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
  sendDtmf = (digits: string) => this.pressed.push(digits);
  sendMark(name: string) {
    this.#marks.push({ name, behindMs: this.waitingMs });
  }
  sendPayload(_payload: Uint8Array, pcm: Int16Array) {
    this.frames += 1;
    this.waitingMs += pcm.length / 8;
  }
  sendAudio(pcm: Int16Array) {
    this.changed += 1;
    this.sendPayload(new Uint8Array(0), pcm);
  }

  say(pcm: Int16Array) {
    for (const listener of this.listeners) listener.heard(new Uint8Array(FRAME), pcm);
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

test('whose stream is over is no listener of the others any more, and becomes none', () => {
  const [from, to] = [new FarEnd(), new FarEnd()];
  const ear = new StreamEar(to.stream);
  ear.hear([from.stream]);
  ear.stop();
  expect(from.listeners.size).toBe(0);
  ear.hear([from.stream]);
  expect(from.listeners.size).toBe(0);
});
