import { useEffect, useRef, useState } from 'preact/hooks';
import type { TimelineEvent } from '../../call/timeline.js';
import { type LiveLine, nextWordAt } from '../../call/view/live-lines.js';

/** An event takes less than this to the page, in milliseconds: what looks like more is the clock of another machine. */
const MAX_WAY_MS = 1_000;
/** What it takes about, in milliseconds. */
const WAY_MS = 80;

/** How far the clock of the call's machine is behind this one, in milliseconds: by the events, none of which comes before it happens. */
export function useSkew(events: readonly TimelineEvent[]): number {
  const least = useRef<number | undefined>(undefined);
  const seen = useRef<number | undefined>(undefined);
  const last = events.at(-1)?.at ?? 0;
  if (seen.current !== undefined && last > seen.current)
    least.current = Math.min(least.current ?? Number.POSITIVE_INFINITY, Date.now() - last);
  seen.current = Math.max(seen.current ?? 0, last);
  const ms = least.current ?? 0;
  return ms >= 0 && ms <= MAX_WAY_MS ? 0 : ms - WAY_MS;
}

/** What the network and the phone take about until the caller hears what the bot has sent, in milliseconds. */
const TO_THE_EAR_MS = 100;

/** The time of the call's machine at which that was sent which the caller hears now, milliseconds since the Unix epoch: new with each word that is heard. */
export function useLiveClock(events: readonly TimelineEvent[], lines: readonly LiveLine[]): number {
  const behindMs = useSkew(events) + TO_THE_EAR_MS;
  const [count, tick] = useState(0);
  const now = Date.now() - behindMs;
  const next = nextWordAt(lines, now);
  useEffect(() => {
    if (next === undefined) return;
    const timer = setTimeout(() => tick((before) => before + 1), Math.max(1, Math.ceil(next + behindMs - Date.now())));
    return () => clearTimeout(timer);
  }, [next, behindMs, count]); // a timer may end a little too soon
  return now;
}
