import { useEffect, useRef, useState } from 'preact/hooks';
import type { TimelineEvent } from '../../call/timeline.js';
import { type LiveLine, nextWordAt } from '../../call/view/live-lines.js';

/** An event takes less than this to the page, in milliseconds: what looks like more is the clock of another machine. */
const MAX_WAY_MS = 1_000;
/** What it takes about, in milliseconds. */
const WAY_MS = 80;

/** How far the clock of the call's machine is behind this one, in milliseconds: by the events, none of which comes before it happens. */
function useSkew(events: readonly TimelineEvent[]): number {
  const least = useRef<number | undefined>(undefined);
  const seen = useRef<number | undefined>(undefined);
  const last = events.at(-1)?.at ?? 0;
  if (seen.current !== undefined && last > seen.current)
    least.current = Math.min(least.current ?? Number.POSITIVE_INFINITY, Date.now() - last);
  seen.current = Math.max(seen.current ?? 0, last);
  const ms = least.current ?? 0;
  return ms >= 0 && ms <= MAX_WAY_MS ? 0 : ms - WAY_MS;
}

/** The time of the call's machine, milliseconds since the Unix epoch: new whenever another word is heard. */
export function useLiveClock(events: readonly TimelineEvent[], lines: readonly LiveLine[]): number {
  const skew = useSkew(events);
  const [, tick] = useState(0);
  const now = Date.now() - skew;
  const next = nextWordAt(lines, now);
  useEffect(() => {
    if (next === undefined) return;
    const timer = setTimeout(() => tick((count) => count + 1), Math.max(1, next - (Date.now() - skew)));
    return () => clearTimeout(timer);
  }, [next, skew]);
  return now;
}
