import { type ErrorCode, VoicebotError } from '../../base/errors.js';
import type { Guess } from '../../providers/guesses.js';
import { nextCommand } from '../../terminal/next-command.js';
import type { Output } from '../../terminal/output.js';

export interface Finding {
  /** What was looked at, one or two words. */
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'failure';
  /** What was found. */
  readonly message: string;
  /** What to type or change. */
  readonly fix?: string | undefined;
  /** Of a failure. */
  readonly code?: ErrorCode;
  /** Of `guesses`: all of them, also those that are settled. */
  readonly guesses?: readonly ToldGuess[];
}

/** A guess as programs are told it. */
export interface ToldGuess extends Omit<Guess, 'matters'> {
  /** A tour of this account has shown that it is true. */
  readonly isSettled: boolean;
}

const MARKS = { ok: '✔', warning: '!', failure: '✖' } as const;
const COLOURS = { ok: 'green', warning: 'yellow', failure: 'red' } as const;

/** Of the column with what was looked at, in characters. */
const NAME_WIDTH = 12;
/** Of what was found: after the mark and the name. */
const INDENT = 2 + NAME_WIDTH + 1;

/** What an examination has found so far, shown line by line. */
export class Findings {
  readonly #all: Finding[] = [];

  constructor(private readonly output: Output) {}

  get all(): readonly Finding[] {
    return this.#all;
  }

  ok(check: string, message: string, more: Pick<Finding, 'guesses'> = {}): void {
    this.#add({ check, status: 'ok', message, ...more });
  }

  warn(check: string, message: string, fix: string): void {
    this.#add({ check, status: 'warning', message, fix });
  }

  /** @param error anything but a VoicebotError counts as our own failure */
  fail(check: string, error: unknown, fix?: string): void {
    const { code, message, hint } = VoicebotError.fieldsOf(error, 'VB_INTERNAL');
    this.#add({ check, status: 'failure', message, fix: fix ?? hint, code });
  }

  #add(finding: Finding): void {
    this.#all.push(finding);
    const { check, status, message, fix } = finding;
    this.output.event('check', { ...finding, next: nextCommand(fix) });
    const { paint } = this.output;
    const lines = this.output.fitted(fix && status !== 'ok' ? `${message}\n${fix}` : message, INDENT);
    this.output.line(`${paint[COLOURS[status]](MARKS[status])} ${check.padEnd(NAME_WIDTH)} ${lines}`);
  }
}
