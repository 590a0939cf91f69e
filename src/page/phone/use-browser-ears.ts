import { useEffect, useRef, useState } from 'preact/hooks';
import type { TimelineEvent } from '../../call/timeline.js';
import { callerSaidOf } from '../../call/view/typed-lines.js';
import { useSkew } from '../call/live-clock.js';
import { showTyped, type TypedFate } from '../link/typed-sentences.js';
import { BrowserEars, type BrowserEarsView } from './browser-ears.js';
import type { Handset } from './handset.js';
import { postToRunner } from './post-to-runner.js';

export interface HeardCall {
  readonly phone: Handset;
  /** Undefined: nothing is to be understood. */
  readonly callId: string | undefined;
  readonly isMuted: boolean;
  readonly events: readonly TimelineEvent[];
  readonly token: string | undefined;
  /** Of the bot, such as `en-US`. */
  readonly language: string;
}

export interface UsedEars {
  readonly view: BrowserEarsView;
  /** When it has last understood anything, in monotonic milliseconds. */
  readonly heardAt: number;
  agree(): void;
  refuse(): void;
}

/** Has the browser understand the caller, for a bot whose ears are stand-ins: the words go the way of typed sentences. */
export function useBrowserEars({ phone, callId, isMuted, events, token, language }: HeardCall): UsedEars {
  const ears = useRef<BrowserEars | undefined>(undefined);
  const [view, setView] = useState<BrowserEarsView>({ state: 'opening' });
  const [heardAt, setHeardAt] = useState(-Infinity);
  const skewMs = useSkew(events);
  const latest = useRef({ events, skewMs, token });
  latest.current = { events, skewMs, token };

  useEffect(() => {
    if (callId === undefined) return;
    let shown: TypedFate | undefined;
    /** What was heard is told in that order. */
    let before: Promise<unknown> = Promise.resolve();
    const show = (text: string) => {
      const { events, skewMs } = latest.current;
      const at = Math.max(events.at(-1)?.at ?? 0, Date.now() - skewMs);
      if (shown) shown.changed(text);
      else shown = showTyped(callId, { text, at, after: callerSaidOf(events).length, by: 'browser' });
    };
    const opened = new BrowserEars({
      language,
      track: () => phone.track,
      interim: (text) => {
        if (text) {
          setHeardAt(performance.now());
          show(text);
        } else {
          shown?.dropped();
          shown = undefined;
        }
      },
      heard: (text) => {
        setHeardAt(performance.now());
        show(text);
        const fate = shown;
        shown = undefined;
        const path = `/calls/${encodeURIComponent(callId)}/typed`;
        const told = before.then(() => postToRunner(path, { text, by: 'browser' }, latest.current.token));
        before = told.then(
          () => fate?.said(),
          () => fate?.dropped(), // the call is over
        );
      },
    });
    ears.current = opened;
    const change = () => setView(opened.view);
    opened.addEventListener('change', change);
    opened.mute(isMuted);
    void opened.open();
    return () => {
      opened.removeEventListener('change', change);
      opened.close();
      setView({ state: 'opening' });
    };
  }, [phone, callId, language]);
  useEffect(() => ears.current?.mute(isMuted), [isMuted]);

  return { view, heardAt, agree: () => ears.current?.agree(), refuse: () => ears.current?.refuse() };
}
