import { levelDb } from '../../../../src/base/audio/level.js';
import { IncomingAudio } from '../../../../src/base/audio/line/incoming-audio.js';
import { PcmuCodec } from '../../../../src/base/audio/line/pcmu-codec.js';
import { encodeMulaw } from '../../../../src/base/audio/mulaw.js';
import { concat, fitSine, sine } from '../signals.js';

const TONE = sine(400, 8_000, 8_000);

/** Plays a second of tone that comes in packets of this length, and hears it. */
function hearTone({
  packetMs = 20,
  sampleRate = 8_000,
  isLost = (_index: number): boolean => false,
  ssrcOf = (_index: number): number => 1,
} = {}): Int16Array[] {
  const incoming = new IncomingAudio(new PcmuCodec(sampleRate), sampleRate);
  const heard = [incoming.hear(0)];
  const length = packetMs * 8;
  let index = 0;
  for (let nowMs = 20; nowMs < 1_200; nowMs += 20) {
    for (; (index + 1) * packetMs <= nowMs && (index + 1) * length <= TONE.length; index += 1) {
      if (isLost(index)) continue;
      const payload = encodeMulaw(TONE.slice(index * length, (index + 1) * length));
      incoming.receive({ ssrc: ssrcOf(index), sequence: index, timestamp: index * length, payload }, nowMs);
    }
    heard.push(incoming.hear(nowMs));
  }
  return heard;
}

const levels = (heard: readonly Int16Array[]) => heard.map((frame) => Math.round(levelDb(frame)));

test.each([10, 20, 40, 60])('makes 20 ms at a time out of packets of %i ms', (packetMs) => {
  const heard = hearTone({ packetMs });
  expect(heard.every((frame) => frame.length === 160)).toBe(true);
  expect(fitSine(concat(...heard.slice(10, 40)), 400, 8_000).snrDb).toBeGreaterThan(30);
});

test('resamples without a seam between packets', () => {
  const heard = hearTone({ sampleRate: 16_000 });
  expect(heard.every((frame) => frame.length === 320)).toBe(true);
  expect(fitSine(concat(...heard.slice(10, 40)), 400, 16_000).snrDb).toBeGreaterThan(30);
});

test('fills the place of single lost packets', () => {
  const heard = hearTone({ isLost: (index) => index % 10 === 5 });
  expect(Math.min(...levels(heard.slice(10, 45)))).toBeGreaterThan(-12);
});

test('is silent before and after', () => {
  const heard = levels(hearTone());
  expect(heard[0]).toBe(-Infinity);
  expect(heard.at(-1)).toBe(-Infinity);
});

test('follows another source', () => {
  const heard = hearTone({ ssrcOf: (index) => (index < 20 ? 1 : 2) });
  expect(levels(heard.slice(30, 45)).every((level) => level > -12)).toBe(true);
});

test('keeps nothing of what comes before anybody listens, nor what is no audio', () => {
  const incoming = new IncomingAudio(new PcmuCodec(8_000), 8_000);
  const packet = { ssrc: 1, sequence: 1, timestamp: 0, payload: encodeMulaw(TONE.slice(0, 160)) };
  incoming.receive(packet, 0);
  expect(levelDb(incoming.hear(1_000))).toBe(-Infinity);
  incoming.receive({ ...packet, payload: new Uint8Array(0) }, 1_000);
  incoming.receive({ ...packet, payload: new Uint8Array(2_000) }, 1_000);
  expect(levelDb(incoming.hear(1_200))).toBe(-Infinity);
});
