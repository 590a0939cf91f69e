import { useEffect, useState } from 'preact/hooks';
import type { PlacedCall } from '../../call/placed-call.js';
import type { RunnerStatus } from '../../call/runner-status.js';
import { atOnce, follow, type LinkState } from './runner-link.js';

/** What the page knows of the runner. */
export interface RunnerView {
  readonly link: LinkState;
  /** Undefined until the runner has told it: then all calls are known, too. */
  readonly status: RunnerStatus | undefined;
  /** Newest first. */
  readonly calls: readonly PlacedCall[];
}

/** Calls that go on, at all runners of a cluster. */
export const liveCallsOf = ({ cluster, liveCalls }: RunnerStatus): number =>
  cluster ? cluster.runners.reduce((sum, runner) => sum + runner.liveCalls, 0) : liveCalls;

/** Follows the runner and its calls. */
export function useRunner(token: string | undefined): RunnerView {
  const [view, setView] = useState<RunnerView>({ link: 'connecting', status: undefined, calls: [] });
  useEffect(() => {
    const over = new AbortController();
    let calls = new Map<string, PlacedCall>();
    let status: RunnerStatus | undefined;
    let link: LinkState = 'connecting';
    const show = atOnce(() => {
      if (!over.signal.aborted) setView({ link, status, calls: [...calls.values()].reverse() });
    });
    void follow('/events', {
      token,
      signal: over.signal,
      onState: (state) => {
        link = state;
        // A runner that was started again has other calls.
        if (state === 'open') calls = new Map();
        else show();
      },
      onEvent: ({ event, data }) => {
        if (event === 'call') {
          const record: PlacedCall = JSON.parse(data);
          calls.set(record.id, record);
        }
        if (event === 'status') status = JSON.parse(data);
        show();
      },
    });
    return () => over.abort();
  }, [token]);
  return view;
}
