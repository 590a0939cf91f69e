import {
  EndFrame,
  type Frame,
  type FrameDirection,
  HoldSpeechFrame,
  InterimTranscriptionFrame,
  InterruptionFrame,
  OutputAudioFrame,
  ResumeSpeechFrame,
  StartFrame,
  TTSStartedFrame,
  TTSTextFrame,
  TTSTimingFrame,
  type Utterance,
} from '../../../src/bot/pipeline/frames/index.js';
import { FrameProcessor, Pipeline, PipelineTask } from '../../../src/bot/pipeline/index.js';
import { LineFrame } from '../../../src/bot/pipeline/recorded-lines.js';
import { SpeechOutput } from '../../../src/bot/transports/speech-output.js';
import { type BotEntry, type CallTimeline, epochOf, type TimelineStep } from '../../../src/call/timeline.js';
import { SILENT_WIRE } from './silent-wire.js';
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

afterEach(() => jest.useRealTimers());

/** A pipeline that says what is queued, on a clock that a test moves. */
function speaking(isEnabled = true) {
  jest.useFakeTimers();
  const notes = new Notes();
  const call = { hangUp: async () => {}, released: async () => {} };
  const task = new PipelineTask(new Pipeline([notes, new SpeechOutput(SILENT_WIRE, isEnabled, call)]));
  return { notes, task, run: task.run() };
}

test('audio of the bot that comes late is noted once, with the end of its speech', async () => {
  const { notes, task, run } = speaking();
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

describe('each piece of text is noted with the time at which the caller begins to hear it', () => {
  const utterance: Utterance = { id: 1, appendToContext: true };
  const say = (task: PipelineTask, text: string, ms: number) => {
    task.queueFrame(new TTSTextFrame(utterance, text));
    task.queueFrame(new OutputAudioFrame(tone(ms), 8_000));
  };
  const sayingIn = ({ entries }: Notes) => entries.filter((entry) => entry.type === 'saying');

  test('at once, behind what is being said, and after a pause', async () => {
    const { notes, task, run } = speaking();
    const beganAt = epochOf(performance.now());
    task.queueFrame(new TTSStartedFrame(utterance));
    say(task, 'Good morning.', 1_000);
    await jest.advanceTimersByTimeAsync(300);
    say(task, ' We are open.', 500);
    say(task, ' ', 100);
    await jest.advanceTimersByTimeAsync(2_700);
    say(task, ' Come in.', 500);
    task.queueFrame(new EndFrame());
    await jest.advanceTimersByTimeAsync(3_000);
    await run;
    const saying = sayingIn(notes).map(({ text, startsAt }) => [text, Math.round(startsAt - beganAt)]);
    expect(saying).toEqual([
      ['Good morning.', 0],
      ['We are open.', 1_000],
      ['Come in.', 3_000],
    ]);
  });

  test('nothing more of an utterance that was interrupted', async () => {
    const { notes, task, run } = speaking();
    task.queueFrame(new TTSStartedFrame(utterance));
    say(task, 'Good morning.', 1_000);
    await jest.advanceTimersByTimeAsync(300);
    task.queueFrame(new InterruptionFrame());
    say(task, ' We are open.', 500);
    task.queueFrame(new EndFrame());
    await jest.advanceTimersByTimeAsync(1_000);
    await run;
    expect(sayingIn(notes)).toMatchObject([{ text: 'Good morning.' }]);
  });

  test('nothing of what nobody hears', async () => {
    const { notes, task, run } = speaking(false);
    task.queueFrame(new TTSStartedFrame(utterance));
    say(task, 'Good morning.', 1_000);
    task.queueFrame(new EndFrame());
    await jest.advanceTimersByTimeAsync(1_000);
    await run;
    expect(notes.entries).toEqual([]);
  });
});

describe('a recorded line is noted for itself, as far as it was heard', () => {
  const linesIn = ({ entries }: Notes) => entries.filter((entry) => entry.type === 'line_played');

  test('to its end, between what the bot says', async () => {
    const { notes, task, run } = speaking();
    task.queueFrame(new LineFrame(new OutputAudioFrame(tone(1_000), 8_000), 'hold', 'One moment, please.'));
    task.queueFrame(new TTSStartedFrame({ id: 1, appendToContext: true }));
    task.queueFrame(new OutputAudioFrame(tone(500), 8_000));
    task.queueFrame(new EndFrame());
    await jest.advanceTimersByTimeAsync(3_000);
    await run;
    expect(linesIn(notes)).toMatchObject([{ line: 'hold', text: 'One moment, please.' }]);
    expect(notes.entries.filter((entry) => entry.type === 'said')).toEqual([]);
  });

  test('up to where the caller interrupts it, and not at all where that is before it', async () => {
    const { notes, task, run } = speaking();
    task.queueFrame(
      new LineFrame(new OutputAudioFrame(tone(4_000), 8_000), 'apology', 'We are sorry. Please try again.'),
    );
    await jest.advanceTimersByTimeAsync(2_000);
    task.queueFrame(new InterruptionFrame());
    await jest.advanceTimersByTimeAsync(100);
    task.queueFrame(new OutputAudioFrame(tone(4_000), 8_000));
    task.queueFrame(new LineFrame(new OutputAudioFrame(tone(1_000), 8_000), 'hold'));
    await jest.advanceTimersByTimeAsync(1_000);
    task.queueFrame(new InterruptionFrame());
    task.queueFrame(new EndFrame());
    await jest.advanceTimersByTimeAsync(3_000);
    await run;
    expect(linesIn(notes)).toMatchObject([{ line: 'apology', text: expect.stringMatching(/^We are sorry\b/) }]);
    expect(linesIn(notes)[0]?.text).not.toMatch(/again/);
  });
});

describe('when each word is heard is noted', () => {
  const utterance: Utterance = { id: 7, appendToContext: true };
  const word = (text: string, startMs: number, endMs: number) => ({ text, startMs, endMs });
  const timesIn = ({ entries }: Notes, beganAt: number) =>
    entries.flatMap((entry) =>
      entry.type === 'word_times'
        ? [
            [
              entry.utterance,
              entry.from,
              ...entry.words.map(({ text, startsAt }) => [text, Math.round(startsAt - beganAt)]),
            ],
          ]
        : [],
    );
  const say = (task: PipelineTask) => {
    task.queueFrame(new TTSStartedFrame(utterance));
    task.queueFrame(new TTSTextFrame(utterance, 'Good morning Ada.'));
    task.queueFrame(new OutputAudioFrame(tone(1_500), 8_000));
  };

  test('as the voice tells it, also late, and of its own words only', async () => {
    const { notes, task, run } = speaking();
    const beganAt = epochOf(performance.now());
    say(task);
    await jest.advanceTimersByTimeAsync(200);
    task.queueFrame(
      new TTSTimingFrame(utterance, [word('Good', 0, 400), word('um', 400, 500), word('morning', 500, 900)]),
    );
    task.queueFrame(new TTSTimingFrame(utterance, [word('Ada.', 900, 1_500)]));
    task.queueFrame(new EndFrame());
    await jest.advanceTimersByTimeAsync(3_000);
    await run;
    expect(timesIn(notes, beganAt)).toEqual([
      [1, 0, ['Good', 0], ['morning', 500]],
      [1, 2, ['Ada.', 900]],
    ]);
    expect(notes.entries.filter(({ type }) => type === 'said')).toMatchObject([{ utterance: 1 }]);
  });

  test('anew when the bot goes on after a hold, from the word that was cut on', async () => {
    const { notes, task, run } = speaking();
    const beganAt = epochOf(performance.now());
    say(task);
    task.queueFrame(
      new TTSTimingFrame(utterance, [word('Good', 0, 400), word('morning', 400, 900), word('Ada.', 900, 1_500)]),
    );
    await jest.advanceTimersByTimeAsync(600);
    task.queueFrame(new HoldSpeechFrame());
    await jest.advanceTimersByTimeAsync(1_000);
    task.queueFrame(new ResumeSpeechFrame());
    task.queueFrame(new EndFrame());
    await jest.advanceTimersByTimeAsync(3_000);
    await run;
    const kinds = notes.entries.map(({ type }) => type);
    expect(kinds.indexOf('hold_started')).toBeLessThan(kinds.indexOf('speech_held'));
    const [, again] = timesIn(notes, beganAt);
    expect(again).toEqual([1, 1, ['morning', 1_600], ['Ada.', 2_100]]);
  });

  test("the caller's words that may still change are noted where nothing else takes them, once", async () => {
    const { notes, task, run } = speaking();
    task.queueFrame(new InterimTranscriptionFrame('I would'));
    task.queueFrame(new EndFrame());
    await jest.advanceTimersByTimeAsync(1_000);
    await run;
    expect(notes.entries).toEqual([{ type: 'interim_transcript', text: 'I would' }]);
  });
});
