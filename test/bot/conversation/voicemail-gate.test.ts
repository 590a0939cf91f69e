import { VoicemailGate } from '../../../src/bot/conversation/voicemail-gate.js';
import {
  BotStartedSpeakingFrame,
  CallerJoinedFrame,
  CancelFrame,
  DtmfFrame,
  EndFrame,
  ErrorFrame,
  InterimTranscriptionFrame,
  InterruptionFrame,
  TranscriptionFrame,
  TTSSpeakFrame,
} from '../../../src/bot/pipeline/frames/index.js';
import { concat } from '../../base/audio/signals.js';
import { silence, vowel } from '../../base/audio/voices.js';
import { BEEP, cleanUpGates, gated } from './gated-line.js';

const GREETING = 'You have reached Jane. Please leave a message after the tone.';

afterEach(() => {
  cleanUpGates();
  jest.useRealTimers();
});

test('lets a human pass from first to last', () => {
  const line = gated({ message: 'Call back.' });
  line.hear(vowel(400));
  line.send(new InterimTranscriptionFrame('Hel'));
  line.send(new TranscriptionFrame('Hello?'));
  line.hear(silence(2_000));
  line.send(new TranscriptionFrame('Did you leave a message on my voicemail?'));
  line.hear(BEEP);
  expect(line.acts()).toEqual([]);
  expect(line.detected).toEqual([]);
  expect(line.after.of(TranscriptionFrame)).toHaveLength(2);
  expect(line.after.of(InterimTranscriptionFrame)).toHaveLength(1);
  expect(line.heardFromCaller()).toBe(20 + 100 + 40);
});

test('interrupts the bot, keeps what the machine says to itself, and leaves the message after the beep', () => {
  const line = gated({ message: 'This is the bakery. Your cake is ready.' });
  line.hear(vowel(400));
  line.send(new TranscriptionFrame(GREETING));
  expect(line.detected).toEqual(['phrase']);
  expect(line.acts()).toEqual(['interrupt']);
  expect(line.before.of(InterruptionFrame)).toHaveLength(1);
  line.hear(concat(vowel(400), silence(400)));
  line.send(new TranscriptionFrame('or call again'));
  expect(line.acts()).toEqual(['interrupt']);
  line.hear(BEEP);
  line.hear(silence(5_000));
  expect(line.acts()).toEqual(['interrupt', 'interrupt', 'This is the bakery. Your cake is ready.', 'end: voicemail']);
  expect(line.detected).toEqual(['phrase']);
  expect(line.after.of(TranscriptionFrame)).toEqual([]);
  expect(line.heardFromCaller()).toBe(20);
});

test('stops the bot when it begins to speak before the beep, and not when it says the message', () => {
  const line = gated({ message: 'Call back.' });
  line.send(new TranscriptionFrame(GREETING));
  line.after.receive(new BotStartedSpeakingFrame(), 'upstream');
  expect(line.acts()).toEqual(['interrupt', 'interrupt']);
  line.hear(concat(vowel(200), BEEP));
  const acts = line.acts();
  line.after.receive(new BotStartedSpeakingFrame(), 'upstream');
  expect(line.acts()).toEqual(acts);
  expect(acts.at(-1)).toBe('end: voicemail');
});

test('ends the call at once when there is no message', () => {
  const line = gated();
  line.send(new TranscriptionFrame(GREETING));
  expect(line.acts()).toEqual(['interrupt', 'interrupt', 'end: voicemail']);
  expect(line.detected).toEqual(['phrase']);
});

test('a beep is enough, without any words', () => {
  const line = gated({ message: 'Call back.' });
  line.hear(concat(vowel(400), silence(300), BEEP));
  expect(line.detected).toEqual(['beep']);
  expect(line.acts().slice(-2)).toEqual(['Call back.', 'end: voicemail']);
});

test('takes quiet after the greeting for the beep', () => {
  const line = gated({ message: 'Call back.', silenceTimeoutMs: 1_000 });
  line.hear(vowel(400));
  line.send(new TranscriptionFrame(GREETING));
  line.hear(silence(1_000));
  expect(line.acts()).toEqual(['interrupt']);
  line.hear(silence(300));
  expect(line.acts().at(-1)).toBe('end: voicemail');
});

test('leaves the message when no beep comes in time, also when no more audio comes', () => {
  jest.useFakeTimers();
  const line = gated({ message: 'Call back.' });
  line.send(new TranscriptionFrame(GREETING));
  jest.advanceTimersByTime(29_999);
  expect(line.acts()).toEqual(['interrupt']);
  jest.advanceTimersByTime(1);
  expect(line.acts().slice(-2)).toEqual(['Call back.', 'end: voicemail']);
});

test.each([
  ['the call is over', (line: ReturnType<typeof gated>) => line.send(new CancelFrame('call_ended'))],
  ['the bot ends the call', (line: ReturnType<typeof gated>) => line.send(new EndFrame())],
  ['the pipeline is taken down', (line: ReturnType<typeof gated>) => line.gate.cleanup()],
])('says nothing more when %s while it waits for the beep', (_, end) => {
  jest.useFakeTimers();
  const line = gated({ message: 'Call back.' });
  line.send(new TranscriptionFrame(GREETING));
  end(line);
  line.hear(BEEP);
  jest.advanceTimersByTime(60_000);
  expect(line.after.of(TTSSpeakFrame)).toEqual([]);
  expect(jest.getTimerCount()).toBe(0);
});

test('time while the line rings does not count', () => {
  const line = gated({ giveUpAfterMs: 1_000 });
  line.hear(silence(3_000));
  line.send(new CallerJoinedFrame());
  line.send(new TranscriptionFrame(GREETING));
  expect(line.acts().at(-1)).toBe('end: voicemail');
});

test('lets everything else pass while a machine speaks', () => {
  const line = gated({ message: 'Call back.' });
  line.send(new TranscriptionFrame(GREETING));
  line.send(new DtmfFrame('1'));
  line.after.receive(new ErrorFrame(new Error('x')), 'upstream');
  expect(line.after.of(DtmfFrame)).toHaveLength(1);
  expect(line.before.of(ErrorFrame)).toHaveLength(1);
});

test('goes on when the function that is told fails', () => {
  const line = gated({
    message: 'Call back.',
    onMachine: () => {
      throw new Error('full disk');
    },
  });
  line.send(new TranscriptionFrame(GREETING));
  expect(line.before.of(ErrorFrame).map(({ error }) => error.message)).toEqual(['full disk']);
  line.hear(concat(vowel(200), BEEP));
  expect(line.acts().slice(-2)).toEqual(['Call back.', 'end: voicemail']);
});

test('refuses options out of their range, its own and those of the detector', () => {
  expect(() => new VoicemailGate({ beepTimeoutMs: 1, silenceTimeoutMs: 1 })).toThrow(
    /beepTimeoutMs must be 1000 to 300000, got 1; silenceTimeoutMs must be 500 to 60000, got 1/,
  );
  const never = Number.POSITIVE_INFINITY;
  expect(() => new VoicemailGate({ beepTimeoutMs: never, silenceTimeoutMs: never })).toThrow(
    /beepTimeoutMs .*got Infinity; silenceTimeoutMs .*got Infinity/,
  );
  expect(() => new VoicemailGate({ humanSilenceMs: 1 })).toThrow(
    expect.objectContaining({ code: 'VB_CONFIG_INVALID' }),
  );
});
