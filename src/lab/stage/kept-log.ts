import { createLogger, type Logger } from '../../base/logger.js';

/** Lines that are kept at most: those of many calls at once. */
const MOST_LINES = 20_000;

/** A log as a runner writes it by default, kept in memory, with what another one makes of it. */
export class KeptLog implements Logger {
  #lines: Array<{ readonly at: number; readonly line: string }> = [];
  readonly #kept: Logger;

  constructor(private readonly other: Logger) {
    this.#kept = createLogger({ destination: { write: (line) => this.#keep(line) } });
  }

  debug: Logger['debug'] = (...args) => this.other.debug(...args);
  info: Logger['info'] = (...args) => this.#write('info', args);
  warn: Logger['warn'] = (...args) => this.#write('warn', args);
  error: Logger['error'] = (...args) => this.#write('error', args);

  /** The lines written since then. @param at milliseconds since the Unix epoch */
  since(at: number): string[] {
    return this.#lines.filter((one) => one.at >= at).map(({ line }) => line);
  }

  #write(level: 'info' | 'warn' | 'error', args: Parameters<Logger['info']>): void {
    this.other[level](...args);
    this.#kept[level](...args);
  }

  #keep(line: string): void {
    this.#lines.push({ at: Date.now(), line });
    if (this.#lines.length > MOST_LINES) this.#lines = this.#lines.slice(-MOST_LINES / 2);
  }
}
