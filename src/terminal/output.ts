import type { Writable } from 'node:stream';
import { Help } from 'commander';
import type { Ora as Spinner, Options as SpinnerOptions } from 'ora';
import { cleanText, visibleJson } from '../base/clean-text.js';
import { VoicebotError } from '../base/errors.js';
import type { LogFields } from '../base/logger.js';
import { errorEvent } from './error-event.js';
import { LastLine, type LineParts } from './last-line.js';
import { type EntryLevel, logEntry, loggedError } from './log-entry.js';
import { nextCommand, withWholeCommands } from './next-command.js';

/** A stream that may be a terminal. */
export type OutputStream = Writable & { isTTY?: boolean; columns?: number; rows?: number };

/** The size of a terminal, in characters. */
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

export interface OutputOptions {
  /** Machine mode: events go to `stdout`, one JSON object per line, and no human text is written. */
  json?: boolean;
  /** Colours what people read. Without it, text stays as it is. */
  paint?: Paint;
  /** Standard error is a terminal whose lines can be written again, as a spinner does. Default false. */
  canRewriteLines?: boolean;
  /** Standard error is a log for programs: entries as JSON, a line each, and no text for people. Default false. */
  logsJson?: boolean;
  /**
   * What stands before warnings and what has just happened, of a command that runs for long: the time of day, or, where what is written is
   * kept, the date with the level. Default: nothing.
   */
  stamp?: 'time' | 'date';
  /** Default: the system's clock. */
  now?: () => Date;
  stdout: OutputStream;
  stderr: OutputStream;
}

/** Every line of `--json` output carries this; it changes when a field changes its meaning or goes away. */
const JSON_VERSION = 1;

const STYLES = ['bold', 'dim', 'green', 'red', 'yellow'] as const;
/** What of a text a terminal obeys: the ends of lines, and in colour exactly what the styles are made of. */
const KEPT = { plain: /(\n)/, coloured: new RegExp(`(\n|${'\u001b'}\\[(?:1|2|22|3[1239])m)`) };

/** A function for each style, which puts it around a text. */
export type Paint = Readonly<Record<(typeof STYLES)[number], (text: string) => string>>;

/** What stands before news by the stamp of an output, with the space behind it, in characters. */
const STAMP_WIDTH = { none: 0, time: 9, date: 31 } as const;
/** In less room a text is left as it is, in characters. */
const MIN_WIDTH = 24;
/** Stands for a space at which no line may end. */
const HELD_SPACE = '\ue000';

/** Around the address of a link, which an empty one ends. @see https://gist.github.com/egmontkob/eb114294efbcd5adb1944c9f3cb5feda */
const [OPEN_LINK, STRING_END] = ['\u001b]8;;', '\u001b\\'];

const PLAIN = Object.fromEntries(STYLES.map((style) => [style, (text: string) => text])) as Paint;

/** Colours for a terminal that takes them. Loads chalk, which itself does not look at `NO_COLOR`. */
export async function loadPaint(): Promise<Paint> {
  const { Chalk } = await import('chalk');
  return new Chalk({ level: 1 });
}

/**
 * What a command shows: text for people on standard error, results for programs on standard output. Texts may hold what came
 * from outside: nothing in it reaches a terminal as more than text.
 */
export class Output {
  /** Colours for `line`; leaves text as it is where colour is not wanted. */
  readonly paint: Paint;
  readonly #options: OutputOptions;
  readonly #lastLine: LastLine;

  /** @param lastLine that of another output of the same terminal. Default: one of its own */
  constructor(options: OutputOptions, lastLine = new LastLine(options.stderr)) {
    this.#options = options;
    this.#lastLine = lastLine;
    this.paint = options.paint ?? PLAIN;
    // The reader of a pipe may leave (`| head`); that must not end a running call.
    for (const stream of [options.stdout, options.stderr]) stream.on('error', () => {});
  }

  /** Machine mode: a program reads the events, and no text for people is written. */
  get isForPrograms(): boolean {
    return this.#options.json === true;
  }

  /** Whether people read. */
  get #isForPeople(): boolean {
    return !this.#options.json && !this.#options.logsJson;
  }

  /** Whether standard error is a log for programs. */
  get logsJson(): boolean {
    return this.#options.logsJson === true;
  }

  /**
   * Writes an entry of the log of a run; nothing unless programs read the log.
   * @param message always the same, without a number, a name or a word of anybody
   * @param fields those that no person can be known by are written
   */
  log(level: EntryLevel, message: string, fields?: LogFields): void {
    if (this.logsJson) this.#options.stderr.write(`${logEntry(this.#now(), level, message, fields)}\n`);
  }

  /** Writes one line for people; nothing in machine mode. */
  line(text = ''): void {
    if (this.#isForPeople) this.#lastLine.above(`${this.#safe(text)}\n`);
  }

  /** How wide the terminal is, in characters; undefined where people read no terminal. */
  get columns(): number | undefined {
    return this.#options.stderr.columns || undefined;
  }

  /**
   * A text of many words as the terminal has room for it, between words; an address and a command that is to be typed stay in one piece.
   * @param indent of what goes on below, in characters
   */
  wrapped(text: string, indent: number): string {
    const { columns } = this;
    if (columns === undefined) return text;
    const helper = Object.assign(new Help(), { minWidthToWrap: MIN_WIDTH });
    const lines = helper.boxWrap(withWholeCommands(text, HELD_SPACE), columns - indent);
    return lines.replaceAll(HELD_SPACE, ' ').replaceAll('\n', `\n${' '.repeat(indent)}`);
  }

  /** The same of a text that has lines. */
  fitted(text: string, indent: number): string {
    const lines = text.split('\n').map((line) => this.wrapped(line, indent));
    return lines.join(`\n${' '.repeat(indent)}`).replaceAll(/^ +$/gm, '');
  }

  /** Whether the last line can be written again. */
  get canRewrite(): boolean {
    return this.#options.canRewriteLines === true && this.#isForPeople;
  }

  /**
   * Shows one line below everything else, in place of the one that was there; undefined takes it away. Only where {@link canRewrite}.
   */
  rewrite(parts: LineParts | undefined): void {
    if (!this.canRewrite) return;
    const time = this.#options.stamp === 'time' ? `${timeOfDay(this.#now())} ` : '';
    this.#lastLine.show(parts && { ...parts, head: `${time}${parts.head}` });
  }

  /** The same, for a part of a command: it writes above the last line, which stays this one's. */
  withoutLastLine(): Output {
    return new Output({ ...this.#options, canRewriteLines: false }, this.#lastLine);
  }

  /** Writes a dim line, indented, of which the terminal makes a link. @param address one that has been encoded as a URL is */
  link(text: string, address: string): void {
    const [begin, end] = [`${OPEN_LINK}${address}${STRING_END}`, `${OPEN_LINK}${STRING_END}`];
    if (this.#isForPeople) this.#lastLine.above(`  ${begin}${this.#safe(this.paint.dim(text))}${end}\n`);
  }

  /** Writes one line for people about something that has just happened. */
  news(text: string, level: EntryLevel = 'info'): void {
    const { stamp } = this.#options;
    const now = this.#now();
    const before = stamp === 'date' ? `${now.toISOString()} ${level.padEnd(5)}` : timeOfDay(now);
    this.line(stamp ? `${this.paint.dim(before)} ${text}` : text);
  }

  /** Writes one line of result, which a script may read; nothing in machine mode, where an event carries it. */
  result(text: string): void {
    if (!this.#options.json) this.#options.stdout.write(`${this.#safe(text)}\n`);
  }

  /** Something the user should know that is no error. @param error what has caused it, of which programs are told more */
  warn(message: string, { callId, error }: { callId?: string; error?: unknown } = {}): void {
    const { next = nextCommand(message), ...known } = error instanceof VoicebotError ? errorEvent(error) : {};
    this.event('problem', { ...known, message, callId, next });
    this.log('warn', error === undefined ? message : loggedError(error).message, { callId, error });
    const about = callId === undefined ? '' : `${this.paint.dim(callLabel(callId))}  `;
    const indent =
      STAMP_WIDTH[this.#options.stamp ?? 'none'] + (callId === undefined ? 0 : callLabel(callId).length + 2) + 2;
    const text = message.split('\n').map((line, n) => this.wrapped(line, n === 0 ? indent : 2));
    this.news(`${about}${this.paint.yellow('!')} ${text.join('\n')}`, 'warn');
  }

  /** Writes one event for programs, with its time; nothing in human mode. */
  event(event: string, fields: object = {}): void {
    if (!this.#options.json) return;
    const time = this.#now().toISOString();
    this.#options.stdout.write(`${visibleJson(JSON.stringify({ version: JSON_VERSION, event, time, ...fields }))}\n`);
  }

  /** Shows that `work` is going on: a spinner on a terminal, a line elsewhere. */
  async step<T>(text: string, work: () => Promise<T>): Promise<T> {
    if (!this.canRewrite) {
      this.line(`${text} …`);
      return await work();
    }
    const spinner = await this.#spinner({ text });
    const resume = this.#lastLine.pause();
    spinner.start();
    try {
      return await work();
    } finally {
      spinner.stop();
      resume();
    }
  }

  /**
   * Shows lines below everything else that are written again several times a second, with a spinner behind the last.
   * @param linesIn gives them; more than there is room for are cut off
   * @returns takes them away; undefined where lines cannot be written again
   */
  async live(linesIn: (room: TerminalSize) => readonly string[]): Promise<(() => void) | undefined> {
    const { stderr } = this.#options;
    if (!this.canRewrite) return undefined;
    const text = () => {
      const { columns = 80, rows = 24 } = stderr;
      return linesIn({ columns, rows })
        .map((line) => this.#safe(line))
        .join('\n');
    };
    const spinner = await this.#spinner({ prefixText: text });
    spinner.start();
    return () => void spinner.stop();
  }

  async #spinner(shown: Pick<SpinnerOptions, 'text' | 'prefixText'>): Promise<Spinner> {
    const { stderr, paint } = this.#options;
    const { default: ora } = await import('ora');
    const stream = stderr as NodeJS.WriteStream;
    return ora({ ...shown, stream, discardStdin: false, isEnabled: true, color: paint ? 'cyan' : false });
  }

  readonly #now = (): Date => this.#options.now?.() ?? new Date();

  #safe(text: string): string {
    const pieces = text.split(this.#options.paint ? KEPT.coloured : KEPT.plain);
    return pieces.map((piece, at) => (at % 2 === 1 ? piece : cleanText(piece))).join('');
  }
}

/** `09:05:07`, by the clock of this machine. */
function timeOfDay(time: Date): string {
  return [time.getHours(), time.getMinutes(), time.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
}

/** Enough of an identifier to tell calls apart, and for `voicebot calls` to find this one. */
export const callLabel = (id: string) => `call ${id.slice(0, id.startsWith('out_') ? 12 : 8)}`;
