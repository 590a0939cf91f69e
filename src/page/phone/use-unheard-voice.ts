import { useEffect, useRef, useState } from 'preact/hooks';
import type { TimelineEvent } from '../../call/timeline.js';
import { callerSaidOf } from '../../call/view/typed-lines.js';
import { isUnheard } from '../../call/view/unheard-speech.js';
import { useNow } from '../parts/parts.js';
import type { Handset } from './handset.js';

const EVERY_MS = 60;
/** Louder than this is a voice, in dBFS. */
const VOICE_DB = -40;
/** A sound of this length is one, in milliseconds. */
const VOICE_MS = 360;
/** Ears that listen may take so long after the last of it, in milliseconds. */
const PATIENCE_MS = 2_500;

/**
 * Whether the caller's voice arrives and nothing understands it.
 * @param heardAt when anything has last understood them, in monotonic milliseconds
 * @param isHearing something listens: it is waited for
 */
export function useUnheardVoice(
  phone: Handset,
  events: readonly TimelineEvent[],
  { heardAt, isHearing }: { readonly heardAt: number; readonly isHearing: boolean },
): boolean {
  const now = useNow(true);
  const voice = useRef({ sinceMs: 0, lastAt: -Infinity });
  const understood = useRef({ count: 0, at: -Infinity });
  const [isUnmet, setUnmet] = useState(false);
  const count = callerSaidOf(events).length;
  if (count !== understood.current.count) understood.current = { count, at: performance.now() };
  const latest = useRef({ heardAt, isHearing });
  latest.current = { heardAt, isHearing };
  useEffect(() => {
    const timer = setInterval(() => {
      const at = performance.now();
      const heard = voice.current;
      if (phone.voiceDb > VOICE_DB) heard.sinceMs += EVERY_MS;
      else heard.sinceMs = 0;
      if (heard.sinceMs >= VOICE_MS) heard.lastAt = at;
      const { heardAt, isHearing } = latest.current;
      const isNew = heard.lastAt > Math.max(heardAt, understood.current.at);
      setUnmet(isNew && (!isHearing || at - heard.lastAt > PATIENCE_MS));
    }, EVERY_MS);
    return () => clearInterval(timer);
  }, [phone]);
  return isUnmet || (isUnheard(events, now) && heardAt + PATIENCE_MS < performance.now());
}
