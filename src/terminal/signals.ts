import { constants } from 'node:os';
import { ReportedError } from './exit-codes.js';

export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';
const STOP_SIGNALS: readonly StopSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Thrown by a command that was told to stop and has tidied up: nothing to print, only an exit code (130, 143, 129). */
export class StoppedBySignal extends ReportedError {
  override readonly name = 'StoppedBySignal';

  constructor(readonly signal: StopSignal) {
    super(128 + constants.signals[signal], `Stopped by ${signal}`);
  }
}

export interface SignalWatch {
  /** Resolves with the first signal; never rejects. */
  readonly first: Promise<StopSignal>;
  /** Resolves with the second one: the person has no patience left. */
  readonly second: Promise<StopSignal>;
  /** Gives the signals back their default meaning. */
  close(): void;
}

/** Listens for the signals that ask a process to stop. */
export function watchSignals(): SignalWatch {
  const waiting: Array<(signal: StopSignal) => void> = [];
  const nextSignal = () => new Promise<StopSignal>((resolve) => waiting.push(resolve));
  const listener = (signal: NodeJS.Signals) => waiting.shift()?.(signal as StopSignal);
  for (const signal of STOP_SIGNALS) process.on(signal, listener);
  return {
    first: nextSignal(),
    second: nextSignal(),
    close: () => {
      for (const signal of STOP_SIGNALS) process.off(signal, listener);
    },
  };
}
