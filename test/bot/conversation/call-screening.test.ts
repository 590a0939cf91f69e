import type { VoicemailGateOptions } from '../../../src/bot/conversation/voicemail-gate.js';
import { VoicemailGate } from '../../../src/bot/conversation/voicemail-gate.js';
import {
  CallerJoinedFrame,
  CancelFrame,
  DtmfFrame,
  type Frame,
  InputAudioFrame,
  InterimTranscriptionFrame,
  StartFrame,
  TranscriptionFrame,
} from '../../../src/bot/pipeline/frames/index.js';
import { concat, cut } from '../../base/audio/signals.js';
import { silence, vowel } from '../../base/audio/voices.js';
import { Recorder } from '../pipeline/recorder.js';
import { BEEP, cleanUpGates, gated } from './gated-line.js';

const QUESTION = "Hi, if you record your name and reason for calling, I'll see if this person is available.";
const REASON = 'Bluebird Bakery, about your order of today.';
const MESSAGE = 'Please call us back.';
const WAIT_MS = 45_000;

type Line = ReturnType<typeof gated>;

afterEach(() => {
  cleanUpGates();
  jest.useRealTimers();
});

/** A text is said: the sound, a pause, and the words. */
function says(line: Line, text: string, pauseMs = 900): void {
  line.hear(concat(vowel(400), silence(200)));
  line.send(new TranscriptionFrame(text));
  line.hear(silence(pauseMs));
}

function screened(options: VoicemailGateOptions = {}): Line {
  jest.useFakeTimers();
  const line = gated({ message: MESSAGE, screening: { reason: REASON }, ...options });
  says(line, QUESTION);
  return line;
}

test('tells a screening assistant who calls and why, when it has asked, and lets nothing of it through', () => {
  jest.useFakeTimers();
  const line = gated({ screening: { reason: REASON } });
  line.hear(vowel(400));
  line.send(new TranscriptionFrame(QUESTION));
  expect(line.acts()).toEqual(['interrupt', 'hold']);
  line.hear(silence(700));
  expect(line.acts()).toEqual(['interrupt', 'hold']);
  line.hear(silence(400));
  expect(line.acts()).toEqual(['interrupt', 'hold', REASON]);
  expect(line.after.of(TranscriptionFrame)).toEqual([]);
  expect(line.heardFromCaller()).toBe(20);
  expect([line.statuses, line.detected]).toEqual([['asked'], []]);
});

test('knows it in the middle of its sentence, and waits for the end of that', () => {
  jest.useFakeTimers();
  const line = gated({ screening: { reason: REASON } });
  line.hear(vowel(400));
  line.send(new InterimTranscriptionFrame("hi if you record your name and reason for calling i'll see"));
  expect(line.acts()).toEqual(['interrupt', 'hold']);
  line.hear(vowel(2_000));
  expect(line.acts()).toEqual(['interrupt', 'hold']);
  line.hear(silence(1_100));
  line.send(new TranscriptionFrame(QUESTION)); // ears that are late
  line.hear(silence(5_000));
  expect(line.acts()).toEqual(['interrupt', 'hold', REASON]);
});

test.each(['Hello?', 'Yes, this is Anna.', 'Anna Schmidt', 'Ja bitte?', 'What was it you wanted'])(
  'the person who comes on with %j begins the conversation',
  (words) => {
    const line = screened();
    says(line, 'Thanks. Stay on the line.');
    line.hear(silence(8_000));
    says(line, words);
    expect(line.acts().slice(3)).toEqual(['interrupt', `restart: ${words}`]);
    const passed = line.heardFromCaller();
    says(line, 'Who is calling?');
    expect(line.after.of(TranscriptionFrame).map(({ text }) => text)).toEqual(['Who is calling?']);
    expect(line.heardFromCaller()).toBeGreaterThan(passed);
    expect(line.statuses).toEqual(['asked', 'person']);
  },
);

test('a person who comes on while the bot says who it is is greeted at once', () => {
  const line = screened();
  says(line, 'Hello, hello?', 0);
  expect(line.acts().slice(2)).toEqual([REASON, 'interrupt', 'restart: Hello, hello?']);
});

test('begins the conversation when the assistant has said that it connects, with a person who waits to be greeted', () => {
  const line = screened();
  says(line, 'Thank you. Connecting you now.', 1_000);
  expect(line.acts().at(-1)).toBe(REASON);
  line.hear(silence(2_000));
  expect(line.acts().slice(3)).toEqual(['interrupt', 'restart: ']);
});

test('says the same again to an assistant that asks again, twice at most', () => {
  const line = screened();
  for (const again of ["Sorry, I didn't catch that.", 'Is it urgent?', 'Can you say that again?', 'Is it urgent?']) {
    says(line, again, 1_500);
  }
  expect(line.acts().filter((act) => act === REASON)).toHaveLength(3);
  expect(line.statuses).toEqual(['asked']);
});

test.each([
  'Please hold while I try to connect you.',
  'Okay, one moment please.',
  'Danke, bitte bleiben Sie dran.',
  'Gracias, espere un momento.',
  'Merci, veuillez patienter.',
  'Grazie, attenda in linea.',
])('goes on waiting when the assistant says %j', (text) => {
  const line = screened();
  says(line, text, 10_000);
  expect(line.acts()).toEqual(['interrupt', 'hold', REASON]);
});

test('leaves the message when the assistant offers to take one', () => {
  const line = screened();
  says(line, "This person isn't available. Please leave a message after the tone.");
  expect([line.statuses, line.detected]).toEqual([['asked', 'machine'], ['phrase']]);
  line.hear(concat(vowel(200), BEEP));
  expect(line.acts().slice(-2)).toEqual([MESSAGE, 'end: voicemail']);
});

test('ends the call as screened when the person does not come on', () => {
  const line = screened();
  says(line, 'Thanks. Stay on the line.');
  jest.advanceTimersByTime(WAIT_MS - 1);
  expect(line.acts().at(-1)).toBe(REASON);
  jest.advanceTimersByTime(1);
  expect(line.acts().slice(3)).toEqual(['interrupt', 'end: screened']);
  expect(line.statuses).toEqual(['asked', 'no_person']);
  expect(jest.getTimerCount()).toBe(0);
});

test('waits ten seconds more for an offer to leave a message when the person does not want the call', () => {
  const line = screened();
  says(line, "The person you're calling can't talk right now. Goodbye.");
  jest.advanceTimersByTime(10_000);
  expect(line.acts().at(-1)).toBe('end: screened');
});

test.each([
  ['the call is over', (line: Line) => line.send(new CancelFrame('call_ended'))],
  ['the pipeline is taken down', (line: Line) => line.gate.cleanup()],
])('says nothing more when %s', (_, end) => {
  jest.useFakeTimers();
  const line = gated({ screening: { reason: REASON } });
  line.hear(vowel(400));
  line.send(new TranscriptionFrame(QUESTION));
  end(line);
  line.hear(silence(3_000));
  jest.advanceTimersByTime(300_000);
  expect(line.acts()).toEqual(['interrupt', 'hold']);
  expect(jest.getTimerCount()).toBe(0);
});

test('without a reason of its own it is the message that is told; without either, the conversation talks to the assistant', () => {
  expect(screened({ screening: {} }).acts()).toEqual(['interrupt', 'hold', MESSAGE]);
  for (const options of [{ screening: false as const, message: MESSAGE }, {}]) {
    const line = gated(options);
    says(line, QUESTION);
    expect(line.acts()).toEqual([]);
    expect(line.after.of(TranscriptionFrame)).toHaveLength(1);
  }
});

test('keys reach the conversation while the assistant is talked to', () => {
  const line = screened();
  line.send(new DtmfFrame('1'));
  expect(line.after.of(DtmfFrame)).toHaveLength(1);
});

test('refuses options that are out of range or not known', () => {
  expect(() => new VoicemailGate({ screening: { reason: ' ', waitMs: 1 } })).toThrow(
    /screening\.waitMs must be 5000 to 300000, got 1; screening\.reason must have words/,
  );
  expect(() => new VoicemailGate({ screening: { reson: 'x' } as never })).toThrow(/screening\.reson/);
});

test('a person waits no longer with a gate than without: every frame has passed when it has been sent', () => {
  const frames: Frame[] = [new CallerJoinedFrame()];
  const speak = (text: string, pauseMs: number) => {
    const words = text.split(' ');
    for (const [at] of words.entries()) {
      frames.push(...cut(vowel(300), [160]).map((pcm) => new InputAudioFrame(pcm, 8_000)));
      frames.push(new InterimTranscriptionFrame(words.slice(0, at + 1).join(' ')));
    }
    frames.push(new TranscriptionFrame(text));
    frames.push(...cut(silence(pauseMs), [160]).map((pcm) => new InputAudioFrame(pcm, 8_000)));
  };
  speak('Good morning, Parker and Sons, this is Ann, how can I help you?', 1_500);
  speak('He is not available, would you like to leave a message?', 2_000);
  speak('I can pass that on.', 4_000);
  const line = gated({ message: MESSAGE, screening: { reason: REASON } });
  const without = new Recorder();
  without.receive(new StartFrame(8_000, 8_000), 'downstream');
  const [before, already] = [line.after.seen.length, without.seen.length];
  for (const frame of frames) {
    line.send(frame);
    without.receive(frame, 'downstream');
    expect(line.after.seen.length - before).toBe(without.seen.length - already);
  }
  expect(line.after.seen.slice(before).map(({ frame }) => frame)).toEqual(frames);
});
