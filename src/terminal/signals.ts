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

/** What of this process tells of signals, and sends them. */
export type SignalSource = Pick<NodeJS.Process, 'platform' | 'pid' | 'on' | 'off' | 'emit' | 'kill' | 'exit'>;

/** Listens for the signals that ask a process to stop. Windows has Ctrl+Break too, which is taken for Ctrl+C. */
export function watchSignals(source: SignalSource = process): SignalWatch {
  const waiting: Array<(signal: StopSignal) => void> = [];
  const nextSignal = () => new Promise<StopSignal>((resolve) => waiting.push(resolve));
  const listener = (signal: NodeJS.Signals) => waiting.shift()?.(signal as StopSignal);
  const onBreak = () => listener('SIGINT');
  for (const signal of STOP_SIGNALS) source.on(signal, listener);
  if (source.platform === 'win32') source.on('SIGBREAK', onBreak);
  return {
    first: nextSignal(),
    second: nextSignal(),
    close: () => {
      for (const signal of STOP_SIGNALS) source.off(signal, listener);
      source.off('SIGBREAK', onBreak);
    },
  };
}

/**
 * Does to this process what Ctrl+C does. Where Windows is asked to send a process a signal it ends that at once, and calls with it: there the
 * listeners are told, and without any the process ends as it would by Ctrl+C.
 */
export function interruptSelf(source: SignalSource = process): void {
  if (source.platform !== 'win32') source.kill(source.pid, 'SIGINT');
  else if (!source.emit('SIGINT', 'SIGINT')) source.exit(128 + constants.signals.SIGINT);
}
