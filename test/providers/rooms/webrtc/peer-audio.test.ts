import { createSocket } from 'node:dgram';
import { Goertzel } from '../../../../src/base/audio/goertzel.js';
import { levelDb } from '../../../../src/base/audio/level.js';
import { type AudioCodec, PeerAudio, preloadWebRtc } from '../../../../src/providers/rooms/webrtc/peer-audio.js';
import { candidateHosts } from '../../../../src/providers/rooms/webrtc/sdp.js';
import { sine } from '../../../base/audio/signals.js';

const LIMIT_MS = 5_000;

beforeAll(preloadWebRtc);

const peers: PeerAudio[] = [];

function peer(sampleRate: number, codecs: readonly AudioCodec[]): PeerAudio {
  const created = new PeerAudio({ sampleRate, codecs, isLocal: true });
  peers.push(created);
  return created;
}

afterEach(async () => {
  await Promise.all(peers.splice(0).map((one) => one.close()));
});

async function connect(caller: PeerAudio, callee: PeerAudio): Promise<void> {
  await caller.accept(await callee.answer(await caller.offer()));
  await Promise.all([caller.connected(LIMIT_MS), callee.connected(LIMIT_MS)]);
}

/** Says what `next` gives, at the pace of real time, and hears as much until `isDone`. */
function exchange(
  [from, to]: readonly [PeerAudio, PeerAudio],
  next: (n: number) => Int16Array | undefined,
  isDone: (heard: Int16Array) => boolean,
): Promise<void> {
  const startedAt = performance.now();
  let n = 0;
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      while (performance.now() >= startedAt + n * 20) {
        const frame = next(n);
        if (frame) from.say(frame);
        n += 1;
        if (!isDone(to.hear())) continue;
        clearInterval(timer);
        return resolve();
      }
    }, 5);
  });
}

/**
 * Says a tone until so many frames of it are heard, as loud as it is said; frames that came too late do not count.
 * @param pair who says it and who hears it
 */
async function hearTone(
  pair: readonly [PeerAudio, PeerAudio],
  frequency: number,
  frames: number,
  toleranceDb = 3,
): Promise<Int16Array[]> {
  const [{ sampleRate }, { sampleRate: heardRate }] = [pair[0].options, pair[1].options];
  const length = sampleRate / 50;
  const tone = sine(frequency, sampleRate, sampleRate, 8_000); // a second: whole periods
  const isTone = (frame: Int16Array) =>
    share(frame, frequency, heardRate) > 0.9 && Math.abs(levelDb(frame) - levelDb(tone)) < toleranceDb;
  const heard: Int16Array[] = [];
  await exchange(
    pair,
    (n) => tone.slice((n % 50) * length, ((n % 50) + 1) * length),
    (frame) => isTone(frame) && heard.push(frame) === frames,
  );
  return heard;
}

/** Share of the energy at one frequency, 0 to 1. */
function share(pcm: Int16Array, frequency: number, rate: number): number {
  const bin = new Goertzel(frequency, rate);
  const block = Float64Array.from(pcm);
  bin.measure(block);
  const energy = block.reduce((sum, sample) => sum + sample ** 2, 0);
  return (2 * bin.power) / (block.length * energy);
}

describe.each([
  { codec: 'PCMU', rate: 8_000, toleranceDb: 1 },
  { codec: 'PCMU', rate: 16_000, toleranceDb: 1 },
  { codec: 'opus', rate: 8_000, toleranceDb: 3 },
  { codec: 'opus', rate: 16_000, toleranceDb: 3 },
] as const)('$codec at $rate Hz', ({ codec, rate, toleranceDb }) => {
  test('carries a tone in both directions', async () => {
    const caller = peer(rate, [codec]);
    const callee = peer(rate, ['opus', 'PCMU']);
    await connect(caller, callee);
    expect([caller.codec, callee.codec]).toEqual([codec, codec]);
    await Promise.all([
      hearTone([caller, callee], 440, 15, toleranceDb),
      hearTone([callee, caller], 1_000, 15, toleranceDb),
    ]);
  });
});

test('peers at different rates hear each other', async () => {
  const caller = peer(8_000, ['PCMU', 'opus']);
  const callee = peer(16_000, ['opus', 'PCMU']);
  await connect(caller, callee);
  expect(callee.codec).toBe('PCMU');
  const heard = await hearTone([caller, callee], 440, 15, 1);
  expect(heard.every((frame) => frame.length === 320)).toBe(true);
});

test('a pause is silent, and what follows is heard', async () => {
  const caller = peer(8_000, ['PCMU']);
  const callee = peer(8_000, ['PCMU']);
  await connect(caller, callee);
  const pair = [caller, callee] as const;
  await hearTone(pair, 440, 10);
  let silent = 0;
  await exchange(
    pair,
    () => undefined,
    (heard) => {
      silent = levelDb(heard) === -Infinity ? silent + 1 : 0;
      return silent === 10;
    },
  );
  await hearTone(pair, 440, 10);
});

test('hears silence before anything is said and after closing, and says nothing then', async () => {
  const lonely = peer(8_000, ['PCMU']);
  expect(lonely.hear()).toEqual(new Int16Array(160));
  lonely.say(new Int16Array(160).fill(1_000));
  await lonely.close();
  expect(lonely.hear()).toEqual(new Int16Array(160));
  lonely.say(new Int16Array(160).fill(1_000));
});

test('the other side sees at once that a peer closes', async () => {
  const caller = peer(8_000, ['PCMU']);
  const callee = peer(8_000, ['PCMU']);
  await connect(caller, callee);
  let calls = 0;
  const closed = new Promise<void>((resolve) => {
    callee.onClosed(() => {
      calls += 1;
      resolve();
    });
  });
  await Promise.all([caller.close(), caller.close()]);
  await closed;
  await callee.close();
  expect(calls).toBe(1);
  await new Promise<void>((resolve) => callee.onClosed(resolve));
});

test('offers the loopback address and no other', async () => {
  const caller = peer(8_000, ['PCMU', 'opus']);
  const callee = peer(8_000, ['opus']);
  const offer = await caller.offer();
  expect(candidateHosts(offer)).toEqual(['127.0.0.1']);
  expect(candidateHosts(await callee.answer(offer))).toEqual(['127.0.0.1']);
});

test('answers an offer that has no loopback address, or only names, with all addresses of the machine', async () => {
  const caller = peer(8_000, ['PCMU']);
  const callee = peer(8_000, ['PCMU']);
  const offer = await caller.offer();
  const answer = await callee.answer(offer.replace(/127\.0\.0\.1/, 'e64051cb1976.local'));
  expect(candidateHosts(answer)).toContain('127.0.0.1');
  await caller.accept(answer);
  await Promise.all([caller.connected(LIMIT_MS), callee.connected(LIMIT_MS)]);
});

test('takes the codec that the offer likes best', async () => {
  const caller = peer(16_000, ['opus', 'PCMU']);
  const callee = peer(16_000, ['PCMU', 'opus']);
  await caller.accept(await callee.answer(await caller.offer()));
  expect([caller.codec, callee.codec]).toEqual(['opus', 'opus']);
});

test('a codec is not known before it is agreed on', () => {
  expect(() => peer(8_000, ['PCMU']).codec).toThrow('no codec');
});

describe('refuses', () => {
  const refused = expect.objectContaining({ code: 'VB_ROOM_JOIN_FAILED' });

  test.each([
    ['nothing', ''],
    ['words', 'hello'],
    ['audio without keys', 'v=0\r\nm=audio 9 UDP/TLS/RTP/SAVPF 0\r\na=rtpmap:0 PCMU/8000\r\n'],
    ['another codec', 'v=0\r\nm=audio 9 UDP/TLS/RTP/SAVPF 9\r\na=rtpmap:9 G722/8000\r\n'],
  ])('an offer of %s', async (_, offer) => {
    const callee = peer(8_000, ['PCMU']);
    const answered = callee.answer(offer).then(() => callee.connected(200));
    await expect(answered).rejects.toEqual(refused);
  });

  test('an offer of two sections', async () => {
    const offer = await peer(8_000, ['PCMU']).offer();
    const two = `${offer}m=video 9 UDP/TLS/RTP/SAVPF 96\r\n`;
    await expect(peer(8_000, ['PCMU']).answer(two)).rejects.toEqual(refused);
  });

  test('an answer without an offer', async () => {
    await expect(peer(8_000, ['PCMU']).accept('v=0')).rejects.toEqual(refused);
  });

  test('an answer that agrees on nothing', async () => {
    const caller = peer(8_000, ['PCMU']);
    await caller.offer();
    await expect(caller.accept('v=0')).rejects.toEqual(refused);
  });

  test('a peer with another certificate', async () => {
    const caller = peer(8_000, ['PCMU']);
    const callee = peer(8_000, ['PCMU']);
    const answer = await callee.answer(await caller.offer());
    const fingerprint = /(a=fingerprint:sha-256 )(..)/;
    const [, , first] = fingerprint.exec(answer) ?? [];
    await caller.accept(answer.replace(fingerprint, `$1${first === '00' ? '01' : '00'}`));
    await expect(caller.connected(LIMIT_MS)).rejects.toEqual(refused);
  });

  test('to wait for longer than the limit', async () => {
    const caller = peer(8_000, ['PCMU']);
    await caller.offer();
    await expect(caller.connected(20)).rejects.toEqual(refused);
  });

  test('to wait after it was told to give up', async () => {
    const caller = peer(8_000, ['PCMU']);
    const giveUp = new AbortController();
    const waiting = caller.connected(LIMIT_MS, giveUp.signal);
    giveUp.abort();
    await expect(waiting).rejects.toEqual(refused);
    await expect(caller.connected(LIMIT_MS, giveUp.signal)).rejects.toEqual(refused);
  });

  test('everything that is under way when it is closed', async () => {
    const [offering, answering, waiting] = [0, 1, 2].map(() => peer(8_000, ['PCMU'])) as [
      PeerAudio,
      PeerAudio,
      PeerAudio,
    ];
    const offer = await waiting.offer();
    const steps = [offering.offer(), answering.answer(offer), waiting.connected(LIMIT_MS)];
    const settled = Promise.allSettled(steps);
    await Promise.all([offering.close(), answering.close(), waiting.close()]);
    for (const step of await settled) expect(step).toEqual({ status: 'rejected', reason: refused });
  });
});

test('an alert in plain text, which anybody can send, does not end a connection', async () => {
  const options = { sampleRate: 8_000, codecs: ['PCMU'], isLocal: true } as const;
  const [caller, callee] = [new PeerAudio(options), new PeerAudio(options)];
  const stranger = createSocket('udp4');
  try {
    const answer = await callee.answer(await caller.offer());
    await caller.accept(answer);
    await Promise.all([caller.connected(LIMIT_MS), callee.connected(LIMIT_MS)]);
    let isClosed = false;
    callee.onClosed(() => {
      isClosed = true;
    });
    const port = Number(/a=candidate:\S+ \d+ \S+ \d+ 127\.0\.0\.1 (\d+)/.exec(answer)?.[1]);
    const alert = Buffer.from([21, 0xfe, 0xfd, 0, 0, 0, 0, 0, 0, 0, 9, 0, 2, 1, 0]);
    for (const datagram of [alert, Buffer.concat([alert, alert])]) {
      await new Promise((resolve) => stranger.send(datagram, port, '127.0.0.1', resolve));
    }
    await hearTone([caller, callee], 600, 5);
    expect(isClosed).toBe(false);
  } finally {
    stranger.close();
    await Promise.all([caller.close(), callee.close()]);
  }
});
