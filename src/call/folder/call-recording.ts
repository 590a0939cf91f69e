import type { RecordJob } from './disk-job.js';
import { type JournalEntry, JournalReader } from './journal.js';
import { TAPE_ENTRY } from './journal-entries.js';
import type { JournalFile } from './journal-file.js';
import { sharedNow } from './shared-clock.js';
import { WavRecorder } from './wav-recorder.js';

/** What the journal of a call says of its audio, recorded at the times at which it says so. */
export class CallRecording implements JournalFile {
  readonly #journal: JournalReader;
  readonly #recorder: WavRecorder;
  #now = sharedNow();

  constructor({ journal, path, sampleRate, startedAt, delayMs }: RecordJob) {
    this.#journal = new JournalReader(journal);
    this.#recorder = new WavRecorder({ path, sampleRate, startedAt, delayMs, now: () => this.#now });
  }

  look(nowMs: number): void {
    this.flush();
    this.#now = nowMs;
    this.#recorder.look();
  }

  flush(): void {
    this.#journal.read(this.#happen);
  }

  finish(): void {
    this.flush();
    this.#now = sharedNow();
    this.#recorder.finish();
  }

  release(): void {
    this.#recorder.release();
  }

  readonly #happen = (entry: JournalEntry): void => {
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
    else recorder.resume();
  };
}
