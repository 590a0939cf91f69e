import { useEffect, useState } from 'preact/hooks';
import type { CampaignProgress } from '../../call/campaign-progress.js';
import type { PlacedCall } from '../../call/placed-call.js';
import type { RunnerStatus } from '../../call/runner-status.js';
import { atOnce, follow, type LinkState } from './runner-link.js';

/** What the page knows of the runner. */
export interface RunnerView {
  /** With which it was asked. */
  readonly token: string | undefined;
  readonly link: LinkState;
  /** Undefined until the runner has told it: then all calls are known, too. */
  readonly status: RunnerStatus | undefined;
  /** Newest first. */
  readonly calls: readonly PlacedCall[];
  /** Newest first. */
  readonly campaigns: readonly CampaignProgress[];
}

const NOTHING: RunnerView = { token: undefined, link: 'connecting', status: undefined, calls: [], campaigns: [] };

/** Calls that go on, at all runners of a cluster. */
export const liveCallsOf = ({ cluster, liveCalls }: RunnerStatus): number =>
  cluster ? cluster.runners.reduce((sum, runner) => sum + runner.liveCalls, 0) : liveCalls;

/** Follows the runner, its calls and its campaigns. @param attempt another one asks anew */
export function useRunner(token: string | undefined, attempt: number): RunnerView {
  const [view, setView] = useState<RunnerView>(NOTHING);
  useEffect(() => {
    const over = new AbortController();
    let calls = new Map<string, PlacedCall>();
    let campaigns = new Map<string, CampaignProgress>();
    let status: RunnerStatus | undefined;
    let link: LinkState = 'connecting';
    const show = atOnce(() => {
      if (over.signal.aborted) return;
      const [newest, campaignsBegun] = [[...calls.values()].reverse(), [...campaigns.values()].reverse()];
      setView({ token, link, status, calls: newest, campaigns: campaignsBegun });
    });
    void follow('/events', {
      token,
      signal: over.signal,
      onState: (state) => {
        link = state;
        // A runner that was started again has other calls, and may have other campaigns.
        if (state === 'open') {
          calls = new Map();
          campaigns = new Map();
        } else show();
      },
      onEvent: ({ event, data }) => {
        if (event === 'call') {
          const record: PlacedCall = JSON.parse(data);
          calls.set(record.id, record);
        }
        if (event === 'campaign') {
          const campaign: CampaignProgress = JSON.parse(data);
          campaigns.set(campaign.id, campaign);
        }
        if (event === 'status') status = JSON.parse(data);
        show();
      },
    });
    return () => over.abort();
  }, [token, attempt]);
  return view;
}
