import { decodeMulaw, encodeMulaw, MULAW_SILENCE } from '../../src/audio/mulaw.js';
import { CallAudio } from '../../src/cli/call-audio.js';

const FRAME_BYTES = 160;
const SILENCE = new Uint8Array(FRAME_BYTES).fill(MULAW_SILENCE);
const LOUD = encodeMulaw(Int16Array.from({ length: FRAME_BYTES }, (_, i) => 8_000 * Math.sin(i / 2)));

type Request = ConstructorParameters<typeof CallAudio>[0];

/** A call with a log of what happened when, in milliseconds after the answer. */
function callWith(request: Partial<Request>) {
  const audio = new CallAudio({
    speech: new Uint8Array(0),
    keys: [],
    limitMs: 120_000,
    leavesWhenDone: false,
    recordPath: undefined,
    ...request,
  });
  const log: string[] = [];
  for (const event of ['key', 'bot_speaking', 'bot_silent', 'done'] as const) {
    audio.on(event, (...args: unknown[]) => log.push([audio.elapsedMs, event, ...args].join(' ')));
  }
  const hear = (frame: Uint8Array, ms: number) => {
    for (let passed = 0; passed < ms; passed += 20) audio.exchange(frame);
  };
  return { audio, log, hear };
}

test('time begins with the answer: ringback neither counts nor gets an answer', () => {
  const { audio, log, hear } = callWith({ keys: [{ digit: '1', atMs: 0 }], speech: LOUD });
  hear(LOUD, 4_000);
  expect(audio.elapsedMs).toBeUndefined();
  expect(log).toEqual([]);
  audio.answered();
  expect(audio.exchange(SILENCE)).toEqual(LOUD);
  expect(audio.exchange(SILENCE)).toEqual(SILENCE);
  expect(log).toEqual(['0 key 1']);
});

test('presses each key in the first frame at or after its time', () => {
  const { audio, log, hear } = callWith({
    keys: [
      { digit: '1', atMs: 1_000 },
      { digit: '2', atMs: 1_010 },
      { digit: '#', atMs: 1_015 },
    ],
  });
  audio.answered();
  hear(SILENCE, 2_000);
  expect(log).toEqual(['1000 key 1', '1020 key 2', '1020 key #']);
});

test('tells when the bot speaks, without splitting a sentence at a short pause or taking a click for speech', () => {
  const { audio, log, hear } = callWith({});
  audio.answered();
  hear(SILENCE, 1_000);
  hear(LOUD, 40);
  hear(SILENCE, 960);
  hear(LOUD, 500);
  hear(SILENCE, 300);
  hear(LOUD, 200);
  hear(SILENCE, 2_000);
  expect(log).toEqual(['2040 bot_speaking', '3480 bot_silent']);
});

test('hangs up at the limit, once', () => {
  const { audio, log, hear } = callWith({ limitMs: 1_000 });
  audio.answered();
  hear(SILENCE, 3_000);
  expect(log).toEqual(['1000 done limit']);
});

test('hangs up when everything is said and pressed and the bot has been silent for five seconds', () => {
  const speech = Buffer.concat(Array.from({ length: 100 }, () => LOUD)); // two seconds
  const { audio, log, hear } = callWith({ speech, keys: [{ digit: '1', atMs: 3_000 }], leavesWhenDone: true });
  audio.answered();
  hear(SILENCE, 6_000);
  hear(LOUD, 1_000);
  hear(SILENCE, 10_000);
  expect(log).toEqual(['3000 key 1', '6040 bot_speaking', '7480 bot_silent', '11980 done quiet']);
});

test('a call with nothing to say stays until the limit', () => {
  const { audio, log, hear } = callWith({ limitMs: 60_000 });
  audio.answered();
  hear(SILENCE, 59_000);
  expect(log).toEqual([]);
});

test('records both sides frame by frame from the answer on', () => {
  const { audio, hear } = callWith({ recordPath: '/somewhere.wav', speech: LOUD });
  hear(LOUD, 100);
  audio.answered();
  audio.exchange(SILENCE);
  const heard = Uint8Array.from(LOUD);
  audio.exchange(heard);
  heard.fill(0); // whoever owns the buffer may use it again
  expect(audio.recording.map(({ said }) => decodeMulaw(said))).toEqual([decodeMulaw(LOUD), decodeMulaw(SILENCE)]);
  expect(audio.recording.map((frame) => frame.heard)).toEqual([SILENCE, LOUD]);
});

test('keeps nothing of a call that is not recorded', () => {
  const { audio, hear } = callWith({});
  audio.answered();
  hear(LOUD, 1_000);
  expect(audio.recording).toEqual([]);
});

test('does not take hold music for the bot, nor hangs up while it plays', () => {
  const { audio, log, hear } = callWith({ leavesWhenDone: true });
  audio.answered();
  audio.hold(true);
  hear(LOUD, 8_000);
  audio.hold(false);
  hear(LOUD, 1_000);
  expect(log).toEqual(['8040 bot_speaking']);
});
