import type { BotEntry, CallTimeline, TimelineStep } from '../../src/call/timeline.js';
import {
  EndFrame,
  type Frame,
  type FrameDirection,
  OutputAudioFrame,
  StartFrame,
} from '../../src/pipeline/frames/index.js';
import { FrameProcessor, Pipeline, PipelineTask } from '../../src/pipeline/index.js';
import { CARRIER_PACE } from '../../src/transports/playout.js';
import { SpeechOutput, type SpeechWire } from '../../src/transports/speech-output.js';
import { tone } from './start-pipeline.js';

/** Keeps what is noted. */
class Notes extends FrameProcessor implements CallTimeline {
  readonly entries: BotEntry[] = [];

  override process(frame: Frame, direction: FrameDirection): void {
    if (frame instanceof StartFrame) frame.timeline = this;
    this.push(frame, direction);
  }

  note(entry: BotEntry): void {
    this.entries.push(entry);
  }

  during<Result>(_step: TimelineStep, work: () => Result): Result {
    return work();
  }
}

const wire: SpeechWire = {
  pace: { ...CARRIER_PACE, acknowledges: false },
  pressesKeys: true,
  sampleRate: () => 8_000,
  isOpen: () => true,
  isCongested: () => false,
  sendAudio: () => {},
  sendMark: () => {},
  sendClear: () => {},
  sendDtmf: () => {},
};

afterEach(() => jest.useRealTimers());

test('audio of the bot that comes late is noted once, with the end of its speech', async () => {
  jest.useFakeTimers();
  const notes = new Notes();
  const call = { hangUp: async () => {}, released: async () => {} };
  const task = new PipelineTask(new Pipeline([notes, new SpeechOutput(wire, true, call)]));
  const run = task.run();
  for (const pauseMs of [20, 60, 20, 65, 20]) {
    task.queueFrame(new OutputAudioFrame(tone(20), 8_000));
    await jest.advanceTimersByTimeAsync(pauseMs);
  }
  task.queueFrame(new EndFrame());
  await jest.advanceTimersByTimeAsync(1_000);
  await run;
  expect(notes.entries).toEqual([
    { type: 'speech_started', speaker: 'bot' },
    { type: 'audio_gap', ms: 85, frames: 2 },
    { type: 'speech_stopped', speaker: 'bot', heardMs: 100, wasInterrupted: false },
  ]);
});
