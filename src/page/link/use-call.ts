import { useEffect, useState } from 'preact/hooks';
import type { CallRecord } from '../../call/call-record.js';
import type { TimelineEvent } from '../../call/timeline.js';
import { lastOf } from '../../call/view/events.js';
import type { KeptCall } from '../../call/view/kept-call.js';
import { atOnce, follow, type LinkState } from './runner-link.js';

/** What the page knows of one call. */
export interface CallView {
  readonly link: LinkState;
  readonly record: CallRecord | undefined;
  /** In the order of their times. */
  readonly events: readonly TimelineEvent[];
  readonly kept: KeptCall | undefined;
}

const UNKNOWN: CallView = { link: 'connecting', record: undefined, events: [], kept: undefined };

/** Whether nothing more comes of it: a runner that was started again may know nothing of it. */
export const isOverFor = ({ link }: CallView): boolean => link === 'over' || link === 'not_there';

/** Follows one call, or reads what is kept of it; undefined: there is none yet. @param attempt another one asks anew */
export function useCall(id: string | undefined, token: string | undefined, attempt: number): CallView {
  const [{ of, view }, setKnown] = useState<{ of: string | undefined; view: CallView }>({ of: id, view: UNKNOWN });
  useEffect(() => {
    const setView = (known: CallView) => setKnown({ of: id, view: known });
    setView(UNKNOWN);
    if (id === undefined) return;
    const over = new AbortController();
    let next = UNKNOWN;
    let events: TimelineEvent[] = [];
    const show = atOnce(() => {
      if (over.signal.aborted) return;
      events.sort((a, b) => a.at - b.at);
      const record = lastOf(events, 'record')?.record ?? next.record;
      setView({ ...next, record, events: [...events] });
    });
    void follow(`/calls/${encodeURIComponent(id)}/events`, {
      token,
      signal: over.signal,
      onState: (link) => {
        next = { ...next, link };
        // Each connection begins with all that has happened.
        if (link === 'open') events = [];
        else show();
      },
      onEvent: ({ event, data }) => {
        if (event === 'call') next = { ...next, record: JSON.parse(data) };
        else if (event === 'kept') next = { ...next, kept: JSON.parse(data) };
        else events.push(JSON.parse(data));
        show();
      },
    });
    return () => over.abort();
  }, [id, token, attempt]);
  return of === id ? view : UNKNOWN;
}
