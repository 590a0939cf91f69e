import type { Writable } from 'node:stream';

/** A stream that may be a terminal. */
export type OutputStream = Writable & { isTTY?: boolean; columns?: number };

export interface OutputOptions {
  /** Machine mode: events go to `stdout`, one JSON object per line, and no human text is written. */
  json?: boolean;
  /** Colours what people read. Without it, text stays as it is. */
  paint?: Paint;
  stdout: OutputStream;
  stderr: OutputStream;
}

/** Every line of `--json` output carries this; it changes when a field changes its meaning or goes away. */
export const JSON_VERSION = 1;

const STYLES = ['bold', 'dim', 'green', 'red', 'yellow'] as const;
/** A function for each style, which puts it around a text. */
export type Paint = Readonly<Record<(typeof STYLES)[number], (text: string) => string>>;

const PLAIN = Object.fromEntries(STYLES.map((style) => [style, (text: string) => text])) as Paint;

/** Colours for a terminal that takes them. Loads chalk, which itself does not look at `NO_COLOR`. */
export async function loadPaint(): Promise<Paint> {
  const { Chalk } = await import('chalk');
  return new Chalk({ level: 1 });
}

/** What a command shows: text for people on standard error, results for programs on standard output. */
export class Output {
  /** Colours for `line`; leaves text as it is where colour is not wanted. */
  readonly paint: Paint;
  readonly #options: OutputOptions;

  constructor(options: OutputOptions) {
    this.#options = options;
    this.paint = options.paint ?? PLAIN;
    // The reader of a pipe may leave (`| head`); that must not end a running call.
    for (const stream of [options.stdout, options.stderr]) stream.on('error', () => {});
  }

  /** Machine mode: nobody reads what is written for people. */
  get isForPrograms(): boolean {
    return this.#options.json === true;
  }

  /** Writes one line for people; nothing in machine mode. */
  line(text = ''): void {
    if (!this.#options.json) this.#options.stderr.write(`${text}\n`);
  }

  /** Writes one line of result, which a script may read; nothing in machine mode, where an event carries it. */
  result(text: string): void {
    if (!this.#options.json) this.#options.stdout.write(`${text}\n`);
  }

  /** Something the user should know that is no error. */
  warn(message: string): void {
    this.event('problem', { message });
    this.line(`${this.paint.yellow('!')} ${message}`);
  }

  /** Writes one event for programs; nothing in human mode. */
  event(event: string, fields: object = {}): void {
    if (!this.#options.json) return;
    this.#options.stdout.write(`${JSON.stringify({ version: JSON_VERSION, event, ...fields })}\n`);
  }

  /** Shows that `work` is going on: a spinner on a terminal, a line elsewhere. */
  async step<T>(text: string, work: () => Promise<T>): Promise<T> {
    const { json, stderr, paint } = this.#options;
    // A terminal without a width cannot take a spinner back.
    if (json || !stderr.isTTY || stderr.columns === 0) {
      this.line(`${text} …`);
      return await work();
    }
    const { default: ora } = await import('ora');
    const spinner = ora({
      text,
      stream: stderr as NodeJS.WriteStream,
      discardStdin: false,
      color: paint ? 'cyan' : false,
    });
    spinner.start();
    try {
      return await work();
    } finally {
      spinner.stop();
    }
  }
}

/** Text that came over the wire, without what could move the cursor or change colours of a terminal. */
export const plain = (text: string): string => text.replace(/\p{Cc}/gu, '\ufffd');
