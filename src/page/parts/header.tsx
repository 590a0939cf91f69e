import { liveCallsOf, type RunnerView } from '../link/use-runner.js';
import { words } from './format.js';

const STATES: Record<string, string> = {
  ready: 'Ready for calls',
  no_bot: 'No bot is ready: the next caller has to wait',
  unreachable: 'The tunnel is down: calls cannot come',
  stopping: 'Stopping: no new calls',
  gone: 'The runner does not answer',
  locked: 'The runner wants its token',
  connecting: 'Connecting …',
};

/** The name of the page, and how the runner is. */
export function Header({ runner: { link, status } }: { runner: RunnerView }) {
  const state = link === 'open' ? (status?.state ?? 'connecting') : link;
  const live = link === 'open' && status ? liveCallsOf(status) : 0;
  return (
    <header class="top">
      <a class="name" href="#/">
        voicebot
      </a>
      <p class="runner-state" role="status" data-state={state}>
        {STATES[state] ?? words(state)}
        {live > 0 && ` · ${live === 1 ? '1 call' : `${live} calls`} going on`}
      </p>
      {status?.standIns && <span class="chip neutral">stand-ins serve calls</span>}
    </header>
  );
}
