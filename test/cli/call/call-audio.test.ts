import type { DtmfDigit } from '../../../src/base/audio/dtmf-digit.js';
import { decodeMulaw, encodeMulaw, MULAW_SILENCE } from '../../../src/base/audio/mulaw.js';
import { CallAudio } from '../../../src/cli/call/call-audio.js';

const FRAME_BYTES = 160;
const SILENCE = new Uint8Array(FRAME_BYTES).fill(MULAW_SILENCE);
const LOUD = encodeMulaw(Int16Array.from({ length: FRAME_BYTES }, (_, i) => 8_000 * Math.sin(i / 2)));

const speech = (ms: number, words = 'words') =>
  ({ kind: 'speech', audio: Buffer.concat(Array.from({ length: ms / 20 }, () => LOUD)), words }) as const;
const keys = (...pressed: Array<[digit: DtmfDigit, atMs: number]>) =>
  ({ kind: 'keys', keys: pressed.map(([digit, atMs]) => ({ digit, atMs })) }) as const;

type Request = ConstructorParameters<typeof CallAudio>[0];

/** A call with a log of what happened when, in milliseconds after the answer. */
function callWith(request: Partial<Request>) {
  const audio = new CallAudio({
    acts: [],
    talksOver: false,
    limitMs: 120_000,
    leavesWhenDone: false,
    recordPath: undefined,
    ...request,
  });
  const log: string[] = [];
  for (const event of ['key', 'speaking', 'bot_speaking', 'bot_silent', 'done'] as const) {
    audio.on(event, (...args: unknown[]) => log.push([audio.elapsedMs, event, ...args].join(' ')));
  }
  const hear = (frame: Uint8Array, ms: number) => {
    for (let passed = 0; passed < ms; passed += 20) audio.exchange(frame);
  };
  return { audio, log, hear };
}

test('time begins with the answer: ringback neither counts nor gets an answer', () => {
  const { audio, log, hear } = callWith({ acts: [keys(['1', 0]), speech(20)], talksOver: true });
  hear(LOUD, 4_000);
  expect(audio.elapsedMs).toBeUndefined();
  expect(log).toEqual([]);
  audio.answered();
  expect(audio.exchange(SILENCE)).toEqual(LOUD);
  expect(audio.exchange(SILENCE)).toEqual(SILENCE);
  expect(log).toEqual(['0 speaking words', '0 key 1']);
});

test('presses each key in the first frame at or after its time', () => {
  const { audio, log, hear } = callWith({
    acts: [keys(['1', 1_000], ['2', 1_010], ['#', 1_015])],
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
  const { audio, log, hear } = callWith({
    acts: [speech(2_000), keys(['1', 3_000])],
    talksOver: true,
    leavesWhenDone: true,
  });
  audio.answered();
  hear(SILENCE, 6_000);
  hear(LOUD, 1_000);
  hear(SILENCE, 10_000);
  expect(log).toEqual(['0 speaking words', '3000 key 1', '6040 bot_speaking', '7480 bot_silent', '11980 done quiet']);
});

test('a call with nothing to say stays until the limit', () => {
  const { audio, log, hear } = callWith({ limitMs: 60_000 });
  audio.answered();
  hear(SILENCE, 59_000);
  expect(log).toEqual([]);
});

test('records both sides frame by frame from the answer on', () => {
  const { audio, hear } = callWith({ recordPath: '/somewhere.wav', acts: [speech(20)], talksOver: true });
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

describe('a caller who lets the bot finish', () => {
  test('speaks when the greeting is over, however many sentences it has', () => {
    const { audio, log, hear } = callWith({ acts: [speech(400, 'a question')] });
    audio.answered();
    hear(SILENCE, 800); // the bot starts
    hear(LOUD, 2_000);
    hear(SILENCE, 900); // between two sentences
    hear(LOUD, 1_000);
    hear(SILENCE, 2_000);
    expect(log).toEqual([
      '840 bot_speaking',
      '3280 bot_silent',
      '3740 bot_speaking',
      '5180 bot_silent',
      '5680 speaking a question',
    ]);
  });

  test('says one thing after the other, each when the answer to the one before is over', () => {
    const { audio, log, hear } = callWith({
      acts: [speech(400, 'first'), keys(['1', 0], ['2', 500]), speech(400, 'second')],
    });
    audio.answered();
    hear(LOUD, 1_000);
    hear(SILENCE, 1_000); // says it after a second of silence, and takes 400 ms
    hear(SILENCE, 2_500); // the bot thinks
    hear(LOUD, 1_000);
    hear(SILENCE, 2_000);
    expect(log.filter((line) => !line.includes('bot'))).toEqual([
      '1980 speaking first',
      '2380 key 1',
      '2880 key 2',
      '6480 speaking second',
    ]);
  });

  test('speaks after five seconds to a bot that says nothing', () => {
    const { audio, log, hear } = callWith({ acts: [speech(400, 'hello?'), speech(400, 'anybody there?')] });
    audio.answered();
    hear(SILENCE, 12_000);
    expect(log).toEqual(['5000 speaking hello?', '10400 speaking anybody there?']);
  });

  test('does not speak into the music of somebody who holds the call', () => {
    const { audio, log, hear } = callWith({ acts: [speech(400, 'a question')] });
    audio.answered();
    audio.hold(true);
    hear(LOUD, 6_000);
    hear(SILENCE, 2_000);
    hear(LOUD, 2_000);
    audio.hold(false);
    hear(LOUD, 1_000);
    hear(SILENCE, 2_000);
    expect(log).toEqual(['10040 bot_speaking', '11480 bot_silent', '11980 speaking a question']);
  });
});

test('a caller who talks over the bot says everything from the answer on, without a pause', () => {
  const { audio, log, hear } = callWith({
    acts: [speech(400, 'one'), keys(['1', 500]), speech(400, 'two')],
    talksOver: true,
  });
  audio.answered();
  hear(LOUD, 2_000);
  expect(log).toEqual(['0 speaking one', '40 bot_speaking', '400 speaking two', '500 key 1']);
});
