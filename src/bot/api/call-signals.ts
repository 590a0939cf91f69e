import type { EventEmitter } from 'node:events';
import { isAbortOf } from '../../base/async/deadline.js';
import type { FailedTransfer, FailedWarmTransfer } from '../../call/transfer-outcome.js';
import { HANDLER, type PipelineTask, printProblem } from '../pipeline/pipeline-task.js';
import { RoomsTransport } from '../transports/room/rooms-transport.js';
import type { CallEvents } from './call-events.js';
import type { CallTransport } from './open-transport.js';

export interface SignalledCall {
  readonly call: EventEmitter & { readonly id: string; readonly signal: AbortSignal };
  readonly transport: CallTransport;
  readonly task: Pick<PipelineTask, 'noteProblem' | 'on'>;
  warned(warning: CallEvents['warning'][0]): void;
}

/** What the transport and the pipeline of a call tell beside its talk: transfers that came to nothing, and what fails in a call that goes on. */
export class CallSignals {
  /** A transfer that an earlier bot of the call had asked for. */
  failedTransfer: FailedTransfer | FailedWarmTransfer | undefined;

  constructor(private readonly signalled: SignalledCall) {
    const { transport, task } = signalled;
    const failed = (_transport: unknown, transfer: FailedTransfer) => {
      this.failedTransfer = transfer;
    };
    if (transport instanceof RoomsTransport) transport.on('transfer_failed', failed);
    else {
      transport.on('transfer_failed', failed);
      transport.on('warning', (_transport, { error }) => this.warn(error, 'transport'));
    }
    task.on('problem', (error, source) => this.warn(error, source));
  }

  /**
   * Told to the call's handlers, or printed where there are none.
   * @param of the event whose handler it comes from: not told to handlers of warnings where it is one of theirs
   */
  warn(problem: unknown, source: string | undefined, of?: string): void {
    const { call, task, warned } = this.signalled;
    if (source === HANDLER && isAbortOf(call.signal, problem)) return; // a wait that the end of the call has ended
    const error = problem instanceof Error ? problem : new Error(String(problem));
    if (source === HANDLER) task.noteProblem(error, source);
    if (of === 'warning' || call.listenerCount('warning') === 0) printProblem(error, source, call);
    else warned({ error, source });
  }
}
