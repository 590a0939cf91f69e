import { EventEmitter } from 'node:events';
import {
  BotStartedSpeakingFrame,
  BotStoppedSpeakingFrame,
  type Frame,
  OutputAudioFrame,
  StartFrame,
  TranscriptionFrame,
  UserStartedSpeakingFrame,
  UserStoppedSpeakingFrame,
} from '../../../src/bot/pipeline/frames/index.js';
import type { FrameProcessor } from '../../../src/bot/pipeline/index.js';
import { asCallId } from '../../../src/call/call-id.js';
import { type CallStandIns, hasStandIns, useStandIns } from '../../../src/call/stand-ins.js';
import type { BotEntry, CallTimeline } from '../../../src/call/timeline.js';
import { CartesiaTTS, DeepgramSTT, FliteTTS, type LanguageModel, LLMService } from '../../../src/doors/services.js';
import { requireKeys } from '../../../src/index.js';
import { Recorder } from '../pipeline/recorder.js';
import { Speaking } from './tts/speaking.js';

beforeEach(() => useStandIns());
afterEach(() => useStandIns(false));

/** Starts a service, and tells what it notes of itself. */
function start(service: FrameProcessor) {
  const [before, after] = [new Recorder(), new Recorder()];
  before.link(service);
  service.link(after);
  const noted: BotEntry[] = [];
  const frame = new StartFrame(8_000, 8_000);
  frame.timeline = { note: (entry) => noted.push(entry), during: (_step, work) => work() } satisfies CallTimeline;
  const standIns: CallStandIns = { callId: asCallId('call-1'), typed: new EventEmitter() };
  frame.standIns = standIns;
  before.receive(frame, 'downstream');
  const interim = () => noted.flatMap((entry) => (entry.type === 'interim_transcript' ? [entry.text] : []));
  return { before, after, noted: noted.filter(({ type }) => type === 'stand_ins'), interim, typed: standIns.typed };
}

test('services and bot files ask for no keys', () => {
  expect(hasStandIns()).toBe(true);
  expect(() => requireKeys('the bot', ['deepgram', 'openai', 'cartesia'])).not.toThrow();
  expect(() => requireKeys('the bot', ['deepgrm' as 'deepgram'])).toThrow('did you mean deepgram?');
  expect(() => [new DeepgramSTT(), new CartesiaTTS()]).not.toThrow();
});

test('speech to text takes typed sentences for words, and those typed while the bot speaks when it has finished', () => {
  const stt = new DeepgramSTT();
  const { before, after, noted, interim, typed } = start(stt);
  const heard = () => after.of(TranscriptionFrame).map(({ text, endsUtterance }) => [text, endsUtterance]);
  typed.emit('sentence', 'Hello?');
  expect(heard()).toEqual([['Hello?', true]]);
  before.receive(new BotStartedSpeakingFrame(), 'downstream');
  expect(interim()).toEqual([]);
  typed.emit('sentence', 'When are you open?');
  expect(heard()).toHaveLength(1);
  expect(interim()).toEqual(['When are you open?']);
  before.receive(new BotStoppedSpeakingFrame(500, false), 'downstream');
  expect(heard().at(-1)).toEqual(['When are you open?', true]);
  expect(noted).toEqual([{ type: 'stand_ins', services: ['speech to text'] }]);
  stt.cleanup();
  expect(typed.listenerCount('sentence')).toBe(0);
});

test('what was typed is noted with the time at which it was, also when it had to wait', () => {
  const { before, after, noted, typed } = start(new DeepgramSTT());
  before.receive(new BotStartedSpeakingFrame(), 'downstream');
  typed.emit('sentence', 'Hello?', 6_000);
  before.receive(new BotStoppedSpeakingFrame(500, false), 'downstream');
  typed.emit('sentence', 'Spoken.');
  const said: BotEntry[] = [];
  for (const frame of after.of(TranscriptionFrame))
    frame.notedIn({ note: (entry) => said.push(entry), during: (_step, work) => work() });
  expect(said).toEqual([
    { type: 'said', speaker: 'caller', text: 'Hello?', startedAt: 6_000, typed: true },
    { type: 'said', speaker: 'caller', text: 'Spoken.' },
  ]);
  expect(noted).toHaveLength(1);
});

test('what is typed while the caller is heard over the bot counts at once', () => {
  const { before, after, typed } = start(new DeepgramSTT());
  const heard = () => after.of(TranscriptionFrame).map(({ text }) => text);
  const see = (frame: Frame) => before.receive(frame, 'downstream');
  see(new BotStartedSpeakingFrame());
  see(new UserStartedSpeakingFrame());
  see(new UserStoppedSpeakingFrame());
  typed.emit('sentence', 'Stop!');
  expect(heard()).toEqual(['Stop!']);
  see(new UserStartedSpeakingFrame());
  see(new BotStartedSpeakingFrame());
  typed.emit('sentence', 'No, wait.');
  expect(heard()).toEqual(['Stop!', 'No, wait.']);
  see(new UserStoppedSpeakingFrame());
  see(new BotStartedSpeakingFrame());
  typed.emit('sentence', 'Hello?');
  expect(heard()).toHaveLength(2);
  see(new BotStoppedSpeakingFrame(500, true));
  expect(heard()).toEqual(['Stop!', 'No, wait.', 'Hello?']);
});

test('flite speaks for a voice that needs a key; one of this machine speaks for itself', async () => {
  using speaking = new Speaking(new CartesiaTTS({ cache: false }));
  await speaking.speak('Hello there.');
  expect(speaking.errors).toEqual([]);
  expect(speaking.after.of(OutputAudioFrame)[0]?.sampleRate).toBe(8_000);
  expect(speaking.audioMs).toBeGreaterThan(400);
  expect(start(new CartesiaTTS()).noted).toEqual([{ type: 'stand_ins', services: ['voice'] }]);
  expect(start(new FliteTTS()).noted).toEqual([]);
});

test('a language model is stood in for', () => {
  const model = { doStream: () => {} } as unknown as LanguageModel;
  expect(start(new LLMService({ model })).noted).toEqual([{ type: 'stand_ins', services: ['language model'] }]);
});
