import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

/** How much of a stream is passed on within a second, in bytes; what comes beyond is left out, until a second has less. */
export const PASSED_PER_SECOND = 1_024 * 1_024;
/** How much of it is read within a second, in bytes: a bot process that writes more has to wait. */
export const READ_PER_SECOND = 8 * PASSED_PER_SECOND;
/** Longest line that is passed on whole, in characters. */
export const MAX_LINE_LENGTH = 16 * 1_024;
const SECOND_MS = 1_000;

export interface BotOutputActions {
  /** A whole line, without its end. */
  line(line: string): void;
  /** From here on lines are left out. Told once, until {@link goesOn}. */
  isCut(): void;
  /** Lines are passed on again. @param leftOut bytes */
  goesOn(leftOut: number): void;
}

/** Reads what a bot writes, line by line; a flood of it is cut off and slowed down, so that it fills no memory. */
export function readOutput(stream: Readable, actions: BotOutputActions): void {
  const lines = new Lines(actions.line);
  let read = 0;
  let leftOut = 0;
  let isFlooded = false;
  let second: NodeJS.Timeout | undefined;

  const endSecond = () => {
    second = undefined;
    isFlooded = read > PASSED_PER_SECOND;
    read = 0;
    if (leftOut > 0 && !isFlooded) {
      actions.goesOn(leftOut);
      leftOut = 0;
    }
    if (leftOut > 0) second = setTimeout(endSecond, SECOND_MS);
    stream.resume();
  };
  stream.on('data', (chunk: Buffer) => {
    second ??= setTimeout(endSecond, SECOND_MS);
    read += chunk.length;
    if (!isFlooded && read <= PASSED_PER_SECOND) lines.add(chunk);
    else {
      if (leftOut === 0) actions.isCut();
      leftOut += chunk.length;
      lines.skip();
    }
    if (read >= READ_PER_SECOND) stream.pause();
  });
  stream.once('end', () => lines.end());
  stream.once('close', () => {
    clearTimeout(second);
    if (leftOut > 0) actions.goesOn(leftOut);
  });
}

/** Cuts bytes into lines. */
class Lines {
  readonly #decoder = new StringDecoder('utf8');
  #begun = '';
  /** Everything up to the end of the current line is left out. */
  #isSkipping = false;

  constructor(private readonly pass: (line: string) => void) {}

  add(chunk: Buffer): void {
    const parts = (this.#begun + this.#decoder.write(chunk)).split('\n');
    this.#begun = parts.pop() ?? '';
    for (const part of parts) this.#end(part);
    if (this.#begun.length <= MAX_LINE_LENGTH) return;
    if (!this.#isSkipping) this.pass(cut(this.#begun));
    this.#begun = '';
    this.#isSkipping = true;
  }

  /** Something is left out: the rest of its last line means nothing by itself. */
  skip(): void {
    this.#begun = '';
    this.#isSkipping = true;
  }

  end(): void {
    if (this.#begun !== '') this.#end(this.#begun);
  }

  #end(line: string): void {
    if (!this.#isSkipping) this.pass(cut(line.replace(/\r$/, '')));
    this.#isSkipping = false;
  }
}

const cut = (line: string) => (line.length <= MAX_LINE_LENGTH ? line : `${line.slice(0, MAX_LINE_LENGTH)}…`);
