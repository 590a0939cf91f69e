import type { ChildProcess } from 'node:child_process';
import { VoicebotError } from '../../base/errors.js';

/** How long what a process has printed last may come after the event `exit`, in milliseconds. */
const LAST_WORDS_LIMIT_MS = 200;

/** Lines that Node prints around the message of an uncaught error: the stack, also the native one, the error's properties, the version. */
const SAYS_NOTHING = /^(?:\s.*|[{}[\]]?|Node\.js v\d.*|-{5} .* stack trace -{5}|\d{1,2}: .*)$/;

/** Below the message of an uncaught error: what it comes from, or that the first of several such errors is in the next line. */
const CAUSE = /^\s+\[cause\]: (?:Error: )?(.+?)(?: \{)?$/;
const FIRST_CAUSE_NEXT = /^\s+\[errors\]: \[$/;
const FIRST_CAUSE = /^\s+(?:Error: )?(.+?)(?: \{)?$/;

/** What Node prints for a promise that was rejected with something that is no error. */
const REJECTION =
  /^\[?UnhandledPromiseRejection: This error originated .* The promise rejected with the reason "(.*)"\.?\]?(?: \{)?$/;

/** What is known of the end of a process. */
export interface BotDeath {
  /** `code 3`, `signal SIGSEGV` */
  readonly exit: string;
  /** The last line of its error output, of an uncaught error its message; undefined when there was none. */
  readonly lastLine: string | undefined;
}

/** What a process has printed that tells why it ends. */
export class LastWords {
  #line: string | undefined;
  #cause: string | undefined;
  #isCauseNext = false;

  /** A line of its error output. */
  printed(line: string): void {
    const [, cause] = (this.#isCauseNext ? FIRST_CAUSE : CAUSE).exec(line) ?? [];
    this.#isCauseNext = FIRST_CAUSE_NEXT.test(line);
    this.#cause ??= cause;
    if (SAYS_NOTHING.test(line)) return;
    const [, reason] = REJECTION.exec(line) ?? [];
    this.#line = reason === undefined ? line : `unhandled rejection: ${reason}`;
    this.#cause = undefined;
  }

  deathBy(exit: string): BotDeath {
    const cause = this.#cause === undefined ? '' : ` (caused by ${this.#cause})`;
    return { exit, lastLine: this.#line && `${this.#line.replace(/ \{$/, '')}${cause}` };
  }

  /** Tells of the end of a process that is gone when its last words have been read: they may come after the event `exit`. */
  whenRead(child: ChildProcess, exit: string, tell: (death: BotDeath) => void): void {
    const read = () => {
      clearTimeout(timer);
      child.off('close', read);
      tell(this.deathBy(exit));
    };
    const timer = setTimeout(read, LAST_WORDS_LIMIT_MS);
    child.once('close', read);
  }
}

/** For the end of a process that had no calls. @param file the bot file */
export function diedWaiting(file: string, { exit, lastLine }: BotDeath): VoicebotError {
  const words = lastLine === undefined ? '' : `, its last words: ${lastLine}`;
  return new VoicebotError('VB_BOT_DIED', `one that waited for calls of ${file} ended with ${exit}${words}`);
}
