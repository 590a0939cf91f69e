import { useEffect, useState } from 'preact/hooks';
import type { RunnerStatus } from '../../call/runner-status.js';

/** Longer than a bot usually takes to start after a call has taken the one before, in milliseconds. */
export const BOT_START_MS = 5_000;

/** The state of a runner as people are told it: that no bot is ready is news only when none comes, or none can be loaded. */
export function useShownState(status: RunnerStatus | undefined): RunnerStatus['state'] | undefined {
  const isStarting = status?.state === 'no_bot' && status.botFails !== true;
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    setLate(false);
    if (!isStarting) return;
    const timer = setTimeout(() => setLate(true), BOT_START_MS);
    return () => clearTimeout(timer);
  }, [isStarting]);
  return isStarting && !isLate ? 'ready' : status?.state;
}
