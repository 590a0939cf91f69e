import { settlesWithin } from '../../base/async/deadline.js';
import type { CallTape } from '../call-tape.js';
import type { WordTimes } from '../disclosure.js';
import { CallerSpeech } from './caller-speech.js';
import { type Disk, FileJournal, type RecordJob } from './disk-thread.js';
import { type JournalEntry, type JournalFile, JournalReader, sharedNow } from './journal.js';
import { WavRecorder } from './wav-recorder.js';

/** Kinds of entries in the journal of a call's audio; see {@link CallTape}. */
const TAPE_ENTRY = {
  received: 1,
  sent: 2,
  marked: 3,
  played: 4,
  cleared: 5,
  dropped: 6,
  streamOver: 7,
  paused: 8,
  resumed: 9,
  watchWords: 10,
} as const;

/** Longest wait for where words stand, in milliseconds: the caller hears nothing meanwhile. A burst of late audio is sorted out sooner. */
const FIND_LIMIT_MS = 500;
/** How much of both sides may wait for a slow disk, in seconds. */
const MAX_WAITING_S = 16;

export interface FolderTapeOptions {
  readonly path: string;
  /** When the first sample of the file is, milliseconds since the Unix epoch. */
  readonly startedAt: number;
  /** From when the bot sends audio until the caller's answer to it can come in, in milliseconds. */
  readonly delayMs: number;
  readonly disk: Disk;
  /** Monotonic milliseconds. Default: {@link sharedNow}, which the thread goes by too. */
  readonly now?: () => number;
  /** The first audio is there. @param sampleRate hertz */
  onStarted(sampleRate: number): void;
  /** Nothing more is recorded. Called once. */
  onFailed(error: Error): void;
}

/** Notes in a journal what happens to a call's audio. In the thread that writes, {@link CallRecording} makes the recording of it. */
export class FolderTape implements CallTape {
  /** Also while nothing is kept. */
  readonly speech = new CallerSpeech();
  readonly #beginnings = new SpeechBeginnings();
  #journal: FileJournal | undefined;
  #isPaused = false;
  #watchesWords = false;
  #isOver = false;
  readonly #now: () => number;

  constructor(private readonly options: FolderTapeOptions) {
    this.#now = options.now ?? sharedNow;
  }

  get isRunning(): boolean {
    return !this.#isPaused && !this.#isOver;
  }

  received(pcm: Int16Array, sampleRate: number): void {
    const now = this.#now();
    this.speech.heard(pcm, now);
    this.#note(TAPE_ENTRY.received, now, pcm, sampleRate);
  }

  sent(pcm: Int16Array, sampleRate: number): boolean {
    const now = this.#now();
    this.#note(TAPE_ENTRY.sent, now, pcm, sampleRate);
    return this.#beginnings.sent((1_000 * pcm.length) / sampleRate, now);
  }

  marked(name: string): void {
    this.#tell(TAPE_ENTRY.marked, name);
  }

  played(name: string): void {
    this.#tell(TAPE_ENTRY.played, name);
  }

  cleared(): void {
    this.#beginnings.cut();
    this.#tell(TAPE_ENTRY.cleared);
  }

  dropped(): void {
    this.#tell(TAPE_ENTRY.dropped);
  }

  streamOver(): void {
    this.#beginnings.cut();
    this.#tell(TAPE_ENTRY.streamOver);
  }

  watchWords(): void {
    this.#watchesWords = true;
    this.#tell(TAPE_ENTRY.watchWords);
  }

  async findWords(): Promise<WordTimes | undefined> {
    if (this.#isOver || this.#isPaused || !this.#journal) return undefined;
    let found: WordTimes | undefined;
    const asked = this.#journal.findWords().then((words) => {
      found = words;
    });
    await settlesWithin(asked, FIND_LIMIT_MS);
    return found;
  }

  /** Both sides are silent from here on. */
  pause(): void {
    this.#isPaused = true;
    this.#tell(TAPE_ENTRY.paused);
  }

  resume(): void {
    this.#isPaused = false;
    this.#tell(TAPE_ENTRY.resumed);
  }

  /** Resolves when everything is written, or nothing more can be. */
  async close(): Promise<void> {
    this.#isOver = true;
    await this.#journal?.close();
  }

  #note(kind: number, at: number, pcm: Int16Array, sampleRate: number): void {
    if (this.#isOver) return;
    this.#journal ??= this.#open(sampleRate);
    this.#journal.writeSamples(kind, at, pcm);
  }

  /** Before the first audio nothing can happen to it. */
  #tell(kind: number, name = ''): void {
    if (!this.#isOver) this.#journal?.writeText(kind, this.#now(), name);
  }

  #open(sampleRate: number): FileJournal {
    const { disk, path, startedAt, delayMs, onStarted, onFailed } = this.options;
    const journal = new FileJournal({
      disk,
      job: { do: 'record', path, sampleRate, startedAt, delayMs },
      maxWaiting: MAX_WAITING_S * sampleRate * 2 * Int16Array.BYTES_PER_ELEMENT,
      onFailed,
    });
    if (this.#isPaused) journal.writeText(TAPE_ENTRY.paused, this.#now(), '');
    if (this.#watchesWords) journal.writeText(TAPE_ENTRY.watchWords, this.#now(), '');
    onStarted(sampleRate);
    return journal;
  }
}

/** After this much silence, in milliseconds, the bot begins to speak anew: less than the longest gap within speech of {@link HeardQueue}. */
const MIN_SILENCE_MS = 200;

/** Tells when the bot begins to speak: a mark behind that tells the recorder when the caller hears it. */
export class SpeechBeginnings {
  /** When the carrier has played everything sent so far, by the clock. */
  #playedAt = Number.NEGATIVE_INFINITY;

  /** @param ms of audio @param now milliseconds @returns whether speech begins with it */
  sent(ms: number, now: number): boolean {
    const begins = now > this.#playedAt + MIN_SILENCE_MS;
    this.#playedAt = Math.max(now, this.#playedAt) + ms;
    return begins;
  }

  /** The carrier does not play the rest of what was sent. */
  cut(): void {
    this.#playedAt = Number.NEGATIVE_INFINITY;
  }
}

/** The thread's side of a {@link FolderTape}: tells the recorder what the journal says, at the times that stand in it. */
export class CallRecording implements JournalFile {
  readonly #journal: JournalReader;
  readonly #recorder: WavRecorder;
  #now = sharedNow();
  readonly #timeAt: (position: number) => number;

  constructor({ journal, path, sampleRate, startedAt, delayMs }: RecordJob) {
    this.#timeAt = (position) => startedAt + (position * 1_000) / sampleRate;
    this.#journal = new JournalReader(journal);
    this.#recorder = new WavRecorder({ path, sampleRate, startedAt, delayMs, now: () => this.#now });
  }

  look(nowMs: number): void {
    this.flush();
    this.#now = nowMs;
    this.#recorder.look();
  }

  flush(): void {
    this.#journal.read(this.#tellRecorder);
  }

  findWords(tell: (times: WordTimes | undefined) => void): void {
    this.flush();
    const timeAt = this.#timeAt;
    this.#recorder.findWords((place) => tell(place && { from: timeAt(place.from), to: timeAt(place.to) }));
  }

  finish(): void {
    this.flush();
    this.#now = sharedNow();
    this.#recorder.finish();
  }

  release(): void {
    this.#recorder.release();
  }

  readonly #tellRecorder = (entry: JournalEntry): void => {
    const [journal, recorder, { kind }] = [this.#journal, this.#recorder, entry];
    this.#now = entry.at;
    if (kind === TAPE_ENTRY.received) recorder.received(journal.samplesOf(entry));
    else if (kind === TAPE_ENTRY.sent) recorder.sent(journal.samplesOf(entry));
    else if (kind === TAPE_ENTRY.marked) recorder.marked(journal.textOf(entry));
    else if (kind === TAPE_ENTRY.played) recorder.played(journal.textOf(entry));
    else if (kind === TAPE_ENTRY.cleared) recorder.cleared();
    else if (kind === TAPE_ENTRY.dropped) recorder.dropped();
    else if (kind === TAPE_ENTRY.streamOver) recorder.streamOver();
    else if (kind === TAPE_ENTRY.paused) recorder.pause();
    else if (kind === TAPE_ENTRY.watchWords) recorder.watchWords();
    else recorder.resume();
  };
}
