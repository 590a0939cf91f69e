import { FRAME_MS } from '../../base/audio/frame.js';
import type { WordTimes } from '../disclosure.js';
import { HeardQueue, type LateSpeech } from './heard-queue.js';
import { WatchedWords } from './watched-words.js';
import { WavFile } from './wav-file.js';

/** The recorder writes this much of both sides at once, and keeps so much that it can still change, in milliseconds: a crash costs both. */
const PAGE_MS = 560;
const KEPT_MS = 300;
/** When the caller's audio is overdue by this, in milliseconds, the recorder does not know at once where it stands in the recording. */
const OVERDUE_MS = 200;
/** How long the recorder then sees how fast more of it comes, in milliseconds: a burst comes faster than real time. */
const WINDOW_MS = 60;
/** A burst may bring this much less than was overdue, in milliseconds, and nothing is missing: bursts end a little early or late. */
const BURST_SLACK_MS = 100;
/** How long a stream may bring nothing, in milliseconds, before the recorder goes by the clock: longer than until the stream counts as lost. */
const STALLED_MS = 7_000;
/** How far the caller's audio may be ahead of the clock, in milliseconds: what is further ahead has been recorded as silence already. */
const MAX_AHEAD_MS = 1_000;

export interface WavRecorderOptions {
  readonly path: string;
  /** Hertz. */
  readonly sampleRate: number;
  /** When the first sample of the file is, milliseconds since the Unix epoch. */
  readonly startedAt: number;
  /** From when the bot sends audio until the caller's answer to it can come in, in milliseconds. */
  readonly delayMs: number;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

/** What has happened behind overdue audio of the caller, or that audio itself. */
interface Unplaced {
  /** Of the caller's audio; 0 for anything else. */
  readonly samples: number;
  readonly place: () => void;
}

/** Who asks where words stand that the bot has sent. */
interface WordsQuestion {
  readonly words: WatchedWords;
  /** Samples that the bot had sent up to their end. */
  readonly sentUntil: number;
  readonly tell: (place: WordTimes | undefined) => void;
}

/**
 * Records a call as its caller hears it: left the caller as received, right the bot as *played*, which {@link HeardQueue} works out of what
 * the bot has *sent*. When a mark tells that something was *late*, the recorder moves that on the right, as far as it can still change the file.
 *
 * A position of the recording is as many samples of the caller's audio: the carrier plays the bot's audio by the same clock. Where the
 * caller's audio does not come, the clock of this machine goes on.
 *
 * The recorder is told what a {@link CallTape} is told, and copies the samples it is given. Each function throws the system's error.
 */
export class WavRecorder {
  readonly #now: () => number;
  /** When the first sample is, as {@link #now} tells it. */
  readonly #firstSampleMs: number;
  readonly #file: WavFile;
  readonly #heard: HeardQueue;
  readonly #samplesPerMs: number;
  /** No stream is there, or nothing comes on it: the position follows the clock. */
  #followsClock = true;
  /** Overdue audio of the caller whose position is not decided, and what has happened behind it; undefined when there is none. */
  #unplaced: Unplaced[] | undefined;
  /** The caller's samples in {@link #unplaced}, and those of the present window among them. */
  #unplacedSamples = 0;
  #windowSamples = 0;
  #windowEndsMs = 0;
  /** A stream begins with {@link #unplaced}: what is missing before that is silence, however short. */
  #isNewStream = false;
  #isPaused = false;
  /** Those that are to be found again. */
  #words: WatchedWords | undefined;
  #question: WordsQuestion | undefined;

  constructor({ path, sampleRate, startedAt, delayMs, now }: WavRecorderOptions) {
    this.#now = now;
    this.#firstSampleMs = now() - (Date.now() - startedAt);
    this.#samplesPerMs = sampleRate / 1_000;
    this.#heard = new HeardQueue(sampleRate, delayMs * this.#samplesPerMs);
    this.#file = new WavFile({ path, sampleRate, pageMs: PAGE_MS, keptMs: KEPT_MS });
  }

  received(pcm: Int16Array): void {
    if (this.#unplaced) {
      this.#keepUnplaced(pcm);
      return;
    }
    const overdue = this.#clockPosition - this.#file.position;
    if (this.#followsClock || overdue > OVERDUE_MS * this.#samplesPerMs) {
      this.#beginUnplaced();
      this.#keepUnplaced(pcm);
    } else if (overdue > -MAX_AHEAD_MS * this.#samplesPerMs) this.#record(pcm, pcm.length);
  }

  sent(pcm: Int16Array): void {
    const kept = this.#unplaced ? pcm.slice() : pcm;
    this.#whenPlaced((at) => this.#heard.sent(kept, at));
  }

  marked(name: string): void {
    this.#whenPlaced(() => this.#heard.marked(name));
  }

  played(name: string): void {
    this.#whenPlaced((at) => {
      const late = this.#heard.markReturned(name, at);
      if (late) this.#heard.moved(late, this.#moveLate(late));
    });
  }

  cleared(): void {
    this.#whenPlaced((at) => this.#heard.cleared(at));
  }

  dropped(): void {
    this.#whenPlaced((at) => {
      const played = this.#heard.dropped(at);
      if (played && !this.#isPaused) this.#file.setRight(played.at, played.pcm);
    });
  }

  streamOver(): void {
    this.#whenPlaced(() => this.#heard.streamOver());
    this.#placeAll();
    this.#followsClock = true;
  }

  pause(): void {
    this.#whenPlaced(() => {
      this.#isPaused = true;
      this.#words?.lose();
    });
  }

  resume(): void {
    this.#whenPlaced(() => {
      this.#isPaused = false;
    });
  }

  /** What the bot sends from here on are words that are to be found again. */
  watchWords(): void {
    this.#whenPlaced(() => {
      this.#words = new WatchedWords(this.#heard.sentSamples);
      if (this.#isPaused) this.#words.lose();
    });
  }

  /**
   * @param tell gets the positions of the first and behind the last sound of what was sent since {@link watchWords}, when all of that is recorded
   *   and in the file; undefined where it is not there. Called once
   */
  findWords(tell: WordsQuestion['tell']): void {
    this.#question?.tell(undefined);
    this.#question = undefined;
    this.#whenPlaced(() => {
      const { sentSamples: sentUntil } = this.#heard;
      if (this.#words) this.#question = { words: this.#words, sentUntil, tell };
      else tell(undefined);
      this.#answer();
    });
  }

  /** Some time has gone by: does the caller's audio still come? */
  look(): void {
    const overdue = this.#clockPosition - this.#file.position;
    if (this.#unplaced) {
      if (this.#now() > this.#windowEndsMs + WINDOW_MS) this.#placeAll(); // no more has come
    } else if (this.#followsClock || overdue > STALLED_MS * this.#samplesPerMs) {
      this.#followsClock = true;
      this.#followClock();
    }
  }

  /** Writes the rest: nothing more comes. */
  finish(): void {
    this.#placeAll();
    this.#heard.streamOver();
    this.#file.finish();
  }

  /** Lets go of the file. Never throws. */
  release(): void {
    this.#question?.tell(undefined);
    this.#question = undefined;
    this.#file.release();
  }

  /** The position at which the recording should be by the clock. */
  get #clockPosition(): number {
    return Math.round((this.#now() - this.#firstSampleMs) * this.#samplesPerMs);
  }

  /** Acts at the position behind all audio of the caller so far: at once, or when the recorder has placed that. */
  #whenPlaced(act: (at: number) => void): void {
    if (this.#unplaced) this.#unplaced.push({ samples: 0, place: () => act(this.#file.position) });
    else {
      if (this.#followsClock) this.#followClock();
      act(this.#file.position);
    }
  }

  /**
   * Moves what is late. When the beginning of the speech is on the disk already, the whole stretch stays where it is; a pause in its middle
   * stands as near to its place as the file can still be changed.
   * @returns what would come behind the end of the file; undefined: nothing was moved
   */
  #moveLate({ from, to, by, isBeginning }: LateSpeech): Int16Array | undefined {
    const file = this.#file;
    if (this.#isPaused || (isBeginning && from < file.changeableFrom)) return undefined;
    const first = Math.max(from, file.changeableFrom);
    this.#words?.moved(first, to, by);
    return file.moveRight(first, to, by);
  }

  #followClock(): void {
    this.#recordWithoutCaller(this.#clockPosition - this.#file.position);
  }

  /** The caller is silent for so many samples, while the carrier plays on. */
  #recordWithoutCaller(samples: number): void {
    const frame = FRAME_MS * this.#samplesPerMs;
    for (let left = samples; left > 0; left -= frame) {
      if (this.#heard.isSilent) {
        this.#file.skip(left);
        return;
      }
      this.#record(undefined, Math.min(left, frame));
    }
  }

  #beginUnplaced(): void {
    this.#isNewStream = this.#followsClock;
    this.#followsClock = false;
    this.#unplaced = [];
    this.#unplacedSamples = 0;
    this.#beginWindow();
  }

  #beginWindow(): void {
    this.#windowSamples = 0;
    this.#windowEndsMs = this.#now() + WINDOW_MS;
  }

  /** Keeps audio of the caller until a window brings less than twice real time: the burst is over, or there was none. */
  #keepUnplaced(pcm: Int16Array): void {
    const kept = pcm.slice();
    this.#unplaced?.push({ samples: kept.length, place: () => this.#record(kept, kept.length) });
    this.#unplacedSamples += pcm.length;
    this.#windowSamples += pcm.length;
    if (this.#now() < this.#windowEndsMs) return;
    if (this.#windowSamples < 2 * WINDOW_MS * this.#samplesPerMs) this.#placeAll();
    else this.#beginWindow();
  }

  /** A burst that brings all that was overdue stands right behind what came before; otherwise the caller was silent in between. */
  #placeAll(): void {
    const unplaced = this.#unplaced;
    if (!unplaced) return;
    this.#unplaced = undefined;
    const missing = this.#clockPosition - this.#file.position - this.#unplacedSamples;
    if (this.#isNewStream || missing > BURST_SLACK_MS * this.#samplesPerMs) this.#recordWithoutCaller(missing);
    let ahead = missing < -MAX_AHEAD_MS * this.#samplesPerMs ? -missing : 0;
    for (const { samples, place } of unplaced) {
      if (samples === 0 || ahead <= 0) place();
      ahead -= samples;
    }
  }

  /** Records the next samples of both sides. @param caller undefined: the caller is silent */
  #record(caller: Int16Array | undefined, samples: number): void {
    const { playedSamples } = this.#heard;
    const bot = this.#heard.play(samples, this.#file.position);
    if (bot) this.#words?.recorded(bot, this.#file.position, playedSamples);
    if (this.#isPaused) this.#file.write(undefined, undefined, samples);
    else this.#file.write(caller, bot, samples);
    this.#answer();
  }

  /** What has been acknowledged moves no more: it can go to the disk. */
  #answer(): void {
    const question = this.#question;
    if (!question || this.#heard.playedSamples < question.sentUntil) return;
    this.#file.flush();
    this.#question = undefined;
    question.tell(question.words.place());
  }
}
