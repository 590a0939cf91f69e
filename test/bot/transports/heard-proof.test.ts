import { HeardProof } from '../../../src/bot/transports/heard-proof.js';
import { epochOf } from '../../../src/call/timeline.js';

const FRAME_MS = 20;
const loud = (from = 0) => Int16Array.from({ length: 160 }, (_, n) => (n >= from ? 5_000 : 0));
const quiet = () => new Int16Array(160);

/** Sends frames that are due one after the other from a moment on. @returns when the last of them is played */
function send(proof: HeardProof, frames: readonly Int16Array[], from: number): number {
  for (const [n, frame] of frames.entries()) proof.sent(frame, from + (n + 1) * FRAME_MS);
  return from + frames.length * FRAME_MS;
}

afterEach(() => jest.restoreAllMocks());

function at(ms: number): void {
  jest.spyOn(performance, 'now').mockReturnValue(ms);
}

test('what is acknowledged in time was heard when it was due: from the first sound to the last', () => {
  const proof = new HeardProof();
  proof.begin(true, 0);
  const end = send(proof, [quiet(), loud(80), loud(), quiet()], 1_000);
  proof.marked('m1', end);
  at(end + 5);
  proof.played('m1');
  proof.end();
  expect(proof.times).toEqual({ from: epochOf(1_030), to: epochOf(1_060), evidence: 'acknowledged' });
});

test('what is acknowledged late was heard so much later', () => {
  const proof = new HeardProof();
  proof.begin(true, 0);
  send(proof, [loud()], 1_000);
  proof.marked('m1', 1_020);
  at(1_100);
  proof.played('m1');
  const end = send(proof, [loud(), loud()], 1_020);
  proof.marked('m2', end);
  at(end + 130);
  proof.played('m2');
  proof.end();
  expect(proof.times).toEqual({ from: epochOf(1_080), to: epochOf(end + 130), evidence: 'acknowledged' });
});

test('a mark that comes back late because this process is busy makes nothing late that later marks tell to have been in time', () => {
  const proof = new HeardProof();
  proof.begin(true, 0);
  send(proof, [loud()], 1_000);
  proof.marked('m1', 1_020);
  at(1_420);
  proof.played('m1');
  const end = send(proof, [loud(), loud()], 1_020);
  proof.marked('m2', end);
  at(end + 3);
  proof.played('m2');
  proof.end();
  expect(proof.times).toMatchObject({ from: epochOf(1_000), to: epochOf(end) });
});

test('behind a pause of the bot it is known anew how late the far end is', () => {
  let begun = 0;
  const proof = new HeardProof(() => {
    begun += 1;
  });
  proof.begin(true, 0);
  send(proof, [loud()], 1_000);
  proof.marked('m1', 1_020);
  at(1_120);
  proof.played('m1');
  proof.begin(true, 0);
  const end = send(proof, [loud()], 2_000);
  proof.marked('m2', end);
  at(end);
  proof.played('m2');
  proof.end();
  expect(proof.times).toMatchObject({ from: epochOf(1_100), to: epochOf(end) });
  expect(begun).toBe(1);
});

test('nothing is proven while a mark is missing', () => {
  const proof = new HeardProof();
  proof.begin(true, 0);
  proof.marked('m1', send(proof, [loud()], 1_000));
  proof.marked('m2', send(proof, [loud()], 1_020));
  at(1_025);
  proof.played('m1');
  proof.end();
  expect(proof.times).toBeUndefined();
});

test('nothing is proven of what was cut off, of silence, and of what has not been said to its end', () => {
  const cut = new HeardProof();
  cut.begin(false, 0);
  send(cut, [loud()], 1_000);
  cut.cut();
  cut.end();
  expect(cut.times).toBeUndefined();

  const silent = new HeardProof();
  silent.begin(false, 0);
  send(silent, [quiet()], 1_000);
  silent.end();
  expect(silent.times).toBeUndefined();

  const begun = new HeardProof();
  begun.begin(false, 0);
  send(begun, [loud()], 1_000);
  expect(begun.times).toBeUndefined();
});

test('where nothing is acknowledged it was heard after the time that it takes', () => {
  const proof = new HeardProof();
  proof.begin(false, 160);
  send(proof, [loud(), loud()], 1_000);
  proof.end();
  expect(proof.times).toEqual({ from: epochOf(1_160), to: epochOf(1_200), evidence: 'sent' });
});

test('marks of names that are not known change nothing', () => {
  const proof = new HeardProof();
  proof.begin(true, 0);
  proof.marked('m1', send(proof, [loud()], 1_000));
  proof.played('m7');
  proof.end();
  expect(proof.times).toBeUndefined();
});
