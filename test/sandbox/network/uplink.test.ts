import { Uplink } from '../../../src/sandbox/network/uplink.js';

const frame = (byte: number): Uint8Array => new Uint8Array(160).fill(byte);

function record(): { uplink: Uplink; sent: number[] } {
  const sent: number[] = [];
  return { uplink: new Uplink((bytes) => sent.push(bytes[0] ?? -1)), sent };
}

test('passes replies on as they come', () => {
  const { uplink, sent } = record();
  for (let n = 1; n <= 3; n += 1) {
    uplink.tick();
    uplink.said(frame(n));
  }
  expect(sent).toEqual([1, 2, 3]);
});

test('loses nothing when a phone stalls for 200 ms', () => {
  const { uplink, sent } = record();
  for (let n = 1; n <= 10; n += 1) uplink.tick();
  expect(sent).toEqual([]);
  for (let n = 1; n <= 10; n += 1) uplink.said(frame(n));
  expect(sent).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

test('replaces later replies by silence, so that the stream stays in step with the ticks', () => {
  const { uplink, sent } = record();
  for (let n = 1; n <= 13; n += 1) uplink.tick();
  expect(sent).toEqual([0xff, 0xff, 0xff]);
  for (let n = 1; n <= 13; n += 1) uplink.said(frame(n));
  expect(sent).toEqual([0xff, 0xff, 0xff, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
});
