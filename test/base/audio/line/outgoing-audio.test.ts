import { OutgoingAudio, type SentPacket } from '../../../../src/base/audio/line/outgoing-audio.js';
import { PcmuCodec } from '../../../../src/base/audio/line/pcmu-codec.js';
import { OpusCodec } from '../../../../src/providers/rooms/webrtc/opus-codec.js';

const SILENCE = new Int16Array(160);
const VOICE = new Int16Array(160).fill(1_000);

const timeBetween = (later: SentPacket | undefined, earlier: SentPacket | undefined) =>
  ((later?.timestamp ?? Number.NaN) - (earlier?.timestamp ?? Number.NaN)) >>> 0;

/** Says frames at a pace of 20 ms. */
function speaker(codec = new PcmuCodec(8_000) as PcmuCodec | OpusCodec) {
  const outgoing = new OutgoingAudio(codec, 8_000);
  let nowMs = 0;
  return {
    say: (pcm: Int16Array) => {
      nowMs += 20;
      return outgoing.say(pcm, nowMs);
    },
    wait: (ms: number) => {
      nowMs += ms;
    },
  };
}

test('counts packets and time, and marks the first', () => {
  const { say } = speaker();
  const packets = Array.from({ length: 5 }, () => say(VOICE));
  expect(packets.map((packet) => packet?.marker)).toEqual([true, false, false, false, false]);
  for (let n = 1; n < packets.length; n += 1) {
    expect(timeBetween(packets[n], packets[n - 1])).toBe(160);
    expect(((packets[n]?.sequence ?? 0) - (packets[n - 1]?.sequence ?? 0)) & 0xffff).toBe(1);
  }
});

test('counts time at 48 000 Hz in Opus', () => {
  const codec = new OpusCodec(8_000);
  const { say } = speaker(codec);
  const first = say(VOICE);
  expect(timeBetween(say(VOICE), first)).toBe(960);
  codec.close();
});

test('sends 100 ms of silence and no more, and goes on in time', () => {
  const { say } = speaker();
  const last = say(VOICE);
  expect(Array.from({ length: 8 }, () => say(SILENCE)).filter(Boolean)).toHaveLength(5);
  const next = say(VOICE);
  expect(next?.marker).toBe(true);
  expect(timeBetween(next, last)).toBe(9 * 160);
  expect(((next?.sequence ?? 0) - (last?.sequence ?? 0)) & 0xffff).toBe(6);
});

test('sends nothing when nothing but silence is said', () => {
  const { say } = speaker();
  expect(Array.from({ length: 20 }, () => say(SILENCE)).filter(Boolean)).toEqual([]);
});

test('lets real time pass while nothing is said', () => {
  const { say, wait } = speaker();
  const last = say(VOICE);
  wait(480);
  const next = say(VOICE);
  expect(next?.marker).toBe(true);
  expect(timeBetween(next, last)).toBe(500 * 8);
  expect(say(VOICE)?.marker).toBe(false);
});

test('takes frames that come early, late and in bursts for what they are', () => {
  const { say, wait } = speaker();
  let last = say(VOICE);
  for (const waitMs of [-20, -20, -20, 60, 40, -20, -20, 60, -20]) {
    wait(waitMs);
    const next = say(VOICE);
    expect(next?.marker).toBe(false);
    expect(timeBetween(next, last)).toBe(160);
    last = next;
  }
});

test('refuses anything but 20 ms', () => {
  const { say } = speaker();
  expect(() => say(new Int16Array(159))).toThrow(expect.objectContaining({ code: 'VB_AUDIO_INVALID' }));
});
