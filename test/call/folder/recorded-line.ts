import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeWav } from '../../../src/base/audio/wav.js';
import { SpeechBeginnings } from '../../../src/call/folder/folder-tape.js';
import { WavRecorder, type WavRecorderOptions } from '../../../src/call/folder/wav-recorder.js';

export const FRAME = 160;
const FRAME_MS = 20;
const LOOK_EVERY_MS = 100;

/** A folder that is gone afterwards. */
export class TemporaryFolder implements Disposable {
  readonly path = mkdtempSync(join(tmpdir(), 'voicebot-folder-'));

  [Symbol.dispose](): void {
    rmSync(this.path, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** 20 ms that begin with their number, from 1. */
const frameOf = (number: number) =>
  Int16Array.from({ length: FRAME }, (_, n) => (n === 0 ? number : (number * 31 + n * 17) % 30_000) + 1);

/** A call that is recorded, in fake time: both sides are numbered frames, the caller's positive, the bot's negative. */
export class RecordedLine {
  readonly recorder: WavRecorder;
  readonly #speech = new SpeechBeginnings();
  #look: NodeJS.Timeout | undefined;
  readonly path: string;
  /** Frames so far. */
  said = 0;
  sent = 0;
  /** Marks so far; the name of each is its number. */
  marks = 0;

  constructor(folder: string, options: Partial<WavRecorderOptions> = {}) {
    this.path = join(folder, 'audio.wav');
    this.recorder = new WavRecorder({
      path: this.path,
      sampleRate: 8_000,
      startedAt: Date.now(),
      delayMs: 0,
      now: () => performance.now(),
      ...options,
    });
  }

  /** The first audio is there. */
  #begin(): void {
    this.#look ??= setInterval(() => this.recorder.look(), LOOK_EVERY_MS);
  }

  /** The call is over. */
  end(): void {
    clearInterval(this.#look);
    this.recorder.finish();
    this.recorder.release();
  }

  /** The caller is heard for so many frames, in real time. @param each what happens behind a frame */
  hear(frames: number, each: (frame: number) => void = () => {}): void {
    for (let frame = 0; frame < frames; frame += 1) {
      jest.advanceTimersByTime(FRAME_MS);
      this.burst(1);
      each(frame);
    }
  }

  /** So many frames of the caller come at once. */
  burst(frames: number): void {
    this.#begin();
    for (let frame = 0; frame < frames; frame += 1) {
      this.recorder.received(frameOf(this.said));
      this.said += 1;
    }
  }

  /** The bot says so many frames at once. */
  say(frames: number): void {
    this.#begin();
    for (let frame = 0; frame < frames; frame += 1) {
      const pcm = frameOf(this.sent).map((sample) => -sample);
      this.recorder.sent(pcm);
      if (this.#speech.sent(FRAME_MS, performance.now())) this.mark();
      this.sent += 1;
    }
  }

  /** The bot takes back what has not been played. */
  clear(): void {
    this.#speech.cut();
    this.recorder.cleared();
  }

  mark(): void {
    this.marks += 1;
    this.recorder.marked(`${this.marks}`);
  }

  /** What is in the file: which frame of whom stands at each 20 ms, `-` for silence, `?` for anything else. */
  read(): { caller: string; bot: string } {
    const { channels } = decodeWav(readFileSync(this.path));
    return { caller: framesIn(channels[0]), bot: framesIn((channels[1] as Int16Array).map((sample) => -sample)) };
  }
}

function framesIn(pcm: Int16Array): string {
  const frames = Array.from({ length: Math.ceil(pcm.length / FRAME) }, (_, n) => {
    const frame = pcm.subarray(n * FRAME, (n + 1) * FRAME);
    if (frame.every((sample) => sample === 0)) return '-';
    const number = (frame[0] as number) - 1;
    return frameOf(number).every((sample, i) => sample === frame[i]) ? `${number}` : '?';
  });
  return shown(frames);
}

/** `0 1 2 3 - -` as `0..3 -x2`. */
function shown(frames: readonly string[]): string {
  const runs: Array<{ first: string; last: string; count: number }> = [];
  for (const frame of frames) {
    const run = runs.at(-1);
    if (run && (frame === '-' ? run.last === '-' : Number(frame) === Number(run.last) + 1)) {
      run.last = frame;
      run.count += 1;
    } else runs.push({ first: frame, last: frame, count: 1 });
  }
  return runs.map(({ first, last, count }) => (first === '-' ? `-x${count}` : `${first}..${last}`)).join(' ');
}
