/** A file that gets what its journal says. Lives in the thread that writes. */
export interface JournalFile {
  /** Some time has gone by. @param nowMs of {@link sharedNow} @throws the system's error */
  look(nowMs: number): void;
  /** Writes what the journal has got so far, as far as it can change no more. @throws the system's error */
  flush(): void;
  /** Writes the rest: nothing more comes. @throws the system's error */
  finish(): void;
  /** Lets go of the file. Called once, at the end or when something has thrown. */
  release(): void;
}
