import { setImmediate as settled } from 'node:timers/promises';
import { ProviderError } from '../../../../src/base/provider-error.js';
import { TurnEndFrame } from '../../../../src/bot/conversation/conversation-frames.js';
import { LLMContext } from '../../../../src/bot/conversation/llm-context.js';
import { LLMContextFrame } from '../../../../src/bot/conversation/llm-context-frame.js';
import {
  ErrorFrame,
  type Frame,
  type FrameDirection,
  InterruptionFrame,
  OutputAudioFrame,
  StartFrame,
  TranscriptionFrame,
  TTSSpeakFrame,
  TTSStartedFrame,
  TTSTextFrame,
  Turn,
  UserStartedSpeakingFrame,
} from '../../../../src/bot/pipeline/frames/index.js';
import { FrameProcessor } from '../../../../src/bot/pipeline/index.js';
import { LiveOtherwise } from '../../../../src/bot/services/live/live-otherwise.js';
import { StandbyEars } from '../../../../src/bot/services/live/standby-ears.js';
import { UnsaidFrame } from '../../../../src/bot/services/live/unsaid-frame.js';
import type { EarListener } from '../../../../src/bot/services/stt/ear.js';

const RATE = 8_000;

/** Keeps what arrives, and passes on what it is told to. */
class Place extends FrameProcessor {
  readonly seen: Frame[] = [];

  constructor(private readonly takes = (_: Frame) => false) {
    super();
  }

  override process(frame: Frame, direction: FrameDirection): void {
    this.seen.push(frame);
    if (!this.takes(frame)) this.push(frame, direction);
  }

  emit(frame: Frame, direction: FrameDirection = 'downstream'): void {
    this.push(frame, direction);
  }

  functionsUnderWay(): undefined {}
}

/** The cascade's part of a call whose session is played by hand, with ears that tell what a test lets them. */
function callOf() {
  const [head, end] = [new Place(), new Place()];
  const speaker = new Place((frame) => frame instanceof LLMContextFrame);
  const heard: Int16Array[] = [];
  const told: string[] = [];
  let listener: EarListener | undefined;
  const ears = new StandbyEars({
    provider: 'ears',
    create: (_, by) => {
      listener = by;
      return { droppedMs: 0, write: (pcm) => heard.push(pcm), close: () => {} };
    },
  });
  const ear = ears.create(RATE, {
    interim: () => {},
    final: (text) => told.push(text),
    endOfTurn: () => {},
    troubled: () => {},
  });
  const name = { provider: 'live', model: 'one' };
  const given = { up: 0 };
  const live = {
    speaker,
    giveUp: () => {
      given.up += 1;
    },
    onSlow: () => {},
    knowsWords: () => {},
  };
  const otherwise = new LiveOtherwise(live, ears, name, { failed: () => {}, works: () => {} });
  const line = [head, otherwise.before, speaker, otherwise.behind, end];
  line.reduce((previous, next) => {
    previous.link(next);
    return next;
  });
  head.receive(new StartFrame(RATE, RATE), 'downstream');
  return {
    head,
    speaker,
    end,
    told,
    given,
    /** A second of the caller's sound, each sample `loud`. */
    second: (loud: number) => ear.write(new Int16Array(RATE).fill(loud)),
    /** What of the caller's sound the ears have got. */
    get heard() {
      return new Set(heard.flatMap((pcm) => [...pcm]));
    },
    say: (text: string) => listener?.final(text, true),
    fail: () => {
      const error = new ProviderError('live', 'VB_PROVIDER_FAILED', 'is away').asFinal();
      speaker.emit(new ErrorFrame(error, false, speaker.name), 'upstream');
    },
    ask: (words: string) => {
      const turn = new Turn(1);
      const context = new LLMContext({});
      context.addCallerWords(words, turn);
      head.emit(new LLMContextFrame(context, turn));
      return () => speaker.emit(new TurnEndFrame(turn));
    },
    asked: () => end.seen.filter((frame) => frame instanceof LLMContextFrame).length,
  };
}

test('the session is given up when the cascade goes on', () => {
  const call = callOf();
  call.fail();
  expect(call.given.up).toBe(1);
});

test('what the caller is saying is heard when the session fails with another turn unanswered', () => {
  const call = callOf();
  call.head.emit(new UserStartedSpeakingFrame());
  call.second(1);
  call.ask('Hello?');
  call.second(2);
  call.head.emit(new UserStartedSpeakingFrame());
  call.second(3);
  call.fail();
  expect(call.heard).toContain(3);
  expect(call.heard).not.toContain(1);
});

test('words are told as those of a new turn when the caller speaks while they are waited for', () => {
  const call = callOf();
  call.head.emit(new UserStartedSpeakingFrame());
  call.second(1);
  call.ask('…');
  call.fail();
  call.head.emit(new UserStartedSpeakingFrame());
  call.say('Are you there?');
  expect(call.told).toEqual(['Are you there?']);
});

test('words that are waited for are told of their turn, and the model is asked then', async () => {
  const call = callOf();
  call.head.emit(new UserStartedSpeakingFrame());
  call.second(1);
  const end = call.ask('…');
  call.fail();
  end();
  call.say('A table for two.');
  await settled();
  expect(call.asked()).toBe(1);
  const words = call.head.seen.findLast((frame) => frame instanceof TranscriptionFrame);
  expect(words).toMatchObject({ text: 'A table for two.', late: { instead: '' } });
  call.say('For six.');
  expect(call.told).toEqual(['For six.']);
});

test('the model is not asked for an answer that the caller has interrupted while their words were waited for', async () => {
  const call = callOf();
  call.head.emit(new UserStartedSpeakingFrame());
  const end = call.ask('…');
  call.fail();
  end();
  call.head.emit(new InterruptionFrame());
  call.say('A table for two.');
  await settled();
  expect(call.head.seen.some((frame) => frame instanceof TranscriptionFrame)).toBe(true);
  expect(call.asked()).toBe(0);
});

test('the voice says what was not heard of a text, though the session had written all of it', () => {
  const call = callOf();
  const utterance = { id: 1, appendToContext: true };
  const frame = new TTSSpeakFrame('We open at nine and close at five.');
  call.speaker.emit(new TTSStartedFrame(utterance));
  call.speaker.emit(new TTSTextFrame(utterance, frame.text));
  call.speaker.emit(new OutputAudioFrame(new Int16Array(RATE * 0.96), RATE));
  call.fail();
  call.speaker.emit(new UnsaidFrame(frame, utterance));
  call.speaker.emit(new UnsaidFrame(new TTSSpeakFrame('Goodbye.')));
  const said = call.end.seen.filter((one) => one instanceof TTSSpeakFrame).map(({ text }) => text);
  expect(said).toEqual(['and close at five.', 'Goodbye.']);
});
