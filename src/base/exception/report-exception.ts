import { type Exception, exceptionLines } from './exception.js';
import { exceptionOf } from './exception-of.js';

/** A exception, with the line that says what has failed. */
export interface ExceptionReport {
  /** `bot failed in call … (attempt 1): TypeError: …` */
  readonly line: string;
  readonly exception: Exception;
  /** The call, where that is known. */
  readonly callId?: string | undefined;
  /** Its bot goes on no more. Default false. */
  readonly isFatal?: boolean | undefined;
}

type Tell = (report: ExceptionReport) => void;

/** Where no runner follows this process: to standard error, as what programs write is. */
const print: Tell = ({ line, exception }) => {
  const [, ...more] = exception.error.split('\n');
  console.error([line, ...more, ...exceptionLines(exception)].join('\n'));
};

let tell: Tell = print;
let read: (thrown: unknown) => Exception = exceptionOf;

/**
 * In the process of a bot: the runner shows what has failed. @param exceptionOf reads it, with the files as they were loaded
 * @returns whether it could be told; it is printed here otherwise
 */
export function tellExceptionsTo(
  runner: (report: ExceptionReport) => boolean,
  exceptionOf: (thrown: unknown) => Exception,
): void {
  read = exceptionOf;
  tell = (report) => {
    if (!runner(report)) print(report);
  };
}

/** Tells once of what code of the user's has thrown. @param what has failed, as in `the handler of dtmf failed` */
export function reportException(
  what: string,
  thrown: unknown,
  about: Pick<ExceptionReport, 'callId' | 'isFatal'> = {},
): void {
  const exception = read(thrown);
  const [first = ''] = exception.error.split('\n', 1);
  tell({ line: what === '' ? first : `${what}: ${first}`, exception, ...about });
}
