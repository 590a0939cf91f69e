import type { Writable } from 'node:stream';
import { styleText } from 'node:util';

/** A stream that may be a terminal. */
export type OutputStream = Writable & { isTTY?: boolean; columns?: number };

export interface OutputOptions {
  /** Machine mode: events go to `stdout`, one JSON object per line, and no human text is written. */
  json?: boolean;
  /** The user allows colour (`NO_COLOR` is not set). It is used on a terminal only. */
  allowsColour: boolean;
  stdout: OutputStream;
  stderr: OutputStream;
}

/** Every line of `--json` output carries this; it changes when a field changes its meaning or goes away. */
export const JSON_VERSION = 1;

const STYLES = ['bold', 'dim', 'green', 'red', 'yellow'] as const;
type Style = (typeof STYLES)[number];

const painted = (paint: (style: Style, text: string) => string) =>
  Object.fromEntries(STYLES.map((style) => [style, (text: string) => paint(style, text)])) as Output['paint'];
const COLOURED = painted((style, text) => styleText(style, text, { validateStream: false }));
const PLAIN = painted((_style, text) => text);

/** What a command shows: text for people on standard error, results for programs on standard output. */
export class Output {
  /** Colours for `line`; leaves text as it is where colour is not wanted. */
  readonly paint: Readonly<Record<Style, (text: string) => string>>;
  readonly #options: OutputOptions;

  constructor(options: OutputOptions) {
    this.#options = options;
    this.paint = options.allowsColour && options.stderr.isTTY ? COLOURED : PLAIN;
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
    const { json, stderr, allowsColour } = this.#options;
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
      color: allowsColour && 'cyan',
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
