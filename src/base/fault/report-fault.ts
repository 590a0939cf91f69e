import { type Fault, faultLines } from './fault.js';
import { faultOf } from './fault-of.js';

/** A fault, with the line that says what has failed. */
export interface FaultReport {
  /** `bot failed in call … (attempt 1): TypeError: …` */
  readonly line: string;
  readonly fault: Fault;
  /** The call, where that is known. */
  readonly callId?: string | undefined;
  /** Its bot goes on no more. Default false. */
  readonly isFatal?: boolean | undefined;
}

type Tell = (report: FaultReport) => void;

/** Where nobody follows this process: to standard error, as what programs write is. */
const print: Tell = ({ line, fault }) => {
  const [, ...more] = fault.error.split('\n');
  console.error([line, ...more, ...faultLines(fault)].join('\n'));
};

let tell: Tell = print;
let read: (thrown: unknown) => Fault = faultOf;

/**
 * In the process of a bot: the runner shows what has failed. @param faultOf reads it, with the files as they were loaded
 * @returns whether it could be told; it is printed here otherwise
 */
export function tellFaultsTo(runner: (report: FaultReport) => boolean, faultOf: (thrown: unknown) => Fault): void {
  read = faultOf;
  tell = (report) => {
    if (!runner(report)) print(report);
  };
}

/** Tells once of what code of the user's has thrown. @param what has failed, as in `the handler of dtmf failed` */
export function reportFault(what: string, thrown: unknown, about: Pick<FaultReport, 'callId' | 'isFatal'> = {}): void {
  const fault = read(thrown);
  const [first = ''] = fault.error.split('\n', 1);
  tell({ line: what === '' ? first : `${what}: ${first}`, fault, ...about });
}
