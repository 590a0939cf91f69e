import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Lines on disk, in a file for each day, that several runners add to: lines are only ever added, each in one write, so the
 * runners need no lock. A line that a crash cut off stays apart from those that follow.
 */
export class DayFiles {
  /**
   * @param directory absolute path of a folder for nothing else, made with the first line
   * @param ending of the files' names, which begin with the day: `.jsonl`
   */
  constructor(
    private readonly directory: string,
    private readonly ending = '',
  ) {}

  /**
   * @param day `2026-01-31`
   * @throws the system's error
   */
  add(day: string, line: string): void {
    mkdirSync(this.directory, { recursive: true, mode: 0o700 });
    appendFileSync(this.#pathOf(day), `\n${line}\n`, { mode: 0o600 });
  }

  /**
   * The lines of a day; none when there is no file.
   * @throws the system's error when there is one that cannot be read
   */
  lines(day: string): string[] {
    try {
      return readFileSync(this.#pathOf(day), 'utf8').split('\n').filter(Boolean);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  }

  /** Removes the files of the days before. What cannot be removed stays until the next time. */
  removeBefore(day: string): void {
    try {
      const old = readdirSync(this.directory).filter((name) => name < day);
      for (const name of old) rmSync(join(this.directory, name), { force: true });
    } catch {
      // there is no folder yet, or it may not be read
    }
  }

  #pathOf(day: string): string {
    return join(this.directory, `${day}${this.ending}`);
  }
}
